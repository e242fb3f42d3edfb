"""The next open item in the annotator's own random order."""

from __future__ import annotations

import numpy as np

from kostra.campaign.schedule import View


def choose(view: View) -> int:
    """The first open item of the annotator's order.

    Examples
    --------
    >>> choose(View(np.array([True, True]), np.array([0, 0]), np.array([1, 0])))
    1
    """
    return int(view.order[np.argmax(view.open[view.order])])
