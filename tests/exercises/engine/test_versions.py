"""Exercises may be renumbered: what a learner has kept goes by names that stay.

version_1/ holds what the code kept when it still went by number.
"""

import json
import re
from pathlib import Path

import pytest

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.keep import HEADER, keep, upgraded, with_section
from tutorial_lib.exercises.engine.numbers import NAMED_ALIKE, VERSION_1
from tutorial_lib.exercises.engine.store import Store
from tutorial_lib.exercises.own_gpt.learners_file import LearnersFile

OLD = Path(__file__).with_name("version_1")
OLD_PROGRESS = (OLD / "progress.json").read_text(encoding="utf-8")
OLD_CODE = (OLD / "my_transformer.txt").read_text(encoding="utf-8")
SORTS = {"exercises": "exercise", "recall": "recall question", "predictions": "prediction"}


# Of earlier editions: what is kept under these keys stays in the file.
NO_LONGER_ASKED = {
    "exercises": {
        "add_positions",
        "alibi_bias",
        "blind_accuracy",
        "bytes_per_token",
        "causal_weights",
        "columns_that_move",
        "cross_attention",
        "decoder_mask",
        "few_shot",
        "first_word_accuracy",
        "gain",
        "ids_for_head",
        "large_size",
        "longest_wave",
        "loss_terms",
        "mean_colour_targets",
        "mean_pool",
        "next_sentence_pairs",
        "prompt_with_examples",
        "shift_matrix",
        "shortening",
        "teacher_forcing",
        "text_vectors",
        "visible_weights",
        "vocabulary_size",
        "wordpiece_scores",
    },
    "recall": {"digits_without_positions"},
    "predictions": {
        "alike_the_and_the",
        "bert_and_shakespeare",
        "best_layer_for_reviews",
        "bits_of_huffman",
        "characters_that_top_p_leaves",
        "cosine_of_weather",
        "digits_with_positions",
        "exact_spans",
        "f1_of_names",
        "fine_tuned_reviews",
        "first_choice_is_right",
        "gpt_with_stories_as_text",
        "gradient_of_post_norm",
        "last_token_changed",
        "leaky_gpt_elsewhere",
        "next_sentence_accuracy",
        "numbers_for_one_token",
        "numbers_in_a_patch",
        "one_head_silenced",
        "parameters_of_a_table",
        "patch_map_of_vit_b",
        "patches_without_overlap",
        "shuffled_patches_without_positions",
        "six_patches_painted_over",
        "table_of_bert_base",
        "tokens_that_become_mask",
        "vectors_that_change",
        "weights_of_one_cross_layer",
        "word_for_zwei",
        "words_at_temperature_07",
    },
}


def every(sort):
    return [
        entry for each in registry.chapters() for entry in registry.contents(each, sort).values()
    ]


@pytest.mark.parametrize("section", SORTS)
def test_keys_are_words_and_no_two_are_alike(section):
    keys = [entry.key for entry in every(SORTS[section])]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"[a-z]\w+", key) for key in keys)


@pytest.mark.parametrize("section", SORTS)
def test_each_key_of_version_1_is_still_there(section):
    """Whoever renames a solution gives the exercise its old name as slug."""
    gone = set(VERSION_1[section].values()) - {entry.key for entry in every(SORTS[section])}
    assert gone == NO_LONGER_ASKED.get(section, set())
    assert len(set(VERSION_1[section].values())) == len(VERSION_1[section])


def test_old_progress_is_read_by_key(tmp_path):
    (tmp_path / "progress.json").write_text(OLD_PROGRESS, encoding="utf-8")
    old, new = json.loads(OLD_PROGRESS), Store(tmp_path).read()
    assert new["version"] == 2
    for section, entries in old.items():
        assert len(new[section]) == len(entries)
        for number, entry in entries.items():
            assert new[section][VERSION_1[section][number]] == entry
    assert new["exercises"]["embed_patches"]["solved"]
    assert (tmp_path / "progress.json").read_text(encoding="utf-8") == OLD_PROGRESS
    Store(tmp_path).update("exercises", "causal_mask", tries=lambda before: before + 1)
    kept = json.loads((tmp_path / "progress.json").read_text(encoding="utf-8"))
    assert kept["exercises"]["causal_mask"] == {"tries": 3, "solved": True, "hints": 1}
    assert kept == Store(tmp_path).read()


def test_a_number_that_an_older_copy_counts_on_is_added(tmp_path):
    entries = {"causal_mask": {"tries": 2, "solved": True}, "2.3": {"tries": 1, "solved": False}}
    text = json.dumps({"version": 2, "exercises": entries})
    (tmp_path / "progress.json").write_text(text, encoding="utf-8")
    assert Store(tmp_path).entry("exercises", "causal_mask") == {"tries": 3, "solved": True}


def test_progress_of_a_later_version_is_left_alone(tmp_path):
    text = json.dumps({"version": 3, "exercises": {"causal_mask": {"tries": 2}}})
    (tmp_path / "progress.json").write_text(text, encoding="utf-8")
    store = Store(tmp_path)
    store.update("exercises", "causal_mask", tries=lambda before: before + 1)
    assert store.entry("exercises", "causal_mask") == {"tries": 3}
    assert (tmp_path / "progress.json").read_text(encoding="utf-8") == text
    assert "later version" in store.notices[0]


def without_marks(text):
    return [line for line in text.splitlines() if not line.startswith("# ---")]


def test_old_code_is_upgraded_mark_by_mark():
    new = upgraded(OLD_CODE)
    assert without_marks(new) == without_marks(OLD_CODE)
    assert re.findall(r"^# --- (\w+): exercise (\S+) ---$", new, re.MULTILINE) == [
        ("attention", "2.2"),
        ("causal_mask", "2.3"),
        ("embed", "1.12"),
        ("embed_patches", "7.3"),
    ]
    assert not re.search(r"^# --- (end of )?exercise", new, re.MULTILINE)
    assert upgraded(new) == new


@pytest.mark.parametrize("text", [OLD_CODE, upgraded(OLD_CODE)])
def test_the_sections_of_both_versions_are_found(tmp_path, text):
    path = tmp_path / "my_transformer.py"
    path.write_text(text, encoding="utf-8")
    file = LearnersFile(path)
    assert list(file.pieces) == ["attention", "causal_mask", "embed", "embed_patches"]
    assert all(piece.error is None for piece in file.pieces.values())
    assert file.around.names["MINE"] == 1


def test_a_renumbered_exercise_deletes_no_older_function(parts, write, learner, progress_folder):
    """2.3 was causal_mask; after renumbering 2.3 is another exercise."""
    path = progress_folder / "my_transformer.py"
    progress_folder.mkdir()
    path.write_text(OLD_CODE, encoding="utf-8")
    moved = type(write)(**parts | {"id": "2.3"})
    learner.run("def area(width, height):\n    return width * height")
    assert keep(moved, learner.area) == "Kept in my_transformer.py."
    text = path.read_text(encoding="utf-8")
    assert set(without_marks(OLD_CODE)) <= set(without_marks(text))
    file = LearnersFile(path)
    assert {"causal_mask", "area"} <= set(file.pieces)
    renumbered = type(write)(**parts | {"id": "2.4"})
    keep(renumbered, learner.area)
    again = path.read_text(encoding="utf-8")
    assert again == text.replace("# --- area: exercise 2.3 ---", "# --- area: exercise 2.4 ---")


def test_code_of_a_later_version_is_left_alone(write, learner, progress_folder):
    path = progress_folder / "my_transformer.py"
    progress_folder.mkdir()
    path.write_text(HEADER.replace("version 2", "version 3"), encoding="utf-8")
    before = path.read_bytes()
    learner.run("def area(width, height):\n    return width * height")
    assert "comes from a later version" in keep(write, learner.area)
    assert path.read_bytes() == before


def test_two_exercises_of_one_name_have_a_section_each():
    one, two = registry.find("1.12"), registry.find("7.3")
    assert one.name == two.name
    assert NAMED_ALIKE["7.3", one.name] == two.key
    text = with_section(with_section(HEADER, one, "embed = 1"), two, "embed = 2")
    assert "embed = 1" in text
    assert "embed = 2" in text


HOSTILE = {
    "brackets": "(" * 100_000,
    "a long sum": "x = " + "1+" * 100_000 + "1",
    "minus signs": "x = " + "-" * 100_000 + "1",
    "zero bytes": "x = 1\0",
    "attributes": "x" + ".y" * 100_000,
    "a huge number": "x = " + "9" * 5_000,
    "an endless loop": "while True:\n    pass",
    "Ctrl-C": "raise KeyboardInterrupt",
    "gradients": "import torch\ntorch.set_grad_enabled(False)",
    "marks": "# --- f: exercise 1.1 ---\n" * 500,
    "a lone surrogate": "x = '\\ud800'",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_never_fatal(name, write, learner, progress_folder, monkeypatch):
    import torch

    from tutorial_lib.exercises.engine import guard

    monkeypatch.setattr(guard, "SECONDS", 0.5)
    path = progress_folder / "my_transformer.py"
    progress_folder.mkdir()
    path.write_text(HOSTILE[name] + "\n", encoding="utf-8")
    learner.run("def area(width, height):\n    return width * height")
    assert keep(write, learner.area) == "Kept in my_transformer.py."
    assert HOSTILE[name] in path.read_text(encoding="utf-8")
    assert LearnersFile(path).pieces["area"].error is None
    assert torch.is_grad_enabled()


@pytest.mark.parametrize(
    "damage", ["[" * 100_000, '{"a":' * 100_000, "1" * 5_000, '{"version": "x"}']
)
def test_hostile_progress_is_never_fatal(tmp_path, damage):
    (tmp_path / "progress.json").write_text(damage, encoding="utf-8")
    store = Store(tmp_path)
    store.update("exercises", "causal_mask", tries=1)
    assert Store(tmp_path).entry("exercises", "causal_mask") == {"tries": 1}
