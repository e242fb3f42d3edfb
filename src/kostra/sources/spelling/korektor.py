"""A client of Korektor, the statistical corrector of spelling and grammar that COSTRA used (Richter et al. 2012).

The service is LINDAT's, or any other that speaks its protocol. Sentences are sent to it: mind what may be sent, and
that LINDAT's Czech models are for use that is not commercial (CC BY-NC-SA).
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPException
from typing import Any

from kostra.errors import KostraError
from kostra.sources.spelling.proposals import Proposal
from kostra.steps import Progress, silent

LINDAT = "https://lindat.mff.cuni.cz/services/korektor/api"
BATCH = 100
"""Sentences in one request."""
_ONE_LINE = str.maketrans("\r\n", "  ")
_AGAIN = (408, 429, 500, 502, 503, 504)  # what may be different a moment later


class Korektor:
    """The service at an address: ``…/models``, ``…/correct`` and ``…/suggestions``.

    Parameters
    ----------
    url
        What stands before the names of the methods.
    model
        The model's name or its first words; the service's default, which is Czech, unless given.
    """

    def __init__(
        self,
        url: str = LINDAT,
        *,
        model: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise KostraError("this is no address of a service", where=url, accepted="http://… or https://…")
        self.url = url.rstrip("/")
        self.model = model
        self.answered_by: str | None = None
        """The model that the last answer came from, with its version."""
        self._timeout, self._retries, self._pause = timeout, retries, pause

    def models(self) -> list[str]:
        """The models that the service has."""
        answer = self._answer("models", None)
        found = answer.get("models") if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise self._strange("models", "the answer lists no models")
        return [str(one) for one in found]

    def correct(self, text: str) -> str:
        """The text as the service would have it."""
        result = self._result("correct", {"data": text, "input": "untokenized"})
        if not isinstance(result, str):
            raise self._strange("correct", f"the result is not a text: {str(result)[:100]}")
        return result

    def proposals(
        self, texts: Sequence[str], *, most: int = 5, progress: Progress = silent
    ) -> Iterator[list[Proposal]]:
        """For each text what the service proposes, at most so many for one mistake."""
        for begin in range(0, len(texts), BATCH):
            batch = texts[begin : begin + BATCH]
            yield from self._suggested(batch, most)
            progress(begin + len(batch), len(texts))

    def _suggested(self, texts: Sequence[str], most: int) -> list[list[Proposal]]:
        """Ask about some texts at once, one a line, and find out whose each piece is by its place."""
        data = "\n".join(text.translate(_ONE_LINE) for text in texts)
        asked = {"data": data, "input": "untokenized_lines", "suggestions": str(most)}
        pieces = self._result("suggestions", asked)
        if not _are_pieces(pieces) or "".join(piece[0] for piece in pieces) != data:
            raise self._strange("suggestions", "the pieces that came back do not make up the text that was sent")
        starts = [0]
        for text in texts:
            starts.append(starts[-1] + len(text) + 1)
        found: list[list[Proposal]] = [[] for _ in texts]
        place, line = 0, 0
        for written, *proposed in pieces:
            while place >= starts[line + 1]:
                line += 1
            ranked = [one for one in dict.fromkeys(proposed) if one != written][:most]
            if ranked and place + len(written) >= starts[line + 1]:
                raise self._strange("suggestions", f'a proposal reaches over the end of a sentence: "{written}"')
            start = place - starts[line]
            found[line] += [Proposal(start, written, one, rank) for rank, one in enumerate(ranked, 1)]
            place += len(written)
        return found

    def _result(self, method: str, asked: dict[str, str]) -> Any:
        if self.model is not None:
            asked = {**asked, "model": self.model}
        answer = self._answer(method, urllib.parse.urlencode(asked).encode())
        if not isinstance(answer, dict) or "result" not in answer:
            raise self._strange(method, f"the answer has no result: {str(answer)[:100]}")
        self.answered_by = str(answer.get("model") or self.model or "unknown")
        return answer["result"]

    def _answer(self, method: str, body: bytes | None) -> Any:
        """Ask, by POST where there is something to send, and ask again after a pause if that may help."""
        headers = {"Accept": "application/json", "User-Agent": "kostra"}
        request = urllib.request.Request(f"{self.url}/{method}", data=body, headers=headers)
        trouble = ""
        for attempt in range(self._retries + 1):
            if attempt:
                self._pause(2.0**attempt)
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as response:
                    return json.loads(response.read())
            except urllib.error.HTTPError as error:
                with error:
                    said = error.read(200).decode("utf-8", "replace").strip()
                trouble = f"the service answered {error.code}{f': {said}' if said else ''}"
                if error.code not in _AGAIN:
                    break
            except (ValueError, RecursionError):  # JSON, text that is not UTF-8, a thousand brackets
                raise self._strange(method, "the answer is not JSON") from None
            except (OSError, HTTPException) as error:  # refused, timed out, cut short; URLError is an OSError
                reason = getattr(error, "reason", None) or error or type(error).__name__
                trouble = f"the service cannot be reached: {reason}"
        raise self._strange(method, trouble)

    def _strange(self, method: str, what: str) -> KostraError:
        remedy = 'check the address and the model, or use checker = "hunspell", which needs no network'
        return KostraError(what, where=f"{self.url}/{method}", remedy=remedy)


def _are_pieces(result: object) -> bool:
    return isinstance(result, list) and all(
        isinstance(piece, list) and piece and all(isinstance(one, str) for one in piece) for piece in result
    )
