"""Which region of a picture does a word look at?"""

import numpy as np
import traitlets

from tutorial_lib.errors import ShapeError
from tutorial_lib.explorers.base import BrowserExplorer, excerpt, javascript, stylesheet
from tutorial_lib.explorers.packing import SPECIAL, as_array, as_boxes
from tutorial_lib.explorers.pictures import CREDIT, as_pixels

LOOKS, LOOKED_AT = "what it looks at", "what looks at it"


class RegionExplorer(BrowserExplorer):
    """A caption above its picture: a click on a word shades the regions by what it looks at.

    scenes: dicts of one model, each {"image": (3, height, width) from 0 to 1, "boxes": (R, 4) as
    left, top, right, bottom from 0 to 1, "words": T strings, "weights": (L, H, T + R, T + R) of the
    words and then the regions, rows summing to 1}, and if wanted "names": R names of the regions,
    and "title". A word can be dragged to a region, a click on a region shades the words.
    silence(scene, layer, head) -> {"outputs": [(label, before, after), ...], "weights": the maps
    without this head, if wanted}: what a scene's model says when a head gives zeros.
    chosen: 0 to T - 1 for a word, from there on a region; head -1: the mean of all.
    Raises ShapeError without a scene, or for arrays that do not fit together.

    >>> scene = {"image": np.ones((3, 8, 8)), "boxes": [[0, 0, 0.5, 1]], "words": ["a", "cat"]}
    >>> RegionExplorer([scene | {"weights": np.full((1, 2, 3, 3), 1 / 3)}])
    Words and regions: run this cell
    """

    title = "Words and regions"
    _esm = javascript("asking.js", "regions.js")
    _css = stylesheet("asking.css", "regions.css")

    scene = traitlets.Int(0).tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)
    target = traitlets.Int(-1).tag(sync=True)  # the region that a word was dragged to
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(-1).tag(sync=True)
    direction = traitlets.Enum((LOOKS, LOOKED_AT), LOOKS).tag(sync=True)
    silenced = traitlets.Dict().tag(sync=True)  # empty, or which layer and head
    scenes = traitlets.List().tag(sync=True, told=True)
    n_layers = traitlets.Int().tag(sync=True, told=True)
    n_heads = traitlets.Int().tag(sync=True, told=True)
    directions = traitlets.List([LOOKS, LOOKED_AT]).tag(sync=True, told=True)
    can_silence = traitlets.Bool(False).tag(sync=True, told=True)
    silence_result = traitlets.Dict().tag(sync=True, told=True)
    credit = traitlets.Unicode(CREDIT).tag(sync=True, told=True)

    def __init__(self, scenes, silence=None, **state):
        self.silence = silence
        self.seen = [_checked(scene, number) for number, scene in enumerate(scenes)]
        kinds = {scene["weights"].shape[:2] for scene in self.seen}
        if len(kinds) != 1:
            raise ShapeError(
                "the scenes must come from one model, they have (layers, heads) of "
                f"{' and '.join(map(str, sorted(kinds))) or 'none'}"
            )
        ((self.n_layers, self.n_heads),) = kinds
        self._most = max(scene["weights"].shape[-1] for scene in self.seen) - 1
        self._regions = max(len(scene["boxes"]) for scene in self.seen) - 1
        packed = [_packed(scene) for scene in self.seen]
        first = _first_word(self.seen[0]["words"])
        super().__init__(scenes=packed, can_silence=silence is not None)
        self.observe(self._silence, names=["scene", "silenced"])
        for name, value in ({"chosen": first} | state).items():
            self.set_trait(name, value)

    def describe(self):
        """Say in words what the explorer shows now."""
        state = self.state
        scene, chosen = self.seen[state["scene"]], state["chosen"]
        weights = self.weights
        row = weights[chosen] if self.direction == LOOKS else weights[:, chosen]
        labels = [*scene["words"], *scene["names"]]
        n = len(scene["words"])
        parts = slice(n, None) if chosen < n else slice(0, n)  # a word's regions, a region's words
        best = int(row[parts].argmax()) + (n if chosen < n else 0)
        heads = "on average over its heads" if self.head < 0 else f"in head {self.head}"
        does = "looks most at" if self.direction == LOOKS else "is looked at most by"
        caption = excerpt(" ".join(word for word in scene["words"] if not SPECIAL.match(word)))
        return (
            f"a scene with {len(scene['boxes'])} regions and the words {caption}. In layer "
            f"{self.layer}, {heads}, {labels[chosen][:40]} {does} {labels[best][:40]} "
            f"({row[best]:.2f})."
        )

    @property
    def state(self):
        """What is shown, as `tutorial_lib.figures.word_to_regions` takes it, and the scene."""
        return {
            "scene": self.scene,
            "chosen": min(self.chosen, self.seen[self.scene]["weights"].shape[-1] - 1),
            "layer": self.layer,
            "head": self.head,
        }

    @property
    def weights(self):
        """The map (T + R, T + R) that is shown."""
        maps = self.seen[self.scene]["weights"][self.layer]
        return maps.mean(axis=0) if self.head < 0 else maps[self.head]

    def _silence(self, _change=None):
        if not self.silenced or self.silence is None:
            self.silence_result = {}
            return
        layer, head = (self.silenced[name] for name in ("layer", "head"))
        scene = self.seen[self.scene]
        try:
            found = self.silence(self.scene, layer, head)
            outputs = [
                [str(label)[:60], float(before), float(after)]
                for label, before, after in found["outputs"]
            ]
            result = {"scene": self.scene, "outputs": outputs}
            if found.get("weights") is not None:
                weights = as_array(found["weights"])
                if weights.shape != scene["weights"].shape:
                    raise ShapeError(
                        f"silence must give weights {scene['weights'].shape}, got {weights.shape}"
                    )
                result["weights"] = weights.astype(np.float16).tobytes()
        except Exception as error:  # whatever it is, a widget's log would hide it from the learner
            result = {"scene": self.scene, "error": f"{type(error).__name__}: {error}"}
        self.silence_result = result

    @traitlets.validate("scene", "chosen", "target", "layer", "head")
    def _there(self, proposal):
        name = proposal.trait.name
        low = -1 if name in ("target", "head") else 0
        # Scenes differ, and a message may name the word before the scene.
        most = {
            "scene": len(self.seen) - 1,
            "chosen": self._most,
            "target": self._regions,
            "layer": self.n_layers - 1,
            "head": self.n_heads - 1,
        }
        return min(max(proposal.value, low), most[name])

    @traitlets.validate("silenced")
    def _known(self, proposal):
        places = [proposal.value.get(name) for name in ("layer", "head")]
        if not all(isinstance(place, int) and place >= 0 for place in places):
            return {}
        layer, head = places
        return {"layer": min(layer, self.n_layers - 1), "head": min(head, self.n_heads - 1)}


def _checked(scene, number):
    """A scene with arrays for its lists and names for its regions."""
    words = [str(word) for word in scene["words"]]
    boxes = as_boxes(scene["boxes"])
    weights = as_array(scene["weights"])
    if not words:
        raise ShapeError(f"scene {number} needs at least one word")
    size = len(words) + len(boxes)
    if weights.ndim != 4 or weights.shape[2:] != (size, size) or 0 in weights.shape:
        raise ShapeError(
            f"scene {number} has {len(words)} words and {len(boxes)} regions, so weights must be "
            f"(L, H, {size}, {size}), got {weights.shape}"
        )
    if not np.isfinite(weights).all() or weights.min() < -1e-3 or weights.max() > 1 + 1e-3:
        raise ShapeError(f"the weights of scene {number} must be between 0 and 1")
    names = [str(name) for name in scene.get("names") or ()]
    names = names or [f"region {r}" for r in range(len(boxes))]
    if len(names) != len(boxes):
        raise ShapeError(f"{len(boxes)} regions need as many names, got {len(names)}")
    title = str(scene.get("title") or f"{number}: {' '.join(words)}")
    return {
        "image": scene["image"],
        "words": words,
        "boxes": boxes,
        "weights": weights,
        "names": names,
        "title": title,
    }


def _first_word(words):
    return next((at for at, word in enumerate(words) if not SPECIAL.match(word)), 0)


def _packed(scene):
    """Plain data and bytes of a scene for the browser."""
    (pixels,) = as_pixels(as_array(scene["image"])[None], "image")
    return {
        "title": scene["title"][:60],
        "words": scene["words"],
        "names": [name[:40] for name in scene["names"]],
        "first": _first_word(scene["words"]),
        "boxes": scene["boxes"].round(5).tolist(),
        "height": pixels.shape[0],
        "width": pixels.shape[1],
        "pixels": pixels.tobytes(),
        "weights": scene["weights"].astype(np.float16).tobytes(),
    }
