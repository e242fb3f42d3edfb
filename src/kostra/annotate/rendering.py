"""Pages and fragments of the annotator's site, as pure functions from where somebody stands to HTML.

A page is ``base.html`` around one fragment. The fragment of a place (``place.html``) holds everything that changes from
item to item, so that the script can swap it in whole; a task's own template stands inside it. Texts are escaped, no
page has a script or a style in it, and nothing is asked of other hosts (`CONTENT_SECURITY_POLICY`).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader, StrictUndefined
from markupsafe import Markup

from kostra.annotate import languages, tasks
from kostra.annotate.store_office import Note
from kostra.annotate.tasks import Translate, drawing, reading
from kostra.annotate.tasks.text import paragraphs
from kostra.campaign.items import Item
from kostra.campaign.places import Answer, Feedback, Place
from kostra.campaign.protocol import Phase, Question
from kostra.campaign.questions import screen_of
from kostra.errors import KostraError

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""The header that goes with every page: nothing inline, nothing from elsewhere."""

STATIC = Path(__file__).parent / "static"
"""What the site serves under /static."""

SCRIPT_WORDS = {
    "sending": "Sending …",
    "saved": "Saved.",
    "drafted": "Draft kept.",
    "right": "Saved. That was a check question, and your answer was right.",
    "pending": "No connection. Answers kept on this device and not sent yet: {count}. They are sent by themselves as "
    "soon as the site can be reached.",
    "stored": "Saved. Everything is sent.",
    "session": "The site does not know you any more. Open your invitation link again: your answer is kept on this "
    "device and will be sent then.",
    "refused": "An earlier answer was not taken: {reason}",
    "mend": "Please look at what is marked.",
    "reported": "Thank you. Your report was sent.",
    "failed": "That did not work. Please try again.",
    "undone": "You may change your last answer.",
    "untouched": "no answer yet",
    "days": "{days} d {hours} h",
    "hours": "{hours} h {minutes} min",
    "minutes": "{minutes} min {seconds} s",
    "words_used": "used",
    "words_missing": "missing",
    "words_new": "new",
    "unchanged": "Nothing is changed yet: sent like this, it says that the sentence is fine.",
    "misspelt": "Unknown words: {words}",
    "chosen": "{name}: {text}",
}
"""What the script says, by name; the page carries it in the annotator's language."""


@dataclass(frozen=True)
class Site:
    """What all pages of a campaign share."""

    title: str
    words: Translate = tasks.ENGLISH
    payment: str = ""
    contact: str = ""


@dataclass(frozen=True)
class Around:
    """What a page has from the request that asked for it."""

    root: str = ""
    """Stands before every path of the site, where a proxy serves it under one of its own."""
    csrf: str = ""
    """What the forms of this session carry."""
    source: str = ""
    """The platform that sent the visitor, to which they go back when they have finished."""


_NOTHING = Around()
AROUND: ContextVar[Around] = ContextVar("around", default=_NOTHING)
"""Set by whoever takes the request (`kostra.annotate.hall`), so that every template has `root` and `csrf`."""


@dataclass(frozen=True)
class Filled:
    """What the fields of a screen hold, and what is wrong with which: from a draft or from a refused answer."""

    given: Mapping[str, Any]
    errors: Mapping[str, str]

    def value(self, name: str, row: int | None = None) -> str:
        """What stands in a field."""
        found = _bare(self.given.get(name))
        if row is not None:
            found = found[row - 1] if isinstance(found, list) and len(found) >= row else None
        return found if isinstance(found, str) else ""

    def has(self, name: str, option: str) -> bool:
        """Whether an option is chosen."""
        found = _bare(self.given.get(name))
        chosen = found if isinstance(found, list) else [found]
        return any(one == option or _is_number(one, option) for one in chosen)

    def impossible(self, name: str) -> bool:
        """Whether it is marked as impossible."""
        found = self.given.get(name)
        return isinstance(found, Mapping) and found.get("impossible") is True

    def rows(self, name: str) -> int:
        """How many rows of a list hold something."""
        found = _bare(self.given.get(name))
        return len(found) if isinstance(found, list) else 0


def _bare(found: Any) -> Any:
    return found.get("value") if isinstance(found, Mapping) else found


def _is_number(one: Any, option: str) -> bool:
    if isinstance(one, bool) or not isinstance(one, int | float) or not math.isfinite(one):
        return False
    return reading.number(float(one)) == option


@cache
def _environment() -> Environment:
    """One environment per process: it keeps the compiled templates."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("kostra.annotate"), FunctionLoader(_task_template)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(script_words=SCRIPT_WORDS, languages=languages.known, sentence=languages.sentence)
    return environment


def _task_template(name: str) -> str | None:
    """The template beside a task's module, also of one that is plugged in."""
    folder, _, file = name.partition("/")
    if folder != "tasks" or not file.endswith(".html"):
        return None
    try:
        module = tasks.task(file.removesuffix(".html"))
    except KostraError:
        return None
    path = Path(str(module.__file__)).with_suffix(".html")
    return path.read_text(encoding="utf-8") if path.is_file() else None


def render_place(
    place: Place,
    phase: Phase | None,
    site: Site,
    *,
    key: str,
    now: datetime,
    given: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
    draft_at: float = 0,
    recent: Sequence[float] = (),
    notes: Sequence[Note] = (),
) -> str:
    """The fragment of a place: an item to answer, a pause, a wait, or an end.

    Parameters
    ----------
    phase
        The phase of the place; none where it is in none.
    key
        A fresh random text: the idempotency key of the answer that this form will give.
    now
        The server's time, from which a countdown starts.
    given, errors
        What was typed before, from a draft or from an answer that was refused with these errors.
    draft_at
        The client's own time of that draft, as the draft holds it (``at``).
    recent
        Thinking times of this annotator's last answers, in seconds, for the time left.
    notes
        Messages that this annotator has not read.
    """
    shown = None
    if place.kind == "show" and place.item is not None and phase is not None:
        name = screen_of(place.item, phase)
        shown = {
            "task": name,
            "template": f"tasks/{name}.html",
            "view": tasks.view_of(place.item, phase, site.words),
            "item": place.item,
            "suggest": _suggestible(place.item) if phase.suggests else [],
            "may_skip": phase.may_skip and name not in ("text", "check"),
        }
    said = {name: site.words(message) for name, message in (errors or {}).items()}
    return _render(
        "place.html",
        site,
        place=place,
        phase=phase,
        shown=shown,
        key=key,
        filled=Filled(given if isinstance(given, Mapping) else {}, said),  # a draft is whatever a client has sent
        draft_at=draft_at,
        minutes_left=minutes_left(place, recent),
        notes=notes,
        seconds_left=_seconds_until(place.until, now) if place.kind in ("pause", "waiting") else None,
    )


def render_page(fragment: str, site: Site, *, owner: str = "", scripted: bool = True, status: str = "") -> str:
    """A whole page around a fragment.

    `owner` names campaign and annotator: under it the browser keeps drafts and answers that are not sent yet, so that
    two people at one computer never send each other's.
    """
    return _render("work.html", site, fragment=Markup(fragment), owner=owner, scripted=scripted, status=status)


def render_feedback(
    feedback: Feedback, item: Item, phase: Phase, answers: Mapping[str, Sequence[Answer]], site: Site
) -> str:
    """The fragment that tells a wrong answer to a gold question, with the right one, before work goes on."""
    questions = {question.name: question for question in phase.questions}
    told = []
    for name, right in feedback.known.items():
        question = questions.get(name) or Question(name=name)
        mine = [answer.value for answer in answers.get(name, []) if answer.value is not None]
        prompt = question.prompt_in.get(site.words.language) or question.prompt or _ask(name, site.words)
        if item.kind == "check":
            prompt = str(item.content.get("prompt", prompt))
        told.append(
            {
                "prompt": prompt,
                "given": [_spoken(value, question, item, site.words) for value in mine],
                "right": _spoken(right, question, item, site.words),
                "agrees": mine == [right],
            }
        )
    return _render("feedback.html", site, feedback=feedback, told=told, texts=_texts_of(item))


def render_problem(site: Site, *, phase: str = "", item: str = "", sent: bool = False) -> str:
    """The fragment with the form of a problem report, or the thanks for one: for pages without JavaScript."""
    return _render("problem.html", site, phase=phase, item=item, sent=sent)


def render_help(site: Site, *, texts: Sequence[tuple[str, str]] = ()) -> str:
    """The fragment of help: the instructions of the phase once more, as (title, text)."""
    return _render("help.html", site, texts=[(title, paragraphs(text)) for title, text in texts])


def render_message(site: Site, title: str, text: str, *, link: str = "") -> str:
    """A fragment that only says something: an invitation that is used up, a page that does not exist."""
    return _render("message.html", site, title=title, paragraphs=paragraphs(text), link=link)


def _render(template: str, site: Site, **values: Any) -> str:
    return render(template, site, **values)


def render(template: str, site: Site, **values: Any) -> str:
    """Any template of the site; it finds the words, and `root` and `csrf` of the request."""
    around = AROUND.get()
    shared = {"site": site, "words": site.words, "root": around.root, "csrf": around.csrf, "source": around.source}
    return _environment().get_template(template).render(shared | values)


def minutes_left(place: Place, recent: Sequence[float]) -> int | None:
    """Whole minutes that the rest of the block will take at the usual pace of the last answers.

    Examples
    --------
    >>> from kostra.campaign.places import Progress
    >>> minutes_left(Place("show", progress=Progress(done=10, of=50, block=1, blocks=2)), [10, 12, 90])
    8
    """
    if place.progress is None or place.progress.of is None or not recent:
        return None
    left = max(place.progress.of - place.progress.done, 0)
    return math.ceil(left * statistics.median(recent) / 60)


def _seconds_until(until: datetime | None, now: datetime) -> int | None:
    return None if until is None else max(0, math.ceil((until - now).total_seconds()))


def _suggestible(item: Item) -> list[dict[str, str]]:
    """The sentences of a pair, for each of which another wording may be suggested."""
    return [{"side": side, "text": item.content[f"text_{side}"]} for side in "ab" if f"text_{side}" in item.content]


def _spoken(value: str, question: Question, item: Item, words: Translate) -> str:
    """An answer in words: a label as it was shown, a chosen sentence by its letter and text."""
    for place, member in enumerate(item.content.get("members", ())):
        if member["item"] == value:
            text = " — ".join(str(member[name]) for name in ("text", "text_a", "text_b") if name in member)
            return f"{drawing.letter(place)}: {text}"
    for document in item.content.get("documents", ()):
        for sentence in document["sentences"]:
            if sentence["item"] == value:
                return str(sentence["text"])
    shown = drawing.drawn(question, words)["options"] if question.labels or question.low is not None else []
    for option in shown:
        if option["value"] == value:
            return " ".join(part for part in (option["number"], option["label"]) if part)
    return value


def _ask(name: str, words: Translate) -> str:
    known = {"best": words("Most"), "worst": words("Least")}
    return known.get(name, name.replace("_", " ").capitalize())


def _texts_of(item: Item) -> list[dict[str, str]]:
    """The texts that a feedback screen repeats."""
    if not {"text", "text_a"} & set(item.content):
        return []
    return drawing.sides(item.content)
