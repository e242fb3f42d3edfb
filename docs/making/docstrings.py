"""Docstrings of the house's form (NumPy's) as Markdown."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator

from latex2mathml.converter import convert

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", flags=re.MULTILINE)
_LISTS = ("Parameters", "Returns", "Raises", "Yields", "Attributes")


def summary(text: str | None) -> str:
    """The first sentence or paragraph of a docstring, on one line."""
    return plain(" ".join(inspect.cleandoc(text or "").split("\n\n")[0].split()))


def sections(text: str | None) -> Iterator[tuple[str, str]]:
    r"""The parts of a docstring: title (empty for the first) and text.

    Examples
    --------
    >>> list(sections("A.\n\nReturns\n-------\nint\n    A number."))
    [('', 'A.'), ('Returns', 'int\n    A number.')]
    """
    pieces = _HEADING.split(inspect.cleandoc(text or ""))
    yield "", pieces[0].strip()
    yield from ((title, body.strip("\n")) for title, body in zip(pieces[1::2], pieces[2::2], strict=True))


def described(text: str | None) -> dict[str, str]:
    """What the part *Parameters* says, by name; names that share a line share the words."""
    body = dict(sections(text)).get("Parameters", "")
    return {name.strip(" `*"): words for names, words in _entries(body) for name in names.split(":")[0].split(",")}


def as_markdown(text: str | None, *, without: tuple[str, ...] = ()) -> str:
    """A docstring as Markdown: examples become code, lists of names become lists."""
    return "\n\n".join(part for title, body in sections(text) if title not in without for part in _part(title, body))


def _part(title: str, body: str) -> Iterator[str]:
    if title:
        yield f"**{title}**"
    if title in _LISTS:
        yield "\n".join(f"- `{names}`{': ' if words else ''}{words}" for names, words in _entries(body))
    else:
        yield from (_paragraph(one) for one in body.split("\n\n") if one.strip())


def _entries(body: str) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"\n(?=\S)", body):
        names, _, words = entry.partition("\n")
        if names.strip():
            yield names.strip(), plain(" ".join(words.split()))


def _paragraph(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{textwrap.dedent(text)}\n```"
    if text.startswith(".. math::"):
        return _formula(text.removeprefix(".. math::"), display="block")
    terms = re.findall(r"^(\S.*)\n((?:    .*(?:\n|$))+)", text, flags=re.MULTILINE)
    if terms and "".join(f"{term}\n{words}" for term, words in terms).strip() == text.strip():
        return "\n".join(f"- {plain(term)}: {plain(' '.join(words.split()))}" for term, words in terms)
    if text.rstrip().endswith("::"):
        return plain(text.rstrip()[:-1])
    if text.startswith("    "):
        return text
    return plain(re.sub(r"^\.\. (\[\d+\])", r"\1", text))


def _formula(tex: str, *, display: str) -> str:
    """A formula as MathML, which browsers draw without any script."""
    made: str = convert(" ".join(tex.split()), display=display)
    return made


def plain(text: str) -> str:
    """Roles and double backticks of a docstring as Markdown."""
    text = re.sub(r":math:`(.+?)`", lambda found: _formula(found[1], display="inline"), text)
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    return re.sub(r"(\[\d+\])_", r"\1", text)


def attribute_docs(cls: type) -> dict[str, str]:
    """What stands under each annotated name of a class and of the classes that it is made from."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("kostra"):
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(body, ast.ClassDef)
        for line, following in zip(body.body, [*body.body[1:], None], strict=True):
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                said = following.value if isinstance(following, ast.Expr) else None
                text = said.value if isinstance(said, ast.Constant) else None
                if isinstance(text, str):
                    found[line.target.id] = plain(" ".join(text.split()))
    return found
