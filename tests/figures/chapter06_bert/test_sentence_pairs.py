import itertools
import warnings

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06_bert.sentence_pairs import KINDS, TINTS

SCENE = ["Who's there?", "Nay, answer me.", "Stand, and unfold yourself."]
ELSEWHERE = ["What country, friends, is this?", "This is Illyria, lady."]
FOLLOWS = {kind: 0.1 * number for number, kind in enumerate(KINDS, 1)}


def boxes_with_texts(axes):
    """Return (left, right, height of the middle, fill, text) of each box."""
    found = []
    boxes = (patch for patch in axes.patches if isinstance(patch, FancyBboxPatch))
    for box in boxes:
        x, y = box.get_x() + box.get_width() / 2, box.get_y() + box.get_height() / 2
        (text,) = (t.get_text() for t in axes.texts if t.get_position() == pytest.approx((x, y)))
        edges = box.get_x(), box.get_x() + box.get_width()
        found.append((*edges, round(y, 2), to_hex(box.get_facecolor()), text))
    return found


def test_both_arrows_start_at_one_sentence_and_end_at_those_that_bert_reads_with_it():
    figure = figures.next_sentence_sources(SCENE, ELSEWHERE, 0, 1, "Two kinds")
    assert style.png(figure)
    (axes,) = figure.axes
    boxes = boxes_with_texts(axes)
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    # The last point only closes the head, and is nowhere.
    ends = [min(patch.get_path().vertices[:-1], key=lambda at: at[1]) for patch in arrows]
    starts = {line.get_xdata()[0] for line in axes.lines}
    reached = [
        next(text for left, right, y, _, text in boxes
             if left < end[0] < right and 0.1 < end[1] - y < 0.2)
        for end in ends
    ]  # fmt: skip
    assert reached == [SCENE[1], ELSEWHERE[1]]
    (start,) = starts
    assert next(text for left, right, *_, text in boxes if left < start < right) == SCENE[0]
    tinted = [[text for *_, fill, text in boxes if fill == tint] for tint in TINTS]
    assert tinted[0] == [SCENE[0], *["[CLS]", SCENE[0], "[SEP]"] * 2]
    assert tinted[1] == [SCENE[1], ELSEWHERE[1], SCENE[1], "[SEP]", ELSEWHERE[1], "[SEP]"]
    words = figures.describe_next_sentence_sources(SCENE, ELSEWHERE, 0, 1)
    assert "the next sentence of its scene, “Nay, answer me.”: follows, class 0" in words
    assert "to “This is Illyria, lady.”: does not follow, class 1" in words


def test_words_are_within_their_boxes_and_boxes_apart():
    figure = figures.next_sentence_sources(SCENE, ELSEWHERE, 1, 0)
    assert style.png(figure)
    (axes,) = figure.axes
    rows = {}
    for left, right, y, *_ in boxes_with_texts(axes):
        rows.setdefault(y, []).append((left, right))
    assert [len(row) for row in rows.values()] == [3, 2, 5, 5]
    for row in rows.values():
        assert all(end < start for (_, end), (start, _) in itertools.pairwise(row))
    edges = {text.get_position(): text.get_window_extent() for text in axes.texts}
    for (x, y), of_text in edges.items():
        for left, right, height, *_ in boxes_with_texts(axes):
            if left < x < right and abs(y - height) < 0.01:
                start, end = axes.transData.transform([(left, y), (right, y)])[:, 0]
                assert start + 4 < of_text.x0 < of_text.x1 < end - 4


def test_any_sentence_can_be_drawn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        odd = figures.next_sentence_sources(["a\x00", "$x$ 😀\n" + "b" * 300, ""], ["<b>"], 0, 0)
        style.png(odd)
    assert odd.get_size_inches()[0] < 10


@pytest.mark.parametrize(("first", "other"), [(2, 0), (-1, 0), (0, 2), (0, -1)])
def test_a_pair_needs_its_sentences(first, other):
    for made in (figures.next_sentence_sources, figures.describe_next_sentence_sources):
        with pytest.raises(ShapeError, match="that is not its last, and one of the other"):
            made(SCENE, ELSEWHERE, first, other)


def strips_of(axes):
    """Return for each row its two strips from left to right, a letter for each cell.

    a and b: a token of A or of B; x: of another scene; #: hidden.
    """
    letters = {style.BLUE: "a", style.PALE_SKY: "b", style.INK: "#"}
    rows = {}
    for cell in axes.patches:
        if cell.get_width() == pytest.approx(0.12):
            letter = "x" if cell.get_hatch() else letters[to_hex(cell.get_facecolor())]
            rows.setdefault(round(cell.get_y(), 3), []).append((cell.get_x(), letter))
    joined = ["".join(letter for _, letter in sorted(row)) for row in rows.values()]
    return [f"{row[:6]} {row[6:]}" for row in joined]


def bars_of(axes):
    return [(to_hex(bar.get_facecolor()), bar.get_width() / 2.6)
            for bar in axes.patches if abs(bar.get_height() - 0.24) < 1e-9]  # fmt: skip


def test_the_strips_show_what_each_kind_of_pair_is():
    (axes,) = figures.pair_kinds(FOLLOWS, "By the cut", "share called next").axes
    assert strips_of(axes) == [
        "aaaaaa bbbbbb",
        "bbbbbb aaaaaa",
        "aaaaaa bbbbbb",
        "aaaaaa xxxxxx",
        "###aaa bbb###",
        "aaa### ###bbb",
        "aaa### ###xxx",
    ]


def test_the_letter_of_a_hatched_strip_is_hatched_too():
    (axes,) = figures.pair_kinds({"from another scene": 0.2}).axes
    letters = [cell for cell in axes.patches if cell.get_width() == pytest.approx(0.24)]
    assert [bool(cell.get_hatch()) for cell in letters] == [False, True]


def test_real_pairs_are_blue_and_every_bar_has_its_number():
    figure = figures.pair_kinds(FOLLOWS, "By the cut", "share called next")
    assert style.png(figure)
    (axes,) = figure.axes
    colours, lengths = zip(*bars_of(axes), strict=True)
    assert lengths == pytest.approx(list(FOLLOWS.values()))
    real = [style.BLUE if kind.startswith(("a real", "real")) else style.SKY for kind in KINDS]
    assert list(colours) == real
    numbers = [text.get_text() for text in axes.texts if text.get_text().startswith("0.")]
    assert numbers == [f"{share:.2f}" for share in FOLLOWS.values()]
    heads = [text.get_text() for text in axes.texts if text.get_fontweight() == "bold"]
    assert [head for head in heads if len(head) > 1] == ["whole pairs", "six tokens hidden"]
    words = figures.describe_pair_kinds(FOLLOWS, "By the cut", "share called next")
    assert words.startswith("By the cut. Share called next. Whole pairs: a real pair 0.10, swapped")
    assert words.endswith("B from another scene, cut hidden 0.70.")


def test_what_is_asked_has_a_dashed_outline_where_its_bar_will_be():
    known = figures.pair_kinds(FOLLOWS).axes[0]
    asked = figures.pair_kinds(FOLLOWS | {"from the same scene": None}).axes[0]
    (outline,) = (bar for bar in asked.patches if not bar.get_facecolor()[3])
    answer = next(bar for bar in known.patches if bar.get_width() == pytest.approx(2.6 * 0.3))
    assert outline.get_xy() == pytest.approx(answer.get_xy())
    assert (outline.get_width(), outline.get_height()) == (2.6, pytest.approx(0.24))
    assert [text.get_text() for text in asked.texts].count("?") == 1
    assert asked.get_xlim() == known.get_xlim()
    assert asked.get_ylim() == known.get_ylim()


@pytest.mark.parametrize("follows", [{}, {"a pair": 0.5}])
def test_only_known_kinds_are_drawn(follows):
    for made in (figures.pair_kinds, figures.describe_pair_kinds):
        with pytest.raises(ShapeError, match="knows the kinds a real pair, the wrong way round"):
            made(follows)


def test_a_share_is_from_0_to_1():
    for made in (figures.pair_kinds, figures.describe_pair_kinds):
        with pytest.raises(ShapeError, match=r"'a real pair' must be from 0 to 1 or None, got 85"):
            made({"a real pair": 85})
