"""What a hand does at the page: clicks, presses and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Drive = Callable[[Any], None]


Shoot = Callable[[Any, str], None]


def option(page: Any, question: str, value: str) -> None:
    page.locator(f'[data-question="{question}"] .option:has(input[value="{value}"])').click()


def write(page: Any, name: str, text: str) -> None:
    page.locator(f'[name="{name}"]').fill(text)


def pick(page: Any, sentence: str) -> None:
    page.locator(f'[data-candidate="{sentence}"] .sentence').click()


def slide(page: Any, question: str, share: float) -> None:
    """Press the slider at a share of its length."""
    slider = page.locator(f'[data-question="{question}"] input[type="range"]')
    width = slider.bounding_box()["width"]
    slider.click(position={"x": 14 + share * (width - 28), "y": 22})


def toggles(*pairs: tuple[str, str]) -> Drive:
    def drive(page: Any) -> None:
        for question, member in pairs:
            page.locator(f'[data-member="{member}"] .toggle.{question}').click()

    return drive


def keys(*presses: str) -> Drive:
    def drive(page: Any) -> None:
        for press in presses:
            page.keyboard.press(press)

    return drive


def typed(*parts: str) -> Drive:
    """Texts to type, and keys to press in angle brackets."""

    def drive(page: Any) -> None:
        for part in parts:
            if part.startswith("<"):
                page.keyboard.press(part.strip("<>"))
            else:
                page.keyboard.type(part)

    return drive


def shown(page: Any, item: str) -> None:
    """Wait until an item is on the screen."""
    page.locator(f'form#answer[data-item="{item}"]').wait_for()
