import pytest

from tutorial_lib import figures
from tutorial_lib.errors import ShapeError
from tutorial_lib.figures import style
from tutorial_lib.figures.chapter06b_using_bert import answers
from tutorial_lib.figures.chapter06b_using_bert import tasks as bert_tasks

SPEECH = {
    "play": "Hamlet",
    "words": ["My", "lord", "Hamlet", ",", "good", "Horatio", "and", "Yorick"],
    "tags": ["O", "O", "B", "O", "O", "B", "O", "O"],
    "said": ["O", "O", "B", "O", "O", "O", "O", "B"],
}


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_names_found_missed_and_wrongly_said_look_different():
    fates = bert_tasks.name_fates(SPEECH["tags"], SPEECH["said"])
    assert fates[2] == "found"
    assert fates[5] == "missed"
    assert fates[7] == "marked, but wrong"
    assert fates.count("") == 5
    figure = figures.named_speeches([SPEECH], "title")
    assert texts(figure) == ["Hamlet", *SPEECH["words"], *bert_tasks.FATES]
    frames = figure.axes[0].patches
    assert len(frames) == 6  # three words, three in the key
    assert len({frame.get_linestyle() for frame in frames}) == 3
    at = {text.get_text(): text.get_position()[0] for text in figure.axes[0].texts[1:9]}
    assert [round(frame.get_x() + 0.05, 3) for frame in frames[:3]] == [
        round(at[word], 3) for word in ("Hamlet", "Horatio", "Yorick")
    ]


def test_a_long_speech_is_broken_into_lines_inside_the_page():
    speech = SPEECH | {key: list(SPEECH[key]) * 9 for key in ("words", "tags", "said")}
    figure = figures.named_speeches([speech, SPEECH])
    rows = {round(text.get_position()[1], 2) for text in figure.axes[0].texts}
    assert len(rows) > 6
    assert all(text.get_position()[0] < answers.WIDTH for text in figure.axes[0].texts)


def test_the_alt_text_names_the_names():
    alt = figures.describe_named_speeches([SPEECH])
    assert "found: Hamlet; marked, but wrong: Yorick; missed: Horatio" in alt


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeError, match="at least one speech"):
        figures.named_speeches([])
    with pytest.raises(ShapeError, match="8 words, but 1 tags"):
        figures.named_speeches([SPEECH | {"tags": ["O"]}])
    with pytest.raises(ShapeError, match="2 true tags, but 1 said"):
        bert_tasks.name_fates("OO", "O")


def test_a_figure_can_be_drawn_again():
    figure = figures.named_speeches([SPEECH], "one")
    again = figures.named_speeches([SPEECH], "two", figure=figure)
    assert again is figure
    assert len(figure.axes) == 1
    assert style.png(figure)[:4] == b"\x89PNG"
