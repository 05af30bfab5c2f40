"""What the JavaScript part of an explorer needs besides the explorer's traits, asked of the live
objects in the kernel."""

import base64
import json
from pathlib import Path

import extras_models
from ipywidgets.widgets import widget

from tutorial_lib.explorers.base import BrowserExplorer, FigureExplorer


def learned_buckets(explorer):
    """What the heads of the explorer's T5 add, for both kinds of buckets."""
    if explorer.model is None:
        return {}
    tables = (explorer.model.source_distances, explorer.model.target_distances)
    return {"learned": [{"options": t.options, "weight": t.weight.tolist()} for t in tables]}


def cut_pictures(explorer):
    """The pictures of a PatchExplorer, its choices, and which patch stands where when shuffled."""
    values = {name: control.value for name, control in explorer.controls.items()}
    sizes = list(explorer.controls["patch_size"].options)
    names = list(explorer.pictures)
    pictures = []
    for name, image in explorer.pictures.items():
        pixels = (image.permute(1, 2, 0).clamp(0, 1) * 255).round().byte().numpy().tobytes()
        wrapped = {"__bytes__": base64.b64encode(pixels).decode()}
        pictures.append({"name": name, "side": image.size(-1), "pixels": wrapped})
    return {
        "label": explorer.title,
        "pictures": pictures,
        "sizes": sizes,
        "orders": {size: explorer.order(size).tolist() for size in sizes},
        "picture": names.index(values["picture"]),
        "patch_size": values["patch_size"],
        "shuffled": values["shuffled"],
    }


# The state of explorers that Python draws, for their scripts in views/.
DRAWN = {"PatchExplorer": cut_pictures}
EXTRAS = {
    "BucketExplorer": learned_buckets,
    "LatticeExplorer": lambda explorer: {"scores": explorer.scores},
}
EXTRAS |= extras_models.EXTRAS


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
            if kind.__name__ in DRAWN:
                found[name]["state"] = DRAWN[kind.__name__](explorer)
    Path(folder, "extras.json").write_text(json.dumps(found), encoding="utf-8")
