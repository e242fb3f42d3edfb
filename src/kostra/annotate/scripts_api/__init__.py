"""The API for scripts, version 1, beside the annotators' own: campaigns are made, watched and read with a token.

=====================================================  ========  ======================================================
request below ``/api/v1``                              token     does
=====================================================  ========  ======================================================
``GET campaigns``, ``GET campaigns/{c}``               read      how far everything is
``POST campaigns``, ``PUT campaigns/{c}``              admin     make and revise a campaign
``POST campaigns/{c}/invitations``                     write     make links
``GET campaigns/{c}/annotators``                       read      who answers
``POST campaigns/{c}/annotators/{a}/exclude|readmit``  write     stop somebody, and undo it
``POST campaigns/{c}/pause|resume``                    write     pause everything
``GET campaigns/{c}/statistics``                       read      agreement, gold, repeats, annotators
``GET campaigns/{c}/judgments``                        read      a stream of all judgments
``GET openapi.json``, ``GET docs``                     none      the description, for programs and for people
=====================================================  ========  ======================================================
"""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from kostra.annotate.scripts_api.access import RESPONSES
from kostra.annotate.scripts_api.campaigns import add_campaigns
from kostra.annotate.scripts_api.document import add_document
from kostra.annotate.scripts_api.figures import add_figures
from kostra.annotate.scripts_api.judgments import add_judgments
from kostra.annotate.scripts_api.people import add_people


def add_scripts_api(app: FastAPI) -> None:
    """Add the API for scripts to the site."""
    api = APIRouter(prefix="/api/v1", responses=RESPONSES, tags=["scripts"])
    add_campaigns(api)
    add_people(api)
    add_figures(api)
    add_judgments(api)
    app.include_router(api)
    add_document(app)
