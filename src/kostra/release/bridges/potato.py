"""Potato: a configuration (YAML) and data (JSONL) out, its ``annotated_instances.jsonl`` in.

Formats: https://potatoannotator.readthedocs.io. Potato shows a text as HTML, so what people see is escaped; the item
itself stands beside it. In its output an answer is ``{"question": {"label": value}}``, a text ``{"question":
{"text_box": …}}``, and the folder of the file is called by the annotator.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
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
DATA, CONFIG, OUTPUT = "data.jsonl", "config.yaml", "annotated_instances.jsonl"
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
    texts = {screen.key: _html(screen.item) for screen in screens}
    people: dict[str, list[dict[str, Any]]] = {}
    for reply in replies:
        people.setdefault(reply.annotator, []).append(_instance(reply, questions, texts))
    for name, instances in people.items():
        place = folder / "annotation_output" / quote(name, safe=" ")
        place.mkdir(parents=True, exist_ok=True)
        files.write_text(_jsonl(instances), place / OUTPUT)
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
        "output_annotation_dir": "annotation_output/",
        "output_annotation_format": "jsonl",
        "data_files": [DATA],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "max_annotations_per_item": phase.overlap,
        "annotation_schemes": schemes,
    }


def _boxes(question: Asked) -> list[str]:
    return [f"{_TEXT}_{number}" for number in range(1, question.several + 1)]


def _instance(reply: Reply, questions: Sequence[Asked], texts: dict[str, str]) -> dict[str, Any]:
    labels: dict[str, dict[str, str]] = {}
    for question in questions:
        raw = reply.given.get(question.name)
        if raw is None:
            continue
        if isinstance(raw, dict):
            labels[question.name + MARK] = {mark: "true" for mark, said in raw.items() if said}
        elif question.options:
            named = dict(question.options)
            values = raw if isinstance(raw, list) else [raw]
            labels[question.name] = {named.get(one, str(one)): "true" for one in values}
        elif question.several > 1:
            values = raw if isinstance(raw, list) else [raw]
            labels[question.name] = dict(zip(_boxes(question), values, strict=False))
        else:
            labels[question.name] = {_TEXT: raw}
    made: dict[str, Any] = {
        "id": reply.key,
        "displayed_text": texts.get(reply.key, ""),
        "label_annotations": labels,
        "span_annotations": [],
    }
    if reply.seconds is not None:
        minutes, seconds = divmod(round(reply.seconds), 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        made["behavioral_data"] = {"time_string": f"Time spent: {days}d {hours}h {minutes}m {seconds}s "}
    return made


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
    """The answers of one person's ``annotated_instances.jsonl``, or of one file with everybody's."""
    return [_reply(line, path, where) for where, line in _lines(path)]


def _reply(found: dict[str, Any], path: Path, where: str) -> Reply:
    labels = found.get("label_annotations")
    if not isinstance(labels, dict):
        raise KostraError(
            "this is no annotated instance of Potato", where=where, accepted='"id" and "label_annotations"'
        )
    marks = Marks()
    for name, held in labels.items():
        marks.add(str(name), _value(held))
    who = found.get("user_id") or found.get("user") or unquote(path.resolve().parent.name)
    behaviour = found.get("behavioral_data")
    spent = _TIME.search(str(behaviour.get("time_string", ""))) if isinstance(behaviour, dict) else None
    seconds = None
    if spent:
        days, hours, minutes, rest = (int(part) for part in spent.groups())
        seconds = float(((days * 24 + hours) * 60 + minutes) * 60 + rest)
    return Reply(
        str(found.get("id", found.get("instance_id", ""))), str(who), marks.given, seconds=seconds, where=where
    )


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
