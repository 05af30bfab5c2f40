"""What holds for every page: what it stands on, its length, and that its program shows a result."""

import ast
import re
import sys

import pytest
from page_loader import PAGES, run_page

ALL = sorted(path for path in PAGES.glob("*.py") if path.stem != "__init__")
ALLOWED = sys.stdlib_module_names | {"torch", "einops", "regex"}

# Two numbers that each program prints; the first should be larger (1) or smaller (-1) than the
# second, and by how much at least.
RESULTS = {
    "albert": (r"words right: (\d+)%; always the commonest: (\d+)%", 1, 15),
    "attention": (r"right answers: (\d+)%; when not told the name: (\d+)%", 1, 40),
    "bart": (r"the same number: (\d+)%[\s\S]*another number: (\d+)%", 1, 60),
    "bert": (r"words right: (\d+)%; always the commonest: (\d+)%", 1, 20),
    "clip": (r"caption of 100: ([\d.]+)%; the digits the other way round: ([\d.]+)%", 1, 40),
    "decoding": (r"sampled +log p +(-[\d.]+)[\s\S]*beam search +log p +(-[\d.]+)", -1, 10),
    "distilbert": (r"taught, 2 layers: (\d+)%[\s\S]*alone, 2 layers: (\d+)%", 1, 15),
    "electra": (r"replaced words found: (\d+)%; others suspected: ([\d.]+)%", 1, 30),
    "gpt": (r"held-out: ([\d.]+) nats per character; .* pairs: ([\d.]+)", -1, 0.2),
    "perceiver": (
        r"right on new digits: ([\d.]+)%; by the nearest mean picture: ([\d.]+)%",
        1,
        2,
    ),
    "positions": (r"no positions +(\d+)%[\s\S]*relative +(\d+)%", -1, 50),
    "roberta": (r"hidden once: .* loss ([\d.]+)[\s\S]*every pass: .* loss ([\d.]+)", 1, 0.1),
    "swin": (r"right on new digits: ([\d.]+)%; by the nearest mean picture: ([\d.]+)%", 1, 2),
    "t5": (r"its own word: (\d+)%[\s\S]*the other task's word: (\d+)%", 1, 70),
    "training": (
        r"held-out: ([\d.]+) nats per character; by their frequencies alone: ([\d.]+)",
        -1,
        0.8,
    ),
    "transformer": (r"(\d+)% of 300 new numbers .* gives (\d+)%", 1, 70),
    "xlm": (r"beside the translation: (\d+)%; alone: (\d+)%", 1, 15),
    "visualbert": (
        r"with the picture, words right: (\d+)%[\s\S]*without the picture, words right: (\d+)%",
        1,
        30,
    ),
    "vit": (r"right on new digits: ([\d.]+)%; by the nearest mean picture: ([\d.]+)%", 1, 2),
}

# Most programs train for a minute. Each page's model, loss and tokens are compared with the
# library's in every run; that its program learns is shown by one, and by all in `make test-all`.
IN_EVERY_RUN = {"vit"}


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_page_stands_on_nothing_of_the_package(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "a page copied on its own has nothing beside it"
            imported.add(node.module.partition(".")[0])
    assert imported <= ALLOWED


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_page_is_a_page(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert 60 <= len(lines) <= 150


def test_the_data_are_a_few_small_files():
    sizes = {path.name: path.stat().st_size for path in (PAGES / "data").iterdir()}
    assert {"shakespeare.txt", "digits.txt", "numbers_en_de.txt"} <= sizes.keys()
    assert sum(sizes.values()) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.sweep] * (name not in IN_EVERY_RUN))
        for name in RESULTS
    ],
)
def test_the_program_beats_its_baseline(name, tmp_path):
    done = run_page(name, tmp_path)  # from any folder
    pattern, direction, margin = RESULTS[name]
    found = re.search(pattern, done.stdout)
    assert found, done.stdout
    ours, baseline = map(float, found.groups())
    assert direction * (ours - baseline) >= margin, done.stdout
