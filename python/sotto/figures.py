"""Figures of draws, by whichever ArviZ is installed."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sotto.errors import UsageError

# What ArviZ 0.x calls a figure that has another name from ArviZ 1 on.
_BEFORE_1 = {"plot_dist": "plot_posterior", "plot_prior_posterior": "plot_dist_comparison"}


def drawn(figure: str, draws: Any, title: str, options: Mapping[str, Any]) -> Any:
    """What ArviZ returns of the figure, by its name in ArviZ 1, under a title unless that is empty."""
    try:
        import arviz
    except ImportError:
        raise ModuleNotFoundError("figures are drawn by ArviZ: pip install arviz matplotlib", name="arviz") from None
    name = _BEFORE_1.get(figure, figure) if "InferenceData" in vars(arviz) else figure
    settings: Any = vars(arviz)["rc_context"]
    with settings({"stats.ci_prob": 0.9}):  # as in summaries and on the page
        result = getattr(arviz, name)(draws, **options)
    if title:
        _entitle(result, title)
    return result


def _entitle(result: Any, title: str) -> None:
    """Of a collection of plots, as of ArviZ 1, or of an array of Matplotlib's axes. Errors: UsageError for what else there is."""
    collected = hasattr(result, "add_title")
    figure: Any = result.get_viz("figure") if collected else getattr(np.ravel(result)[0], "figure", None)
    if collected:
        result.add_title(title)
    elif hasattr(figure, "suptitle"):
        figure.suptitle(title)
    else:
        raise UsageError(f"this figure must say that it is of {title}, and only one by Matplotlib can: leave out backend")
    if hasattr(figure, "set_layout_engine") and figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")  # which leaves room for it
