"""Label Studio: tasks (JSON) and a labeling interface (XML) out, its JSON export in.

Formats: https://labelstud.io/guide/task_format and https://labelstud.io/guide/export (the format called JSON). Scales
and choices are ``Choices`` whose ``alias`` is our value, texts are ``TextArea``; what may be said instead of an answer
stands in ``Choices`` of its own, called ``question-mark``.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET  # written only: what is read is JSON
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kostra import files
from kostra.campaign.items import Item
from kostra.campaign.material import item_to_json
from kostra.campaign.protocol import Phase
from kostra.errors import KostraError
from kostra.release.bridges.contract import ITEM, KEY, MARK, SHOWN, Asked, Marks, Reply, Screen, asked, item_of, shown

TITLE = "Label Studio"
_SCREEN = "screen"
_BLANKS = re.compile(r"[ \t\n\r]*")


def write(
    phase: Phase, screens: Sequence[Screen], folder: Path, *, title: str, replies: Sequence[Reply] = ()
) -> list[Path]:
    """Write ``tasks.json``, with the replies as annotations, and ``labeling_config.xml``."""
    questions = asked(phase, screens)
    given: dict[str, list[Reply]] = {}
    for reply in replies:
        given.setdefault(reply.key, []).append(reply)
    tasks = [
        {
            "data": {KEY: screen.key, SHOWN: _text(screen.item), ITEM: item_to_json(screen.item)},
            "annotations": [_annotation(reply, questions) for reply in given.get(screen.key, [])],
        }
        for screen in screens
    ]
    made = [folder / "tasks.json", folder / "labeling_config.xml"]
    files.write_text(json.dumps(tasks, ensure_ascii=False, indent=1) + "\n", made[0])
    files.write_text(_config(questions, title), made[1])
    return made


def _text(item: Item) -> str:
    return "\n\n".join(f"{label}: {text}" if label else text for label, text in shown(item))


def _config(questions: Sequence[Asked], title: str) -> str:
    view = ET.Element("View")
    ET.SubElement(view, "Header", value=title)
    ET.SubElement(view, "Text", name=_SCREEN, value=f"${SHOWN}")
    for question in questions:
        needed = "false" if question.marks else "true"
        ET.SubElement(view, "Header", value=question.prompt, size="4")
        about = {"name": question.name, "toName": _SCREEN, "required": needed}
        if question.options:
            choice = "single-radio" if question.several == 1 else "multiple"
            _choices(view, about | {"choice": choice}, question.options)
        else:
            ET.SubElement(view, "TextArea", about | {"maxSubmissions": str(question.several), "editable": "true"})
        if question.marks:
            marks = {"name": question.name + MARK, "toName": _SCREEN, "choice": "single", "required": "false"}
            _choices(view, marks, [(mark, mark) for mark in question.marks])
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"


def _choices(view: ET.Element, about: dict[str, str], options: Sequence[tuple[str, str]]) -> None:
    choices = ET.SubElement(view, "Choices", about)
    for code, text in options:
        ET.SubElement(choices, "Choice", value=text, alias=code)


def _annotation(reply: Reply, questions: Sequence[Asked]) -> dict[str, Any]:
    results = []
    for question in questions:
        raw = reply.given.get(question.name)
        if raw is None:
            continue
        name, kind, values = question.name, "textarea", raw if isinstance(raw, list) else [raw]
        if isinstance(raw, dict):
            name, kind, values = question.name + MARK, "choices", [mark for mark, said in raw.items() if said]
        elif question.options:
            kind = "choices"
        value = {"choices" if kind == "choices" else "text": values}
        results.append({"from_name": name, "to_name": _SCREEN, "type": kind, "value": value})
    made: dict[str, Any] = {
        "completed_by": {"email": reply.annotator},
        "was_cancelled": reply.discarded,
        "result": results,
        "unique_id": reply.ident,
    }
    if reply.answered_at is not None:
        made |= {"created_at": reply.answered_at.isoformat(), "updated_at": reply.answered_at.isoformat()}
    return made | ({"lead_time": reply.seconds} if reply.seconds is not None else {})


# In ------------------------------------------------------------------------------------------------------


def _tasks(path: Path) -> list[tuple[str, dict[str, Any]]]:
    where = files.shown(path)
    text = files.decode(files.read_bytes(path), where=where, normalise=False)
    found: list[tuple[str, dict[str, Any]]] = []
    for line, task in _elements(text, where):
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise KostraError(
                "this is no task of Label Studio",
                where=f"{where}:{line}",
                accepted='its export in the format "JSON" (not JSON-MIN)',
            )
        found.append((f"{where}:{line} (task {task.get('id', len(found) + 1)})", task))
    return found


def _elements(text: str, where: str) -> Iterator[tuple[int, Any]]:
    """The elements of a list in JSON, each with the line on which it begins."""
    decoder = json.JSONDecoder()
    place = _behind_blanks(text, 0)
    if text[place : place + 1] != "[":
        raise KostraError("this is no list in JSON", where=f"{where}:1", accepted='an export in the format "JSON"')
    place = _behind_blanks(text, place + 1)
    line = 1 + text.count("\n", 0, place)
    empty = text[place : place + 1] == "]"
    while not empty:
        try:
            value, end = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise KostraError(f"this is not JSON: {error.msg}", where=f"{where}:{error.lineno}") from None
        except RecursionError:
            raise KostraError("this is nested too deeply", where=f"{where}:{line}") from None
        yield line, value
        end = _behind_blanks(text, end)
        if text[end : end + 1] == "]":
            break
        if text[end : end + 1] != ",":
            at = line + text.count("\n", place, end)
            raise KostraError("this is not JSON: the list neither goes on nor ends here", where=f"{where}:{at}")
        after = _behind_blanks(text, end + 1)
        line += text.count("\n", place, after)
        place = after


def _behind_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


def read_items(path: Path) -> list[Item]:
    """The items of ``tasks.json``."""
    return [item_of(task["data"].get(ITEM), where=where) for where, task in _tasks(path)]


def read(path: Path) -> list[Reply]:
    """The annotations of an export; drafts and predictions are no answers."""
    replies = []
    for where, task in _tasks(path):
        data = task["data"]
        item = item_of(data[ITEM], where=where) if ITEM in data else None
        for annotation in task.get("annotations") or []:
            if not isinstance(annotation, dict):
                raise KostraError("this annotation is no object", where=where)
            replies.append(_reply(str(data.get(KEY, "")), annotation, item, where))
    return replies


def _reply(key: str, found: dict[str, Any], item: Item | None, where: str) -> Reply:
    marks = Marks()
    for result in found.get("result") or []:
        value = result.get("value") if isinstance(result, dict) else None
        if not isinstance(value, dict):
            continue
        held = next((value[kind] for kind in ("choices", "text", "rating", "number") if kind in value), None)
        values = held if isinstance(held, list) else [held]
        name = str(result.get("from_name", ""))
        marks.add(name, values[0] if len(values) == 1 else values)
    who = found.get("completed_by")
    named = who.get("email") or who.get("id") if isinstance(who, dict) else who
    moment = found.get("updated_at") or found.get("created_at")
    seconds = found.get("lead_time")
    return Reply(
        key,
        "" if named is None else str(named),
        marks.given,
        ident=str(found.get("unique_id") or found.get("id") or ""),
        discarded=bool(found.get("was_cancelled")),
        answered_at=_time(moment),
        seconds=float(seconds) if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) else None,
        item=item,
        where=where,
    )


def _time(said: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
