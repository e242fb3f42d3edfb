"""Makes the example anew, in its place: ``python -m examples``."""

from __future__ import annotations

from examples.making import MADE, PLACE, make


def main() -> None:
    """Make everything that is not written by hand."""
    make(PLACE)
    print(f"made in {PLACE}: {', '.join(MADE)}")


if __name__ == "__main__":
    main()
