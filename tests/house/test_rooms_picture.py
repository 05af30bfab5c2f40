"""The picture of the rooms in the README is the one that docs/draw_rooms.py draws today."""

import importlib.util
import xml.etree.ElementTree as ElementTree

from isolation import ROOT

from tutorial_lib import FLOORS


def test_the_stored_picture_shows_the_rooms_on_their_floors():
    spec = importlib.util.spec_from_file_location("draw_rooms", ROOT / "docs" / "draw_rooms.py")
    draw_rooms = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw_rooms)
    drawn = [text.get_text() for text in draw_rooms.draw().axes[0].texts]
    svg = ElementTree.parse(draw_rooms.PICTURE)
    stored = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert stored == drawn
    rooms = [room for floor in FLOORS for room in floor]
    assert [word for word in stored if word in rooms] == rooms
