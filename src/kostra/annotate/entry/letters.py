"""A class list: people with names and mail addresses, each of whom is written a letter with a link of their own."""

from __future__ import annotations

import contextlib
import csv
import os
import re
import smtplib
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, make_msgid
from pathlib import Path
from typing import Literal

from kostra.annotate.store import Store
from kostra.annotate.store_people import Naming
from kostra.annotate.wholly import replacing
from kostra.campaign.admission import Letter as Wording
from kostra.errors import KostraError
from kostra.files import read_text, separator_of, shown

Tls = Literal["starttls", "ssl", "none"]
_MAIL = re.compile(r"[^\s@<>,;:\"()\[\]\\]+@[^\s@<>,;:\"()\[\]\\]+\.[^\s@<>,;:\"()\[\]\\.]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TIMEOUT = 30

WORDINGS = {
    "en": (
        "{title}: your invitation",
        "Dear {name},\n\nyou are invited to take part in “{title}”. This is your own link; please do not pass it "
        "on:\n\n{link}\n\nIt brings you back to where you were whenever you open it. Your name is not stored with "
        "your answers.",
        "Questions? Write to {contact}.",
    ),
    "cs": (
        "{title}: pozvánka",
        "Dobrý den, {name},\n\nzveme Vás k účasti ve studii „{title}“. Toto je Váš vlastní odkaz, nepředávejte ho "
        "prosím dál:\n\n{link}\n\nKdykoli ho otevřete, vrátí Vás tam, kde jste skončili. Vaše jméno se neukládá "
        "k odpovědím.",
        "S dotazy se obraťte na {contact}.",
    ),
    "pl": (
        "{title}: zaproszenie",
        "Dzień dobry, {name},\n\nzapraszamy do udziału w badaniu „{title}”. To jest osobisty odnośnik; prosimy go nie "
        "przekazywać dalej:\n\n{link}\n\nPo otwarciu wraca się zawsze do miejsca, w którym praca została przerwana. "
        "Imię i nazwisko nie są zapisywane razem z odpowiedziami.",
        "W razie pytań prosimy pisać na adres {contact}.",
    ),
}
"""Subject, text, and the line about whom to ask, which is left out where nobody is named."""


@dataclass(frozen=True)
class Invited:
    """Somebody on a list."""

    name: str
    mail: str


@dataclass(frozen=True)
class Letter:
    """What is sent to one person."""

    to: Invited
    annotator: str
    link: str
    subject: str
    text: str


def read_list(path: str | Path) -> list[Invited]:
    """The people of a CSV file with the columns name and mail, in its order; the mark may be a semicolon."""
    where = shown(path)
    text = read_text(path)
    rows = csv.DictReader(text.splitlines(), strict=True, delimiter=separator_of(text))
    found: list[Invited] = []
    seen: dict[str, int] = {}
    try:
        columns = [name.strip().casefold() for name in rows.fieldnames or ()]
        if not {"name", "mail"} <= set(columns):
            listed = ", ".join(rows.fieldnames or ()) or "nothing"
            raise KostraError(f"the columns are {listed}", where=where, accepted="name,mail")
        rows.fieldnames = columns
        for row in rows:
            person = _checked(row, f"{where}:{rows.line_num}")
            before = seen.setdefault(person.mail.casefold(), rows.line_num)
            if before != rows.line_num:
                raise KostraError(f"{person.mail} stands in line {before} already", where=f"{where}:{rows.line_num}")
            found.append(person)
    except csv.Error as error:
        raise KostraError(f"this is not valid CSV: {error}", where=f"{where}:{rows.line_num}") from None
    if not found:
        raise KostraError("there is nobody on this list", where=where, accepted="one person a line: name,mail")
    return found


def _checked(row: Mapping[str, str | None], where: str) -> Invited:
    name, mail = (" ".join((row.get(column) or "").split()) for column in ("name", "mail"))
    if not _MAIL.fullmatch(mail):
        raise KostraError(f'"{mail}" is no mail address', where=where, accepted="somebody@example.org")
    if not name or _CONTROL.search(name):
        raise KostraError(f'"{name}" is no name', where=where, accepted="a name")
    return Invited(name, mail)


def wording(given: Wording, language: str, *, contact: str) -> tuple[str, str]:
    """Subject and text of a letter, as the recipe says it or as we do.

    Examples
    --------
    >>> wording(Wording(subject="Come!"), "cs", contact="")[0]
    'Come!'
    >>> wording(Wording(), "de", contact="me@example.org")[1].endswith("Write to {contact}.")
    True
    """
    subject, text, ask = WORDINGS.get(language, WORDINGS["en"])
    return given.subject or subject, given.text or (f"{text}\n\n{ask}" if contact else text)


def write_letters(
    store: Store,
    campaign: str,
    people: Sequence[Invited],
    *,
    url: str,
    title: str,
    contact: str,
    words: tuple[str, str],
    naming: Naming | None,
    expires_at: datetime | None,
    again: bool,
    now: datetime,
) -> tuple[list[Letter], list[Invited]]:
    """A letter for everybody on a list who was not invited yet, and those who were.

    People get a pseudonym here; name and address are kept apart from it (`Store.contact`).

    Parameters
    ----------
    words
        Subject and text.
    again
        Whether those who were invited before get another link.
    """
    known = {one.mail.casefold(): one.annotator for one in store.contacts(campaign) if one.mail}
    letters, before = [], []
    for person in people:
        annotator = known.get(person.mail.casefold())
        if annotator is not None and not again:
            before.append(person)
            continue
        if annotator is None:
            annotator = store.add_annotator(campaign, name=naming, now=now)
            store.set_contact(campaign, annotator, name=person.name, mail=person.mail, source="list", now=now)
        (token,) = store.invite(campaign, annotator=annotator, expires_at=expires_at, source="list", now=now)
        link = f"{url.rstrip('/')}/join/{token}"
        filled = {"name": person.name, "link": link, "title": title, "contact": contact}
        subject, text = (part.format(**filled) for part in words)
        letters.append(Letter(person, annotator, link, " ".join(subject.split()), text))
    return letters, before


def save_letters(letters: Sequence[Letter], path: str | Path) -> None:
    """Write letters to a file that only its owner may read: CSV for a mail merge, or text to be copied."""
    target = Path(path)
    with replacing(target, private=True) as part:  # whoever has a link comes in
        if target.suffix == ".csv":
            with part.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream)
                writer.writerow(["name", "mail", "link", "subject", "text"])
                writer.writerows([one.to.name, one.to.mail, one.link, one.subject, one.text] for one in letters)
        else:
            part.write_text("\n".join(_as_text(one) for one in letters), encoding="utf-8")


def _as_text(letter: Letter) -> str:
    line = "-" * 72
    return f"{line}\nTo: {letter.to.name} <{letter.to.mail}>\nSubject: {letter.subject}\n\n{letter.text}\n"


# Sending -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Server:
    """Through which letters go."""

    host: str
    port: int
    tls: Tls
    sender: str
    user: str = ""

    @classmethod
    def at(cls, address: str, *, sender: str, user: str = "", tls: Tls | None = None) -> Server:
        """The server at an address such as ``mail.example.org:587``; encrypted unless it is said otherwise.

        Examples
        --------
        >>> Server.at("mail.example.org", sender="a@example.org").port
        587
        >>> Server.at("mail.example.org:465", sender="a@example.org").tls
        'ssl'
        """
        host, colon, port = address.rpartition(":")
        if not colon:
            host, port = address, "587"
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise KostraError(f'"{address}" is no mail server', accepted="host:port, such as mail.example.org:587")
        if not _MAIL.fullmatch(sender):
            raise KostraError(f'"{sender}" is no mail address to send from', accepted="--from somebody@example.org")
        return cls(host.strip("[]"), int(port), tls or ("ssl" if port == "465" else "starttls"), sender, user)


@contextlib.contextmanager
def connected(server: Server) -> Iterator[smtplib.SMTP]:
    """A connection to a mail server, encrypted and logged in, before anything is written to anybody."""
    where = f"{server.host}:{server.port}"
    try:
        if server.tls == "ssl":
            context = ssl.create_default_context()
            link: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=_TIMEOUT, context=context)
        else:
            link = smtplib.SMTP(server.host, server.port, timeout=_TIMEOUT)
    except (OSError, smtplib.SMTPException) as error:
        raise KostraError(f"the mail server cannot be reached: {_reason(error)}", where=where) from None
    try:
        try:
            if server.tls == "starttls":
                link.starttls(context=ssl.create_default_context())
            if server.user:
                link.login(server.user, os.environ.get("KOSTRA_SMTP_PASSWORD", ""))
        except smtplib.SMTPNotSupportedError:
            raise KostraError(
                "the mail server does not encrypt, or lets nobody log in",
                where=where,
                remedy="another port, or --smtp-tls none inside a network that you trust",
            ) from None
        except smtplib.SMTPAuthenticationError:
            raise KostraError(
                f'the mail server does not let "{server.user}" in',
                where=where,
                remedy="the password is read from KOSTRA_SMTP_PASSWORD",
            ) from None
        except (OSError, smtplib.SMTPException) as error:
            raise KostraError(f"the mail server refused: {_reason(error)}", where=where) from None
        yield link
    finally:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            link.quit()


def send(link: smtplib.SMTP, server: Server, letters: Sequence[Letter], *, now: datetime) -> dict[Letter, str]:
    """Send letters, each by itself; those that were not taken, with the reason."""
    failed: dict[Letter, str] = {}
    for place, letter in enumerate(letters):
        try:
            link.send_message(message(letter, server.sender, now))
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            failed[letter] = f"{code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"
            with contextlib.suppress(smtplib.SMTPException, OSError):
                link.rset()
        except (smtplib.SMTPServerDisconnected, OSError) as error:
            failed |= dict.fromkeys(letters[place:], f"the connection broke: {_reason(error)}")
            break
        except smtplib.SMTPException as error:
            failed[letter] = _reason(error)
    return failed


def message(letter: Letter, sender: str, now: datetime) -> EmailMessage:
    """A letter as a mail."""
    made = EmailMessage()
    made["From"] = sender
    made["To"] = formataddr((letter.to.name, letter.to.mail))
    made["Subject"] = letter.subject
    made["Date"] = format_datetime(now)
    made["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(letter.text)
    return made


def take_back(store: Store, campaign: str, letters: Sequence[Letter]) -> None:
    """Make the links of letters that did not go out worthless, and let their people be invited anew."""
    for letter in letters:
        store.withdraw(letter.link.rpartition("/")[2])
        store.drop_contact(campaign, letter.annotator)


def _reason(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        said = error.smtp_error
        return f"{error.smtp_code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
