"""What the JavaScript part of an explorer needs besides the explorer's traits, asked of the live
objects in the kernel."""

import importlib.util
import json
from pathlib import Path

from ipywidgets.widgets import widget

from tutorial_lib.explorers.base import BrowserExplorer, FigureExplorer


def learned_buckets(explorer):
    """What the heads of the explorer's T5 add, for both kinds of buckets."""
    if explorer.model is None:
        return {}
    tables = (explorer.model.source_distances, explorer.model.target_distances)
    return {"learned": [{"options": t.options, "weight": t.weight.tolist()} for t in tables]}


EXTRAS = {
    "BucketExplorer": learned_buckets,
    "LatticeExplorer": lambda explorer: {"scores": explorer.scores},
}
if importlib.util.find_spec("extras_models"):
    from extras_models import EXTRAS as OF_MODELS

    EXTRAS |= OF_MODELS


def write(folder):
    """Write, for each explorer that lives in this kernel, its class, module and extras."""
    found = {}
    for name, explorer in widget._instances.items():
        if isinstance(explorer, BrowserExplorer | FigureExplorer):
            kind = type(explorer)
            found[name] = {
                "class": kind.__name__,
                "module": kind.__module__.rpartition(".")[2],
                "extras": EXTRAS.get(kind.__name__, lambda _: {})(explorer),
            }
    Path(folder, "extras.json").write_text(json.dumps(found), encoding="utf-8")
