"""The office: pages for those who run campaigns, under ``/admin``.

`add_admin` adds it to the site. Reading: `ledger` (the log as columns) → `findings` (figures) and `progress` (what the
running campaign says) → `views` → templates; `watch` keeps both up to date beside the requests. Acting: `acts`, each a
command to the running campaign and an entry of the audit log.
"""

from __future__ import annotations

from fastapi import FastAPI


def add_admin(app: FastAPI) -> None:
    """Add the office to the site."""
    from kostra.annotate.admin.acts import add_acts
    from kostra.annotate.admin.download import add_download
    from kostra.annotate.admin.office import Office
    from kostra.annotate.admin.pages import add_admin_pages

    app.state.office = Office(app.state.hall)
    add_admin_pages(app)
    add_acts(app)
    add_download(app)
