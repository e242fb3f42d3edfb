"""No page of another site makes a browser of ours do anything, and nobody tries passwords for ever.

Whoever is logged in and changes something must show what only our own pages know (`kostra.annotate.hall.Hall.csrf`), in
a field of the form or in a header. This stands before every route, so that a new one cannot forget it. It comes on top
of the cookie's SameSite, and of the origin, which the guard looks at.
"""

from __future__ import annotations

from fastapi import Request
from starlette.exceptions import HTTPException

from kostra.annotate.entry.passwords import login_name
from kostra.annotate.guard import too_often
from kostra.annotate.hall import NotKnownError, hall_of, is_api, root_of
from kostra.annotate.languages import Message

SAFE = ("GET", "HEAD", "OPTIONS")
FIELDS = 20_000
"""The most that a form of ours may have: a page of names to be grouped has thousands."""
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


async def unforged(request: Request) -> None:
    """Refuse what a page of ours did not send, where somebody is logged in.

    A script shows its token instead, which no browser sends by itself.
    """
    if request.method in SAFE or getattr(request.state, "api_token", None) is not None:
        return
    hall = hall_of(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    fields = None
    if kind in _FORMS and not is_api(request):
        fields = dict(form := await request.form(max_fields=FIELDS))
        if any("\x00" in value for value in form.values() if isinstance(value, str)):
            # PostgreSQL keeps no such text, and no person types it.
            raise HTTPException(422, Message("The text has control characters in it, which cannot be kept."))
    if fields is not None and request.scope["path"].removeprefix(root_of(request)) == "/login":
        wait = request.app.state.knocking.tries(login_name(str(fields.get("name", ""))[:1000]), hall.now())
        if wait and request.app.state.doors.limited:
            raise too_often(wait)
    try:
        hall.check_csrf(request, fields)
    except HTTPException:
        try:
            await hall.who(request)
        except NotKnownError:
            return  # nobody is logged in: there is nothing to forge, and the route says what it asks for
        raise
