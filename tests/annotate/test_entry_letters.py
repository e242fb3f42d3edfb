"""A class list: letters to a file, or through a mail server that encrypts, refuses, or breaks off."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import email
import ssl
import stat
import subprocess
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import Message
from email.policy import default
from pathlib import Path

import pytest

from kostra.annotate.entry import letters
from kostra.annotate.entry.letters import Invited, Server, read_list
from kostra.annotate.entry.pseudonyms import animal, languages
from kostra.annotate.store import Store
from kostra.campaign.admission import Letter as Wording
from kostra.errors import KostraError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CLASS = [Invited("Žofie Nováková", "zofie@example.org"), Invited("Jan, Ph.D.", "jan@example.org")]


def written(store: Store, people: list[Invited] | None = None, *, again: bool = False) -> list[letters.Letter]:
    words = letters.wording(Wording(), "cs", contact="study@example.org")
    return letters.write_letters(
        store, "news", people or CLASS, url="https://example.org/s", title="Věty", contact="study@example.org",
        words=words, naming=animal("cs"), expires_at=None, again=again, now=NOON,
    )[0]  # fmt: skip


# The list --------------------------------------------------------------------------------------------------


def test_a_list_is_read_by_its_columns(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text(
        '\ufeffMail,Name,group\nzofie@example.org," Žofie  Nováková ",a\n', encoding="utf-8"
    )
    assert read_list(tmp_path / "class.csv") == CLASS[:1]


def test_a_list_may_come_from_a_spreadsheet_that_writes_semicolons(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("name;mail\nŽofie Nováková;zofie@example.org\n", encoding="utf-8")
    assert read_list(tmp_path / "class.csv") == CLASS[:1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name,address\nA,a@example.org\n", "class.csv: the columns are name, address"),
        ("name,mail\n", "class.csv: there is nobody"),
        ("name,mail\nA,a@example.org\nB,b at example.org\n", 'class.csv:3: "b at example.org" is no mail address'),
        ("name,mail\nA,a@example.org\nB,A@example.org\n", "class.csv:3: A@example.org stands in line 2 already"),
        ("name,mail\n,a@example.org\n", 'class.csv:2: "" is no name'),
        ('name,mail\n"A,a@example.org\n', "not valid CSV"),
    ],
)
def test_a_list_with_a_mistake_is_refused_with_its_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "class.csv").write_text(text, encoding="utf-8")
    with pytest.raises(KostraError) as caught:
        read_list(tmp_path / "class.csv")
    assert why in str(caught.value)


# Letters ---------------------------------------------------------------------------------------------------


def test_letters_have_a_link_of_their_own_and_names_stay_apart_from_pseudonyms(store: Store, tmp_path: Path) -> None:
    made = written(store)
    letters.save_letters(made, tmp_path / "letters.csv")
    with (tmp_path / "letters.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["mail"] for row in rows] == ["zofie@example.org", "jan@example.org"]
    assert all(row["link"] in row["text"] and row["link"].startswith("https://example.org/s/join/") for row in rows)
    assert "Dobrý den, Žofie Nováková," in rows[0]["text"]
    assert "study@example.org" in rows[0]["text"]
    assert stat.S_IMODE((tmp_path / "letters.csv").stat().st_mode) == 0o600
    for row, one in zip(rows, made, strict=True):
        session = store.redeem(row["link"].rpartition("/")[2], lasts_until=NOON, now=NOON)[1]
        assert session.annotator == one.annotator
        assert "ovák" not in one.annotator
        contact = store.contact("news", one.annotator)
        assert contact is not None
        assert contact.mail == row["mail"]


def test_who_was_invited_is_invited_again_only_when_it_is_said(store: Store) -> None:
    first = written(store)
    assert written(store) == []
    again = written(store, again=True)
    assert [one.annotator for one in again] == [one.annotator for one in first]
    assert len(store.annotators("news")) == 2


@pytest.mark.parametrize(
    ("given", "why"),
    [({"text": "Hello {nome}: {link}"}, "nome"), ({"text": "No way in."}, "{link}"), ({"subject": "{"}, "filled in")],
)
def test_a_letter_that_cannot_be_filled_in_is_refused(given: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Wording(**given)


@pytest.mark.parametrize("language", languages())
def test_there_are_animals_for_a_whole_year_of_students(language: str) -> None:
    name, taken = animal(language), set[str]()
    for _ in range(600):
        taken.add(name(taken))
    assert len(taken) == 600
    assert not any(one[-1].isdigit() for one in taken)


# Mail ------------------------------------------------------------------------------------------------------


class Post:
    """A mail server on this machine, as far as smtplib needs one."""

    def __init__(self, context: ssl.SSLContext | None = None, *, refuses: str = "", dies_after: int = 99) -> None:
        self.mails: list[Message] = []
        self.encrypted: list[bool] = []
        self.port = 0
        self._context, self._refuses, self._left = context, refuses, dies_after
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        async def serve() -> None:
            server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            self._stop = asyncio.Event()
            self._ready.set()
            async with server:
                await self._stop.wait()

        self._loop.run_until_complete(serve())
        self._loop.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        encrypted = False

        def say(text: str) -> None:
            writer.write(f"{text}\r\n".encode())

        say("220 post")
        with contextlib.suppress(ConnectionError):
            while line := (await reader.readline()).decode().strip():
                word = line.split()[0].upper()
                if word == "EHLO":
                    say("250-post")
                    say("250-STARTTLS" if self._context and not encrypted else "250-8BITMIME")
                    say("250 HELP")
                elif word == "STARTTLS":
                    say("220 go")
                    await writer.start_tls(self._context)  # type: ignore[arg-type]
                    encrypted = True
                elif word == "DATA":
                    say("354 go")
                    body = await reader.readuntil(b"\r\n.\r\n")
                    self.mails.append(email.message_from_bytes(body[:-5], policy=default))
                    self.encrypted.append(encrypted)
                    say("250 taken")
                elif word == "RCPT" and self._refuses and self._refuses in line:
                    say("550 no such box")
                elif word == "QUIT":
                    say("221 bye")
                    break
                elif word == "MAIL" and self._left <= 0:
                    break
                else:
                    self._left -= word == "MAIL"
                    say("250 ok")
        writer.close()

    def __enter__(self) -> Post:
        self._thread.start()
        self._ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost and its key, in one file."""
    folder = tmp_path_factory.mktemp("certificate")
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost "
        f"-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout {folder}/key.pem -out {folder}/cert.pem"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())
    return both


def context_of(certificate: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate)
    return made


@pytest.fixture
def sqlite_store(tmp_path: Path, open_url: Callable[[str], Store]) -> Store:
    made = open_url(str(tmp_path / "campaign.db"))
    made.create_campaign("news", seed=1, now=NOON)
    return made


def connect(server: Server) -> None:
    with letters.connected(server):
        pass


def test_letters_go_encrypted_to_everybody(
    sqlite_store: Store, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with Post(context_of(certificate)) as post:
        server = Server.at(f"localhost:{post.port}", sender="study@example.org")
        with letters.connected(server) as link:
            made = written(sqlite_store)
            assert letters.send(link, server, made, now=NOON) == {}
    assert post.encrypted == [True, True]
    assert [mail["To"] for mail in post.mails] == [
        "Žofie Nováková <zofie@example.org>",
        '"Jan, Ph.D." <jan@example.org>',
    ]
    assert made[0].link in post.mails[0].get_content()  # type: ignore[attr-defined]
    assert post.mails[0]["Subject"] == "Věty: pozvánka"
    assert post.mails[0]["Date"] == "Thu, 01 Jan 2026 12:00:00 +0000"


def test_a_server_with_a_certificate_that_nobody_knows_is_refused(certificate: Path) -> None:
    with Post(context_of(certificate)) as post, pytest.raises(KostraError, match="the mail server refused"):
        connect(Server.at(f"localhost:{post.port}", sender="study@example.org"))


def test_a_server_that_does_not_encrypt_is_refused_unless_it_is_said() -> None:
    with Post() as post:
        with pytest.raises(KostraError, match="does not encrypt"):
            connect(Server.at(f"127.0.0.1:{post.port}", sender="study@example.org"))
        connect(Server.at(f"127.0.0.1:{post.port}", sender="study@example.org", tls="none"))
    with pytest.raises(KostraError, match="cannot be reached"):
        connect(Server.at(f"127.0.0.1:{post.port}", sender="study@example.org", tls="none"))


def test_a_letter_that_is_not_taken_is_told_and_its_link_works_no_more(sqlite_store: Store) -> None:
    with Post(refuses="zofie@") as post:
        server = Server.at(f"127.0.0.1:{post.port}", sender="study@example.org", tls="none")
        with letters.connected(server) as link:
            made = written(sqlite_store)
            failed = letters.send(link, server, made, now=NOON)
    assert failed == {made[0]: "550 no such box"}
    letters.take_back(sqlite_store, "news", list(failed))
    with pytest.raises(KostraError, match="expired"):
        sqlite_store.redeem(made[0].link.rpartition("/")[2], lasts_until=NOON, now=NOON)
    assert [one.to.mail for one in written(sqlite_store)] == ["zofie@example.org"], "the next time it is tried again"


def test_a_connection_that_breaks_leaves_the_rest_unsent_and_told(sqlite_store: Store) -> None:
    with Post(dies_after=1) as post:
        server = Server.at(f"127.0.0.1:{post.port}", sender="study@example.org", tls="none")
        with letters.connected(server) as link:
            made = written(sqlite_store)
            failed = letters.send(link, server, made, now=NOON)
    assert list(failed) == made[1:]
    assert len(post.mails) == 1


@pytest.mark.parametrize(
    ("address", "sender"), [("host:port", "a@example.org"), (":25", "a@example.org"), ("h:25", "me")]
)
def test_an_address_that_is_none_is_refused(address: str, sender: str) -> None:
    with pytest.raises(KostraError):
        Server.at(address, sender=sender)
