"""What every explorer shares: how it is loaded, what it prints as, and one redrawn picture.

Two kinds exist. `BrowserExplorer` draws in the browser with plain JavaScript shipped in this
folder (no build step, nothing from the network). `FigureExplorer` draws a figure of
`tutorial_lib.figures` into one image that is replaced when a control moves.
"""

import html
import math
import textwrap
from pathlib import Path

import anywidget
import ipywidgets
import traitlets

from tutorial_lib.explorers.cells import closed_by_the_next_run
from tutorial_lib.figures import style

ASSETS = Path(__file__).parent / "assets"
LIVE = "application/vnd.jupyter.widget-view+json"


def javascript(*names):
    """An explorer's script, its parts in order, after the helpers that all scripts share."""
    return "\n".join((ASSETS / part).read_text(encoding="utf-8") for part in ("common.js", *names))


def stylesheet(*names):
    """The shared stylesheet followed by the explorer's own parts."""
    return "\n".join((ASSETS / part).read_text(encoding="utf-8") for part in ("common.css", *names))


def excerpt(text):
    """A text as a description quotes it: on one line, cut after about a hundred characters.

    >>> excerpt("so it\\nis")
    '“so it is”'
    """
    return f"“{textwrap.shorten(text, 100, placeholder=' …')}”"


def _in_words(bundle, words):
    """The bundle (data, metadata) in which a widget is shown, with words beside the live view.

    They become the alt text of the picture that a stored notebook shows in the widget's place.
    """
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return data, {**metadata, LIVE: {"alt": words}}


class BrowserExplorer(anywidget.AnyWidget):
    """An explorer that draws in the browser. Subclasses set `title`, `_esm` and `_css`, and define
    `describe() -> str`, what it shows in words.

    Traits tagged `told` are what Python tells the page; the page never changes them.
    """

    title = "Explorer"
    label = traitlets.Unicode("").tag(sync=True, told=True)

    def __init__(self, **traits):
        super().__init__(label=self.title, **traits)
        closed_by_the_next_run(self)

    def set_state(self, sync_data):
        """Take a message from the page, without what no page of ours sends: traits that Python
        tells the page, NaN, infinity, and true or false for a number."""
        super().set_state(
            {name: value for name, value in sync_data.items() if self._from_a_page(name, value)}
        )

    def _from_a_page(self, name, value):
        trait = self.traits().get(name)
        if trait is None or trait.metadata.get("told") or not _finite(value):
            return False
        return not (isinstance(trait, traitlets.Int | traitlets.Float) and isinstance(value, bool))

    def close(self):
        """Close the explorer and what lays it out; its model is no longer held."""
        if self.comm is not None:
            self.layout.close()
        super().close()

    def describe(self):
        """Say in words what the explorer shows now."""
        raise NotImplementedError("a BrowserExplorer defines describe()")

    def _repr_mimebundle_(self, **kwargs):
        words = f"{self.title}: {self.describe()}"
        return _in_words(super()._repr_mimebundle_(**kwargs), words)

    def __repr__(self):
        return f"{self.title}: run this cell"


class PageTheme(anywidget.AnyWidget):
    """Whether the page that shows it is dark. It takes no room."""

    _esm = javascript("theme.js")
    _css = (ASSETS / "theme.css").read_text(encoding="utf-8")
    told = False  # what the last page said: where the next explorer will most likely be shown
    dark = traitlets.Bool(False).tag(sync=True)

    def __init__(self):
        super().__init__(dark=PageTheme.told, layout={"height": "0", "margin": "0"})

    @traitlets.observe("dark")
    def _remember(self, change):
        PageTheme.told = change["new"]


class FigureExplorer(ipywidgets.VBox):
    """Controls above one picture that is drawn anew, in one reused figure, when a control moves.

    The picture has the colours of the page's theme. Subclasses set `title`, give `controls` (a
    dict of name -> ipywidget) to `__init__` and define `draw(figure, **values) -> Figure` and
    `describe(**values) -> str`, the picture in words.
    """

    title = "Explorer"

    def __init__(self, controls):
        self.controls = controls
        # Not stretched: a picture drawn for 110 dots an inch blurs when it fills the page.
        self.image = ipywidgets.Image(
            format="png", layout={"max_width": "100%", "align_self": "flex-start"}
        )
        self.words = ipywidgets.HTML()
        self.theme = PageTheme()
        self._figure = None
        super().__init__([*controls.values(), self.image, self.words, self.theme])
        for control in controls.values():
            control.observe(self._redraw, names="value")
        self.theme.observe(self._redraw, names="dark")
        self._redraw()
        closed_by_the_next_run(self)

    def close(self):
        """Close the explorer with its controls and its picture."""
        if self.comm is not None:
            for child in (*self.children, self):
                for part in (child.layout, getattr(child, "style", None)):
                    if part is not None:
                        part.close()
            for child in self.children:
                child.close()
        super().close()

    @property
    def _values(self):
        return {name: control.value for name, control in self.controls.items()}

    def _redraw(self, _change=None):
        values = self._values
        self._figure = self.draw(self._figure, **values)
        if self.theme.dark:
            style.darken(self._figure)
        self.image.value = style.png(self._figure)
        self.image.remove_class(f"tl-{'light' if self.theme.dark else 'dark'}-figure")
        self.image.add_class(f"tl-{'dark' if self.theme.dark else 'light'}-figure")
        words = html.escape(self.describe(**values))
        self.words.value = f'<span role="status">{words}</span>'

    def draw(self, figure, **values):
        """Draw the picture for these values of the controls, into `figure` if one is given."""
        raise NotImplementedError("a FigureExplorer defines draw(figure, **values)")

    def describe(self, **values):
        """Say in words what the picture shows for these values of the controls."""
        raise NotImplementedError("a FigureExplorer defines describe(**values)")

    def _repr_mimebundle_(self, **kwargs):
        words = f"{self.title}: {self.describe(**self._values)}"
        return _in_words(super()._repr_mimebundle_(**kwargs), words)

    def __repr__(self):
        return f"{self.title}: run this cell"


def _finite(value):
    """Whether all numbers in what JSON has made are finite."""
    if isinstance(value, dict | list | tuple):
        return all(map(_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)
