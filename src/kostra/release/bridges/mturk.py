"""Mechanical Turk: a batch's input (CSV) and a page (HTML) out, its results (CSV) in.

Amazon has announced that Mechanical Turk closes on 30 September 2026: this bridge is for existing result files, and
for whoever runs the same CSV and HTML elsewhere.

The input file is ASCII: Mechanical Turk refuses characters beyond the basic plane, and puts the cells into the page as
they are. So what people see stands there as HTML with numbered characters, and the item as JSON with escapes.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from kostra import files
from kostra.campaign.items import Item
from kostra.campaign.protocol import Phase
from kostra.errors import KostraError
from kostra.release.bridges.contract import (
    ITEM,
    KEY,
    MARK,
    SHOWN,
    Asked,
    Marks,
    Reply,
    Screen,
    asked,
    item_of,
    item_text,
    shown,
)

TITLE = "Mechanical Turk"
INPUT, PAGE, RESULTS = "input.csv", "template.html", "results.csv"
_ROW = re.compile(r"([a-z][a-z0-9_]*)-([1-9]\d{0,3})", re.ASCII)
_ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}
_ELEMENTS = "https://assets.crowd.aws/crowd-html-elements.js"
_FORM = "%a %b %d %H:%M:%S %Y"


def write(
    phase: Phase, screens: Sequence[Screen], folder: Path, *, title: str, replies: Sequence[Reply] = ()
) -> list[Path]:
    """Write ``input.csv`` and ``template.html``, and the replies as ``results.csv``."""
    questions = asked(phase, screens)
    rows = {
        screen.key: {KEY: _ascii(screen.key), ITEM: item_text(screen.item, ascii_only=True), SHOWN: _html(screen.item)}
        for screen in screens
    }
    made = [folder / INPUT, folder / PAGE]
    files.write_text(_csv([KEY, ITEM, SHOWN], list(rows.values())), made[0])
    files.write_text(_page(questions, title), made[1])
    if replies:
        made.append(folder / RESULTS)
        files.write_text(_results(replies, rows), made[-1])
    return made


def _csv(header: Sequence[str], rows: Sequence[dict[str, str]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, header, restval="", quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _ascii(text: str) -> str:
    """A text in ASCII, from which `_text` makes it again."""
    return json.dumps(text)


def _text(cell: str) -> str:
    try:
        found = json.loads(cell)
    except ValueError:
        return cell
    return found if isinstance(found, str) else cell


def _html(item: Item) -> str:
    parts = []
    for label, text in shown(item):
        body = _escaped(text).replace("\n", "<br>")
        parts.append(f'<p dir="auto">{f"<b>{_escaped(label)}</b> " if label else ""}{body}</p>')
    return "".join(parts).encode("ascii", "xmlcharrefreplace").decode()


def _escaped(text: str) -> str:
    """A text in HTML, in which no dollar sign opens a variable of the page."""
    return html.escape(text).replace("$", "&#36;")


def _page(questions: Sequence[Asked], title: str) -> str:
    # Their form sends what is in it, and brings its own button.
    lines = [f'<script src="{_ELEMENTS}"></script>', '<crowd-form answer-format="flatten-objects">']
    lines += [f"<h2>{_escaped(title)}</h2>", f"<div>${{{SHOWN}}}</div>"]
    for question in questions:
        lines.append(f"<fieldset><legend>{_escaped(question.prompt)}</legend>")
        needed = "" if question.marks else " required"
        for number in range(1, question.several + 1):
            name = question.name if question.several == 1 else f"{question.name}-{number}"
            needed = needed if number == 1 else ""
            if not question.options:
                lines.append(f'<textarea name="{name}" dir="auto" rows="2" cols="80"{needed}></textarea>')
            elif question.several == 1:
                lines += [
                    f'<label><input type="radio" name="{name}" value="{_escaped(code)}"{needed}> '
                    f"{_escaped(text)}</label>"
                    for code, text in question.options
                ]
        if question.options and question.several > 1:
            lines += [
                f'<label><input type="checkbox" name="{question.name}-{number}" value="{_escaped(code)}"> '
                f"{_escaped(text)}</label>"
                for number, (code, text) in enumerate(question.options, 1)
            ]
        lines += [
            f'<label><input type="checkbox" name="{question.name}{MARK}" value="{mark}"> {mark}</label>'
            for mark in question.marks
        ]
        lines.append("</fieldset>")
    lines.append("</crowd-form>")
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode() + "\n"


def _results(replies: Sequence[Reply], rows: dict[str, dict[str, str]]) -> str:
    made = []
    for reply in replies:
        moment = reply.answered_at
        row = {
            "HITId": "",
            "AssignmentId": reply.ident,
            "WorkerId": reply.annotator,
            "AssignmentStatus": "Rejected" if reply.discarded else "Approved",
            "SubmitTime": "" if moment is None else f"{moment.astimezone(UTC):%a %b %d %H:%M:%S} UTC {moment.year:04d}",
            "WorkTimeInSeconds": "" if reply.seconds is None else str(round(reply.seconds)),
        }
        row |= {f"Input.{name}": cell for name, cell in rows[reply.key].items()}
        for name, raw in reply.given.items():
            if isinstance(raw, dict):
                row[f"Answer.{name}{MARK}"] = "|".join(mark for mark, said in raw.items() if said)
            elif isinstance(raw, list):
                row |= {f"Answer.{name}-{number}": str(one) for number, one in enumerate(raw, 1)}
            else:
                row[f"Answer.{name}"] = str(raw)
        made.append(row)
    header = list(dict.fromkeys(name for row in made for name in row))
    return _csv(header, made)


# In ------------------------------------------------------------------------------------------------------


def read_items(path: Path) -> list[Item]:
    """The items of ``input.csv``."""
    records = files.read_records(path, kind="csv")
    where = files.shown(path)
    if ITEM not in records.header:
        raise KostraError("this is no input file that kostra made", where=where, accepted=f'a column "{ITEM}"')
    place = records.header.index(ITEM)
    return [item_of(row[place], where=f"{where}:{line}") for row, line in zip(records.rows, records.lines, strict=True)]


def read(path: Path) -> list[Reply]:
    """The assignments of a batch's results; rejected ones are discarded answers."""
    records = files.read_records(path, kind="csv")
    where = files.shown(path)
    for needed in ("WorkerId", f"Input.{KEY}"):
        if needed not in records.header:
            raise KostraError(
                f'these are no results of a batch that kostra made: they have no column "{needed}"',
                where=where,
                accepted="the CSV that Mechanical Turk gives for a batch",
            )
    return [
        _reply(dict(zip(records.header, row, strict=True)), f"{where}:{line}")
        for row, line in zip(records.rows, records.lines, strict=True)
    ]


def _reply(row: dict[str, str], where: str) -> Reply:
    marks = Marks()
    fields = {name.removeprefix("Answer."): cell for name, cell in row.items() if name.startswith("Answer.") and cell}
    fields = _task_answers(fields, where)
    several: dict[str, dict[int, Any]] = {}
    for name, cell in fields.items():
        numbered = _ROW.fullmatch(name)
        if numbered:
            several.setdefault(numbered[1], {})[int(numbered[2])] = cell
        else:
            marks.add(name, cell.split("|") if name.endswith(MARK) else cell)
    for name, cells in several.items():
        marks.add(name, [cells.get(number, "") for number in range(1, max(cells) + 1)])
    item = row.get(f"Input.{ITEM}")
    seconds = row.get("WorkTimeInSeconds", "").strip()
    return Reply(
        _text(row[f"Input.{KEY}"]),
        row["WorkerId"],
        marks.given,
        ident=row.get("AssignmentId", ""),
        discarded=row.get("AssignmentStatus", "").casefold() == "rejected",
        answered_at=_time(row.get("SubmitTime", "")),
        seconds=float(seconds) if seconds.isascii() and seconds.isdigit() else None,
        item=item_of(item, where=where) if item else None,
        where=where,
    )


def _task_answers(fields: dict[str, str], where: str) -> dict[str, Any]:
    """The answers of a page made with Amazon's own elements, which come as one JSON."""
    told = fields.pop("taskAnswers", None)
    if told is None:
        return _unflattened(fields)
    try:
        found = json.loads(told)
        answers = dict(found[0] if isinstance(found, list) else found)
    except (ValueError, TypeError, IndexError):
        raise KostraError("Answer.taskAnswers is no JSON object", where=where) from None
    for name, held in answers.items():
        if isinstance(held, dict):  # a choice: {"3": false, "4": true}
            answers[name] = "|".join(label for label, chosen in held.items() if chosen is True)
    return {**fields, **{str(name): str(value) for name, value in answers.items() if value not in ("", None)}}


def _unflattened(fields: dict[str, str]) -> dict[str, Any]:
    """The answers of such a page whose choices come as a column each: ``similarity.3`` with true or false.

    Examples
    --------
    >>> _unflattened({"similarity.3": "false", "similarity.4": "true", "remark": "true"})
    {'similarity': '4', 'remark': 'true'}
    """
    found: dict[str, Any] = {}
    for name, cell in fields.items():
        question, dot, code = name.partition(".")
        if not dot or cell.casefold() not in ("true", "false"):
            found[name] = cell
        elif cell.casefold() == "true":
            found[question] = f"{found[question]}|{code}" if question in found else code
    return found


def _time(said: str) -> datetime | None:
    """A time as Mechanical Turk writes it; None where there is none.

    Examples
    --------
    >>> _time("Mon Jul 02 10:33:37 PDT 2018").isoformat()
    '2018-07-02T17:33:37+00:00'
    """
    parts = said.split()
    if len(parts) != 6 or parts[4] not in _ZONES:
        return None
    zone = timezone(timedelta(hours=_ZONES[parts[4]]))
    try:
        moment = datetime.strptime(" ".join([*parts[:4], parts[5]]), _FORM).replace(tzinfo=zone)
    except ValueError:
        return None
    return moment.astimezone(UTC)
