"""Text that came from people, made safe to stand in Markdown and YAML.

A title with ``---`` in it must not end the front matter, and a sentence with ``|`` must not open a table cell. In the
card's template everything printed by ``{{ … }}`` is escaped (`inline`) unless it was marked `Safe`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_SPECIAL = re.compile(r"[\\`*\[\]<>|~&$]|(?<!\w)_|_(?!\w)")
_BEGINS_A_BLOCK = re.compile(r"^[#+\-=:]")
_BEGINS_A_LIST = re.compile(r"^(\d+)([.)])(?=\s|$)")
# JSON leaves these bare inside a string; YAML reads them as line breaks or refuses them.
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Safe(str):
    """Markdown of our own making, which is printed as it stands."""

    __slots__ = ()


def inline(text: str) -> Safe:
    r"""Make any text one line of plain Markdown: white space shrinks to blanks, marks are escaped.

    Examples
    --------
    >>> print(inline("# a | b\n---\n`split_half` <b>"))
    \# a \| b --- \`split_half\` \<b\>
    """
    line = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
    return Safe(_BEGINS_A_LIST.sub(r"\1\\\2", _BEGINS_A_BLOCK.sub(r"\\\g<0>", line)))


def code(text: str) -> Safe:
    r"""A code span that may stand in a table cell.

    Examples
    --------
    >>> print(code("label_entailment"), code("a`b|c"))
    `label_entailment` `` a`b\|c ``
    """
    line = " ".join(text.split()).replace("|", r"\|")
    if "`" not in line:
        return Safe(f"`{line}`")
    fence = _longer_than_any(line, least=1)
    return Safe(f"{fence} {line} {fence}")


def fenced(text: str) -> Safe:
    r"""A block that shows text as it stands, whatever backticks it holds.

    Examples
    --------
    >>> print(fenced("one\n```\ntwo"))
    ````text
    one
    ```
    two
    ````
    """
    fence = _longer_than_any(text, least=3)
    return Safe(f"{fence}text\n{text.strip()}\n{fence}")


def _longer_than_any(text: str, *, least: int) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def short(text: str, most: int = 100) -> str:
    """The beginning of a text, for an example in the card.

    Examples
    --------
    >>> short("one two three", most=8)
    'one two…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def yaml_block(value: Mapping[str, Any] | Sequence[Any], *, indent: str = "") -> str:
    """Write mappings and lists as block YAML, each scalar quoted as in JSON.

    Examples
    --------
    >>> print(yaml_block({"pretty_name": "a: b", "language": ["en"], "configs": [{"name": "x", "default": True}]}))
    pretty_name: "a: b"
    language:
    - "en"
    configs:
    - name: "x"
      default: true
    """
    if isinstance(value, Mapping):
        return "\n".join(f"{indent}{key}:{_under(item, indent)}" for key, item in value.items())
    return "\n".join(f"{indent}- {_beside_dash(item, indent)}" for item in value)


def _under(item: Any, indent: str) -> str:
    if isinstance(item, Mapping):
        return "\n" + yaml_block(item, indent=indent + "  ")
    if isinstance(item, list):
        return "\n" + yaml_block(item, indent=indent)
    return f" {_scalar(item)}"


def _beside_dash(item: Any, indent: str) -> str:
    return yaml_block(item, indent=indent + "  ").lstrip() if isinstance(item, Mapping) else _scalar(item)


def _scalar(value: Any) -> str:
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def render(template: str, facts: Mapping[str, Any]) -> str:
    """Fill a template of this room; what it prints is escaped unless it is `Safe`."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # that would be HTML; `finalize` escapes Markdown
    )
    environment.filters |= {"code": code, "fenced": fenced, "short": short, "count": count}
    return environment.get_template(template).render(facts)


def _finalize(value: Any) -> Any:
    return inline(value) if isinstance(value, str) and not isinstance(value, Safe) else value


def count(number: int, noun: str) -> Safe:
    """A number with its noun.

    Examples
    --------
    >>> print(count(1, "pair"), count(2880, "answer"))
    1 pair 2,880 answers
    """
    return Safe(f"{number:,} {noun}{'' if number == 1 else 's'}")
