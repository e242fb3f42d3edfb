from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from kostra.encoders import embed, encoder, identity_of, similarities_with_counts
from kostra.encoders import word_files as reading
from kostra.encoders.word_files import open_word_file
from kostra.errors import KostraError

WORDS = {"the": [1.0, 0.0, 0.0], "cat": [0.0, 2.0, 0.0], "Prague": [0.0, 0.0, 4.0], "kůň": [1.0, 1.0, -1.0]}


def text(header: bool, end: str = "\n") -> bytes:
    lines = [f"{len(WORDS)} 3"] if header else []
    return end.join([*lines, *(f"{word} {' '.join(map(str, row))}" for word, row in WORDS.items()), ""]).encode()


def binary(line_ends: bool) -> bytes:
    end = b"\n" if line_ends else b""
    rows = b"".join(f"{word} ".encode() + np.array(row, dtype="<f4").tobytes() + end for word, row in WORDS.items())
    return f"{len(WORDS)} 3\n".encode() + rows


FORMS = {
    "word2vec.txt": text(header=True),
    "glove.txt": text(header=False),
    "fasttext.vec": text(header=True, end=" \n"),  # fastText leaves a blank at the end of lines
    "dos.txt": text(header=True, end="\r\n"),
    "word2vec.bin": binary(line_ends=True),
    "gensim.bin": binary(line_ends=False),
    "tabs.tsv": text(header=False).replace(b" ", b"\t"),
    "packed.vec.gz": gzip.compress(text(header=True)),
    "packed.bin.gz": gzip.compress(binary(line_ends=True)),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_file_is_told_by_its_content(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMS[name])
    vectors = embed(f"vectors:{tmp_path / name}", list(WORDS))
    assert vectors.tolist() == list(WORDS.values())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "words.txt").write_bytes(text(header=True))
    return tmp_path / "words.txt"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [0.5, 1.0, 0.0]),  # the mean of (1 0 0) and (0 2 0)
        ("?pooling=max", [1.0, 2.0, 0.0]),
        ("?normalize=true", [0.2**0.5, 0.8**0.5, 0.0]),  # (1 2 0) / √5
    ],
)
def test_a_sentence_is_pooled_from_the_words_that_are_known(file: Path, options: str, expected: list[float]) -> None:
    assert embed(f"vectors:{file}{options}", ["The cat, zzz!"])[0] == pytest.approx(expected)


def test_sif_weighs_a_word_by_its_place_in_the_file(file: Path) -> None:
    # Of 4 words the r-th has p = 1 / (r·H), H = ln 4 + γ; the weight is a / (a + p).
    harmonic = np.log(4) + np.euler_gamma
    first, second = (0.5 / (0.5 + 1 / (rank * harmonic)) for rank in (1, 2))
    vector = embed(f"vectors:{file}?pooling=sif&a=0.5", ["the cat"])[0]
    assert vector == pytest.approx([first / 2, second, 0])


def test_sif_weighs_a_word_by_its_frequency_where_a_file_tells_it(file: Path, tmp_path: Path) -> None:
    (tmp_path / "counts.txt").write_text("the 3\ncat\t1\n")
    vector = embed(f"vectors:{file}?pooling=sif&a=0.25&frequencies={tmp_path / 'counts.txt'}", ["The cat"])[0]
    assert vector == pytest.approx([0.25 / (0.25 + 0.75) / 2, 0.25 / (0.25 + 0.25), 0])  # p = 3/4 and 1/4
    (tmp_path / "counts.txt").write_text("the 3\nnonsense\n")
    with pytest.raises(KostraError, match=r"counts\.txt:2: this is not a word and its count"):
        embed(f"vectors:{file}?pooling=sif&frequencies={tmp_path / 'counts.txt'}", ["The cat"])


@pytest.mark.parametrize(
    ("case", "known"), [("either", ["The", "CAT", "Prague"]), ("keep", ["Prague"]), ("lower", ["The", "CAT"])]
)
def test_words_are_looked_up_as_written_or_lower_cased(file: Path, case: str, known: list[str]) -> None:
    vectors = embed(f"vectors:{file}?case={case}", ["The", "CAT", "Prague", "prague"])
    found = [word for word, row in zip(["The", "CAT", "Prague", "prague"], vectors, strict=True) if row.any()]
    assert found == known


def test_unknown_words_are_passed_over_and_counted(file: Path) -> None:
    numbers, counted = similarities_with_counts(f"vectors:{file}", [("the cat", "zzz yyy"), ("the xxx", "")])
    assert numbers.tolist() == [0, 0]
    assert counted == {
        "sentences": 4, "empty_sentences": 1, "zero_vectors": 2, "words": 6, "unknown_words": 3,
        "sentences_of_unknown_words": 1,
    }  # fmt: skip


def test_letters_composed_and_decomposed_are_one_word(file: Path) -> None:
    assert embed(f"vectors:{file}", ["ku\u030an\u030c"]).shape == (1, 3)
    assert open_word_file(file).rows(["ku\u030an\u030c"]).tolist() == [3]


def test_a_word_may_hold_blanks_and_the_first_of_two_equal_words_counts(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_bytes(b"a 1 2\n. . . 3 4\na 5 6\n\xff 7 8\n")
    found = open_word_file(tmp_path / "odd.txt")
    assert found.rows([". . .", "a", "b"]).tolist() == [1, 0, -1]
    assert (found.summary.words, found.summary.repeated, found.summary.undecodable) == (4, 1, 1)


def test_a_file_is_read_once_and_again_when_it_changed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    build = reading._build

    def counted(path: Path, form: reading.Format, target: Path) -> None:
        reads.append(path)
        build(path, form, target)

    monkeypatch.setattr(reading, "_build", counted)
    before = identity_of(encoder(f"vectors:{file}"))
    assert identity_of(encoder(f"vectors:{file}?pooling=max")).revision == before.revision
    assert len(reads) == 1
    file.write_bytes(text(header=True).replace(b"cat", b"dog"))
    assert identity_of(encoder(f"vectors:{file}")).revision != before.revision
    assert len(reads) == 2


def test_the_vectors_are_mapped_and_not_loaded(file: Path) -> None:
    assert isinstance(open_word_file(file).vectors, np.memmap)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no word vectors"),
        (b"4 3\n", "ends after 0 of 4 words"),
        (b"0 3\n", "no word vectors"),
        (b"a 1 2\nb 1\n", "words.x:2: this line is not a word and its vector"),
        (b"a 1 2\nb 1 nan\n", "words.x:2"),
        (b"a 1 2\nb 1 x\n", "words.x:2"),
        (b"only words\nand words\n", "words.x:1"),
        (binary(line_ends=True)[:-10], "ends after 3 of 4 words"),
        ((793712314).to_bytes(4, "little") + bytes(100), "fastText model with subwords"),
        (b"PK\x03\x04 rest", "ZIP archive"),
    ],
)
def test_a_file_that_is_no_list_of_word_vectors_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "words.x").write_bytes(content)
    with pytest.raises(KostraError) as caught:
        encoder(f"vectors:{tmp_path / 'words.x'}")
    assert said in str(caught.value)
    assert not list((tmp_path / "cache" / "vectors").iterdir()), "a file that was refused leaves nothing behind"


def test_a_long_file_is_read_whole_and_a_wrong_line_far_down_is_named(tmp_path: Path) -> None:
    lines = [f"word{number} {number} {number / 7}" for number in range(5000)]
    (tmp_path / "long.txt").write_text("\n".join(lines))
    found = open_word_file(tmp_path / "long.txt")
    rows = found.rows(["word0", "word4321", "word4999"])
    assert rows.tolist() == [0, 4321, 4999]
    np.testing.assert_array_equal(found.vectors[rows, 1], np.array([0, 4321 / 7, 4999 / 7], dtype=np.float32))
    lines[4321] = "word4321 1  2"
    (tmp_path / "long.txt").write_text("\n".join(lines))
    with pytest.raises(KostraError, match=r"long\.txt:4322"):
        open_word_file(tmp_path / "long.txt")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="there is no such file"):
        encoder(f"vectors:{tmp_path / 'absent.txt'}")
    with pytest.raises(KostraError, match="only the pooling sif weighs words"):
        encoder(f"vectors:{tmp_path / 'absent.txt'}?frequencies=x.txt")


def test_a_packed_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.vec.gz").write_bytes(gzip.compress(text(header=True))[:-12])
    with pytest.raises(KostraError, match="cannot be read"):
        encoder(f"vectors:{tmp_path / 'words.vec.gz'}")
