"""The picture of an explorer's first state, for whoever sees a notebook that was not run.

A live widget cannot be shown from a file. So the states that the widgets have when their cell has
run are kept, and afterwards drawn on a plain page in Chromium, in the light theme.
"""

import base64
import copy
import html
import io
import re

import numpy as np
from browser import MISSING, find_chromium, launched
from explorer_page import blank, mount, settle
from PIL import Image

LIVE = "application/vnd.jupyter.widget-view+json"
EXPLORER = ": run this cell"  # how the plain text of every explorer ends
WIDTH = 744  # of an explorer in CSS pixels, about the page that GitHub and a printout have
WIDEST = 1000  # of one with parts that are scrolled: its letters become smaller
SHARPNESS = 1.5
# Two pictures are the same when no field of 8 x 8 dots differs by more grey levels than that:
# another processor moves a line by a hair, another digit changes its field by 20 and more.
FIELD, SAME = 8, 5
# How many pixels of a part lie outside it, until it is scrolled to the right.
HIDDEN = """() => Math.max(0, ...[...document.querySelectorAll("#root *")]
  .filter((node) => ["auto", "scroll"].includes(getComputedStyle(node).overflowX))
  .map((node) => node.scrollWidth - node.clientWidth))"""
# What two drawings of one state need not agree on: texts that say how long something took, and
# the corner by which a text box is pulled, which each Chromium draws in its own way. Left, top,
# width, height from the picture's corner.
VARYING = """() => {
  const root = document.getElementById("root").getBoundingClientRect();
  const nodes = [...document.querySelectorAll("#root *")];
  const times = nodes
    .filter((node) => [...node.childNodes].some(
      (part) => part.nodeType === Node.TEXT_NODE && /\\d (ms|milliseconds)\\b/.test(part.data)))
    .map((node) => node.getBoundingClientRect());
  const corners = nodes
    .filter((node) => node.tagName === "TEXTAREA")
    .map((node) => node.getBoundingClientRect())
    .map((box) => new DOMRect(box.right - 20, box.bottom - 20, 20, 20));
  return [...times, ...corners]
    .map((box) => [box.left - root.left, box.top - root.top, box.width, box.height]);
}"""


class NoBrowser(RuntimeError):
    """There is no Chromium to draw the explorers with."""


def need_browser():
    """Raise NoBrowser when there is no Chromium."""
    if find_chromium() is None:
        raise NoBrowser(
            f"the pictures of the explorers are drawn in Chromium, and there is {MISSING}"
        )


def is_explorer(output):
    """Whether an output, live or stored, is an explorer's."""
    return "".join(output.get("data", {}).get("text/plain", "")).endswith(EXPLORER)


class FirstStates:
    """The state that each shown widget had right after its cell ran. Give `keep` to the client."""

    def __init__(self):
        self.states = {}  # model id -> state, with the states of its children under "children"

    def watch(self, client):
        """Keep what the client's notebook shows from now on."""

        def keep(cell, **_):
            for output in cell.get("outputs", ()):
                shown = output.get("data", {}).get(LIVE)
                if not shown:
                    continue
                state = _state(client, shown["model_id"])
                if is_explorer(output):
                    self.states[shown["model_id"]] = state
                elif bar := finished_bar(state):
                    output["data"]["text/plain"] = bar

        client.store_widget_state = True
        client.on_cell_executed = keep


def finished_bar(state):
    """What a progress bar says in the end, without its times; None for another widget.

    What it prints without a kernel is how it began, "0%", for ever.

    >>> bar = {"children": [{"value": "training: 100%"}, {"value": 3.0, "max": 3.0}, {"value": ""}]}
    >>> finished_bar(bar)
    'training: 3 of 3'
    """
    parts = state.get("children", ())
    if len(parts) != 3 or "max" not in parts[1]:
        return None
    name = re.sub(r"\s*\d+%$", "", parts[0]["value"].replace("\u2007", " "))
    return f"{name} {parts[1]['value']:.0f} of {parts[1]['max']:.0f}".strip()


def _state(client, model):
    state = copy.deepcopy(client.widget_state[model])
    for path, buffer in client.widget_buffers.get(model, {}).items():
        _put(state, path, base64.b64decode(buffer["data"]))
    children = [name.removeprefix("IPY_MODEL_") for name in state.get("children", ())]
    return state | {"children": [_state(client, child) for child in children]}


def _put(state, path, value):
    *way, last = path
    for part in way:
        state = state[part]
    state[last] = value


def add_pictures(book, states, before):
    """Put a picture beside each live widget of `book`, with the alt text that it brings.

    A picture that looks like the one that `before` stores for the same cell stays, byte by byte.
    Raises NoBrowser when there are explorers and no Chromium.
    """
    shown = [
        (cell.get("id"), number, output)
        for cell in book.cells
        for number, output in enumerate(cell.get("outputs", ()))
        if LIVE in output.get("data", {}) and is_explorer(output)
    ]
    if not shown:
        return
    need_browser()
    stored = {
        (cell.get("id"), number): output["data"]["image/png"]
        for cell in before.cells
        for number, output in enumerate(cell.get("outputs", ()))
        if is_explorer(output) and "image/png" in output["data"]
    }
    with launched() as browser:
        for cell, number, output in shown:
            live = output["data"][LIVE]["model_id"]
            png, varying = take(browser, states[live])
            new, old = base64.b64encode(png).decode(), stored.get((cell, number))
            output["data"]["image/png"] = old if old and same(old, new, varying) else new
            alt = output["metadata"][LIVE]["alt"]
            output["metadata"] = {"image/png": {"alt": alt, "width": WIDTH}}


def take(browser, state):
    """Draw the state of an explorer; returns PNG bytes of few colours, and the boxes, in dots of
    the picture, that differ from run to run or from browser to browser."""
    size = {"width": WIDTH + 24, "height": 900}
    page = browser.new_page(viewport=size, device_scale_factor=SHARPNESS)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.expose_function("toPython", lambda news: "{}")
    if "_esm" in state:
        mount(page, state["_esm"], state.get("_css", ""), state)
    else:
        blank(page)
        markup = "".join(map(_markup, state["children"]))
        page.evaluate("(text) => { document.getElementById('root').innerHTML = text; }", markup)
    page.wait_for_function("() => [...document.images].every((image) => image.complete)")
    settle(page)
    hidden = page.evaluate(HIDDEN)
    if hidden:
        page.set_viewport_size(size | {"width": min(size["width"] + hidden, WIDEST)})
        settle(page)
    png = page.locator("#root").screenshot()
    varying = [[SHARPNESS * side for side in box] for box in page.evaluate(VARYING)]
    page.close()
    if errors:
        raise RuntimeError(f"an explorer cannot be drawn: {errors}")
    return _few_colours(png), varying


def _markup(child):
    """One part of a FigureExplorer, about as ipywidgets shows it."""
    kind = child["_model_name"]
    label = html.escape(child.get("description", ""))
    if kind == "ImageModel":
        picture = base64.b64encode(child["value"]).decode()
        return f"<p><img style='max-width: 100%' src='data:image/png;base64,{picture}'></p>"
    if kind == "HTMLModel":
        return _row(child["value"])
    if kind == "CheckboxModel":
        return _row(f"<input type=checkbox {'checked' * child['value']}> {label}")
    if kind == "DropdownModel":
        chosen = html.escape(child["_options_labels"][child["index"]])
        return _row(f"{label} <select><option>{chosen}</option></select>")
    if kind == "SelectionSliderModel":
        names, at = child["_options_labels"], child["index"]
        return _row(f"{label} {_slider(0, len(names) - 1, at)} {html.escape(names[at])}")
    if kind == "IntSliderModel":
        slider = _slider(child["min"], child["max"], child["value"])
        return _row(f"{label} {slider} {child['value']}")
    if kind == "AnyModel":  # the page's theme, which takes no room
        return ""
    raise NotImplementedError(f"say here how the picture of an explorer shows a {kind}")


def _row(content):
    style = "font: 14px/1.45 sans-serif; color: #1f2430; padding: 3px 0"
    return f"<div style='{style}'>{content}</div>"


def _slider(low, high, value):
    return f"<input type=range style='vertical-align: middle' min={low} max={high} value={value}>"


def _few_colours(png):
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    few = picture.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    few.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def same(one, other, without=()):
    """Whether two pictures (PNG in base64) look the same, but for hairs; without: boxes of dots
    (left, top, width, height) that are not compared."""
    fields = [_fields(one, without), _fields(other, without)]
    return fields[0].shape == fields[1].shape and np.abs(fields[0] - fields[1]).max() <= SAME


def _fields(png, without):
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    for left, top, width, height in without:
        picture.paste("white", (int(left), int(top), int(left + width), int(top + height)))
    return np.asarray(picture.reduce(FIELD), dtype=float)
