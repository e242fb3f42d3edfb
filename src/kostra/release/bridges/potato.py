"""Potato: a configuration (YAML) and data (JSONL) out, its annotators' ``user_state.json`` in.

Formats: https://potatoannotator.readthedocs.io, held against Potato 2.12 itself. Potato shows a text as HTML, so what
people see is escaped; the item itself stands beside it. Potato 2 keeps a file per person, in a folder called by the
person: per instance a list of ``[{"schema": question, "name": label}, value]``, a text under the name ``text_box``. Its
export (``exports/jsonl/annotations.jsonl``) has the same as ``{"question": {"label": value}}``, and so has the
``annotated_instances.jsonl`` of Potato 1; both are read too, and tell no times.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from kostra import files
from kostra.campaign.items import Item
from kostra.campaign.material import item_to_json
from kostra.campaign.protocol import Phase
from kostra.errors import KostraError
from kostra.release.bridges.contract import ITEM, MARK, Asked, Marks, Reply, Screen, asked, item_of, shown
from kostra.release.markup import yaml_block

TITLE = "Potato"
DATA, CONFIG, OUTPUT_FOLDER, OUTPUT = "data.jsonl", "config.yaml", "annotation_output", "user_state.json"
_BY_INSTANCE = "instance_id_to_label_to_value"
_TEXT = "text_box"
_BOX = re.compile(_TEXT + r"_([1-9]\d{0,3})", re.ASCII)
_TIME = re.compile(r"Time spent: (\d+)d (\d+)h (\d+)m (\d+)s")


def write(
    phase: Phase, screens: Sequence[Screen], folder: Path, *, title: str, replies: Sequence[Reply] = ()
) -> list[Path]:
    """Write ``config.yaml`` and ``data.jsonl``, and the replies below ``annotation_output/``, a folder per person."""
    questions = asked(phase, screens)
    lines = [{"id": screen.key, "text": _html(screen.item), ITEM: item_to_json(screen.item)} for screen in screens]
    made = [folder / CONFIG, folder / DATA]
    files.write_text(yaml_block(_config(phase, questions, title)) + "\n", made[0])
    files.write_text(_jsonl(lines), made[1])
    people: dict[str, list[Reply]] = {}
    for reply in replies:
        people.setdefault(reply.annotator, []).append(reply)
    for name, given in people.items():
        if not name:
            raise KostraError(f"{len(given):,} answers do not say whose they are: Potato keeps a file per person")
        place = folder / OUTPUT_FOLDER / quote(name, safe=" @")
        place.mkdir(parents=True, exist_ok=True)
        files.write_text(json.dumps(_state(name, given, questions), indent=2) + "\n", place / OUTPUT)
        made.append(place / OUTPUT)
    return made


def _jsonl(lines: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=True) + "\n" for line in lines)


def _html(item: Item) -> str:
    def escaped(text: str) -> str:
        return html.escape(text).replace("\n", "<br>")

    parts = [f"<b>{escaped(label)}</b> {escaped(text)}" if label else escaped(text) for label, text in shown(item)]
    return "".join(f'<p dir="auto">{part}</p>' for part in parts)


def _config(phase: Phase, questions: Sequence[Asked], title: str) -> dict[str, Any]:
    schemes: list[dict[str, Any]] = []
    for question in questions:
        needed = {"required": not question.marks}
        about = {"name": question.name, "description": question.prompt, "label_requirement": needed}
        if question.options:
            kind = "radio" if question.several == 1 else "multiselect"
            schemes.append({"annotation_type": kind, **about, "labels": [text for _, text in question.options]})
        else:
            boxes = {"labels": _boxes(question)} if question.several > 1 else {}
            schemes.append({"annotation_type": "text", **about, **boxes})
        if question.marks:
            name = question.name + MARK
            marks = {"name": name, "description": f"{question.prompt} (instead of an answer)"}
            schemes.append({"annotation_type": "multiselect", **marks, "labels": list(question.marks)})
    return {
        "annotation_task_name": title,
        "task_dir": ".",
        "output_annotation_dir": f"{OUTPUT_FOLDER}/",
        "export_annotation_format": "jsonl",
        "data_files": [DATA],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "max_annotations_per_item": phase.overlap,
        "annotation_schemes": schemes,
    }


def _boxes(question: Asked) -> list[str]:
    return [f"{_TEXT}_{number}" for number in range(1, question.several + 1)]


def _state(name: str, replies: Sequence[Reply], questions: Sequence[Asked]) -> dict[str, Any]:
    return {
        "user_id": name,
        "instance_id_ordering": [reply.key for reply in replies],
        "instance_id_to_label_to_value": {reply.key: _labels(reply, questions) for reply in replies},
        "instance_id_to_behavioral_data": {reply.key: _behaviour(reply) for reply in replies},
    }


def _labels(reply: Reply, questions: Sequence[Asked]) -> list[Any]:
    found: list[tuple[str, str, str]] = []
    for question in questions:
        raw = reply.given.get(question.name)
        values = raw if isinstance(raw, list) else [] if raw is None else [raw]
        if isinstance(raw, dict):
            found += [(question.name + MARK, mark, mark) for mark, said in raw.items() if said]
        elif question.options:
            named = dict(question.options)
            found += [(question.name, named.get(one, str(one)), named.get(one, str(one))) for one in values]
        elif question.several > 1:
            found += [(question.name, box, one) for box, one in zip(_boxes(question), values, strict=False)]
        else:
            found += [(question.name, _TEXT, one) for one in values]
    return [[{"schema": schema, "name": label}, value] for schema, label, value in found]


def _behaviour(reply: Reply) -> dict[str, Any]:
    made: dict[str, Any] = {"instance_id": reply.key}
    if reply.answered_at is not None:
        made["session_end"] = reply.answered_at.timestamp()
        made["session_start"] = made["session_end"] - (reply.seconds or 0)
    return made | ({"total_time_ms": round(reply.seconds * 1000)} if reply.seconds is not None else {})


# In ------------------------------------------------------------------------------------------------------


def _lines(path: Path) -> list[tuple[str, dict[str, Any]]]:
    found = []
    text = files.decode(files.read_bytes(path), where=files.shown(path), normalise=False)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{files.shown(path)}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise KostraError(f"this line is not JSON: {error}", where=where) from None
        if not isinstance(value, dict):
            raise KostraError("this line is not a JSON object", where=where)
        found.append((where, value))
    return found


def read_items(path: Path) -> list[Item]:
    """The items of ``data.jsonl``."""
    return [item_of(line.get(ITEM), where=where) for where, line in _lines(path)]


def read(path: Path) -> list[Reply]:
    """The answers of one person's ``user_state.json``, or of a file of lines with one person's or everybody's."""
    text = files.decode(files.read_bytes(path), where=files.shown(path), normalise=False)
    try:
        state = json.loads(text)
    except (ValueError, RecursionError):
        state = None
    if isinstance(state, dict) and isinstance(state.get(_BY_INSTANCE), dict):
        return _of_state(state, path, text)
    return [_of_line(line, path, where) for where, line in _lines(path)]


def _of_state(state: dict[str, Any], path: Path, text: str) -> list[Reply]:
    behaviours = state.get("instance_id_to_behavioral_data")
    begin = text.index(f'"{_BY_INSTANCE}"')
    replies = []
    for key, listed in state[_BY_INSTANCE].items():
        place = max(text.find(json.dumps(key), begin), text.find(json.dumps(key, ensure_ascii=False), begin), begin)
        where = f"{files.shown(path)}:{text.count(chr(10), 0, place) + 1}"
        labels: dict[str, dict[str, Any]] = {}
        for entry in listed if isinstance(listed, list) else [None]:
            if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], dict):
                raise KostraError("this is no list of labels and values", where=where)
            labels.setdefault(str(entry[0].get("schema")), {})[str(entry[0].get("name"))] = entry[1]
        behaviour = behaviours.get(key) if isinstance(behaviours, dict) else None
        told = behaviour if isinstance(behaviour, dict) else {}
        end, spent = (told.get(name) for name in ("session_end", "total_time_ms"))
        replies.append(
            Reply(
                str(key),
                str(state.get("user_id") or unquote(path.resolve().parent.name)),
                _given(labels),
                answered_at=datetime.fromtimestamp(end, UTC) if isinstance(end, (int, float)) and end > 0 else None,
                seconds=spent / 1000 if isinstance(spent, (int, float)) else None,
                where=where,
            )
        )
    return replies


def _of_line(found: dict[str, Any], path: Path, where: str) -> Reply:
    labels = found.get("label_annotations", found.get("labels"))
    if not isinstance(labels, dict):
        raise KostraError(
            "this is no annotated instance of Potato",
            where=where,
            accepted='user_state.json, or lines with "instance_id" and "labels" (or "id" and "label_annotations")',
        )
    who = found.get("user_id") or found.get("user") or unquote(path.resolve().parent.name)
    behaviour = found.get("behavioral_data")
    spent = _TIME.search(str(behaviour.get("time_string", ""))) if isinstance(behaviour, dict) else None
    seconds = None
    if spent:
        days, hours, minutes, rest = (int(part) for part in spent.groups())
        seconds = float(((days * 24 + hours) * 60 + minutes) * 60 + rest)
    key = str(found.get("instance_id", found.get("id", "")))
    return Reply(key, str(who), _given(labels), seconds=seconds, where=where)


def _given(labels: Mapping[str, Any]) -> dict[str, Any]:
    marks = Marks()
    for name, held in labels.items():
        marks.add(str(name), _value(held))
    return marks.given


def _value(held: Any) -> Any:
    """One schema's answer: the text, several of them, the chosen label, or several of those."""
    if not isinstance(held, dict):
        return held
    if set(held) == {_TEXT}:
        return held[_TEXT]
    boxes = {int(found[1]): value for name, value in held.items() if (found := _BOX.fullmatch(str(name)))}
    if boxes and len(boxes) == len(held):
        return [boxes.get(number, "") for number in range(1, max(boxes) + 1)]
    # Potato has written "true", "on", the label or its number for a label that was chosen.
    chosen = [str(name) for name, value in held.items() if value not in (False, None, "", "false")]
    return chosen[0] if len(chosen) == 1 else chosen
