"""Takes the documentation's pictures from the running product: ``python -m docs.making.pictures``.

A small project is built with simulated annotators, its site is served and answered in part, and Chromium looks at the
annotation screen, the office, the report and the leaderboard. Nothing is drawn by hand.
"""

from __future__ import annotations

import io
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import kostra

FOLDER = Path(__file__).resolve().parent.parent / "pictures"
LARGEST = 150_000
"""Bytes: pages are read on phones, too."""
DESKTOP, PHONE = {"width": 1000, "height": 640}, {"width": 390, "height": 640}
_COMMAND = str(Path(sys.executable).parent / "kostra")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Take all pictures anew."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no chromium is installed")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        project = kostra.new("demo", Path(place) / "demo")
        kostra.build(project, simulate=True)
        _take(browser, "report", (project / "report.html").as_uri())
        _take(browser, "leaderboard", _leaderboard(project).as_uri())
        with _served(kostra.new("rating", Path(place) / "study")) as (trying, running):
            _take(browser, "annotation", trying, _to_an_answer)
            _take(browser, "phone", trying, _to_an_answer, viewport=PHONE)
            _take(browser, "office", running, _into_the_campaign)
        browser.close()


def _leaderboard(project: Path) -> Path:
    page, results = project / "leaderboard.html", project / "results"
    encoders = [part for name in ("dice", "jaccard", "indel", "static", "hashed") for part in ("-e", name)]
    called = [_COMMAND, "evaluate", str(project / "dataset"), *encoders, "--samples", "500", "--results", str(results)]
    subprocess.run(called, check=True, capture_output=True)
    kostra.leaderboard(results, page)
    return page


@contextmanager
def _served(project: Path) -> Iterator[tuple[str, str]]:
    """A site that simulated annotators have answered in part; the links to try it and to run it."""
    kostra.build(project, to="pairs")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    served = subprocess.Popen([_COMMAND, "serve", str(project), "--port", str(port)], stderr=subprocess.PIPE, text=True)
    try:
        assert served.stderr is not None
        links: list[str] = []
        for line in served.stderr:
            links += re.findall(r"http://\S+/join/\S+", line)
            if line.startswith("Ctrl-C"):
                break
        kostra.simulate(project, url=f"http://127.0.0.1:{port}", annotators=2)
        yield links[0], links[1]
    finally:
        served.terminate()
        served.wait(timeout=30)


def _to_an_answer(page: Any) -> None:
    """Past what is read first, to the first item, with an answer chosen."""
    for _ in range(6):
        if page.locator(".side").count():
            break
        page.get_by_role("button").last.click()
        page.wait_for_load_state("networkidle")
    page.keyboard.press("4")


def _into_the_campaign(page: Any) -> None:
    page.locator("main a").first.click()
    page.wait_for_load_state("networkidle")


def _stay(page: Any) -> None:
    """Look at the page as it opens."""


def _take(
    browser: Any,
    name: str,
    address: str,
    walk: Callable[[Any], None] = _stay,
    *,
    viewport: dict[str, int] | None = None,
) -> None:
    page = browser.new_page(viewport=viewport or DESKTOP, device_scale_factor=1, color_scheme="light")
    page.goto(address, wait_until="networkidle")
    walk(page)
    shot = Image.open(io.BytesIO(page.screenshot()))
    page.close()
    path = FOLDER / f"{name}.webp"
    shot.convert("RGB").save(path, "WEBP", quality=84, method=6)
    size = path.stat().st_size
    print(f"{path.name}: {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"{path} is larger than {LARGEST:,} bytes")


if __name__ == "__main__":
    main()
