"""The open item with the fewest answers so far, ties in the annotator's own random order."""

from __future__ import annotations

import numpy as np

from kostra.campaign.schedule import View


def choose(view: View) -> int:
    """An open item that is covered least.

    Examples
    --------
    >>> choose(View(np.array([True, True, True]), np.array([1, 0, 0]), np.array([0, 2, 1])))
    2
    """
    fewest = view.covered[view.open].min()
    wanted = view.open & (view.covered == fewest)
    return int(view.order[np.argmax(wanted[view.order])])
