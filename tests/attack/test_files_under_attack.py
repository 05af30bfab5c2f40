"""The files of the course under attack: kills, presses, truncations, flips, crafted contents.

Everything is drawn from a seed. A file that was damaged is refused with one of the errors of the
package, or read as it was; nothing else, and no half of anything, ever comes out. The whole takes
about two minutes, so it runs in `make test-all`.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from tutorial_lib import recipes
from tutorial_lib.decoding import beam_search, generate
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import atomic, load_metadata, load_tensors, parse_json
from tutorial_lib.models import GPT, GPTConfig
from tutorial_lib.training import fit, load_run

pytestmark = [pytest.mark.sweep, pytest.mark.slow]

# What a reader may say of a file that was damaged; anything else is a hole.
REFUSALS = (DamagedFileError, MissingDataError)
STEPS = 8


def small_gpt(seed=0):
    torch.manual_seed(seed)
    return GPT(GPTConfig(vocab_size=11, context=8, d_model=8, n_layers=2, n_heads=2)).eval()


def error(model, x):
    return (model(x) - x.flip(-1)).square().mean()


def network(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.2), nn.Linear(16, 6))


def batches():
    return torch.randn(5, 4, 6, generator=torch.Generator().manual_seed(3)).unbind()


def train(path, **options):
    model = network()
    options = {"steps": STEPS, "checkpoint": path, "progress": False, "device": "cpu"} | options
    return model, fit(model, batches(), error, **options)


def same(first, second):
    return first.keys() == second.keys() and all(
        first[name].dtype == second[name].dtype and torch.equal(first[name], second[name])
        for name in first
    )


def damaged(content, draw):
    """Return a file with one of the damages that disks, networks and people do."""
    content = bytearray(content)
    kind = draw.randrange(6)
    place = draw.randrange(len(content))
    if kind == 0:
        content[place] ^= 1 << draw.randrange(8)
    elif kind == 1:
        del content[place:]
    elif kind == 2:
        content[place : place + 64] = draw.randbytes(64)
    elif kind == 3:
        content[place:place] = draw.randbytes(draw.randrange(1, 20))
    elif kind == 4:
        content[place : place + 200] = bytes(200)
    else:
        del content[place : place + draw.randrange(1, 40)]
    return bytes(content)


def test_damaged_models_are_refused_or_are_as_they_were(tmp_path):
    path = tmp_path / "gpt.safetensors"
    model = small_gpt()
    model.save(path)
    whole, draw = path.read_bytes(), random.Random(0)
    refused = 0
    for _ in range(600):
        path.write_bytes(damaged(whole, draw))
        try:
            found = GPT.load(path)
        except REFUSALS:
            refused += 1
            continue
        assert found.config == model.config
        assert same(found.state_dict(), model.state_dict())
    assert refused > 550


def test_damaged_runs_are_refused_or_are_as_they_were(tmp_path):
    path = tmp_path / "run.safetensors"
    trained, history = train(path)
    whole, draw = path.read_bytes(), random.Random(1)
    refused = 0
    for _ in range(400):
        path.write_bytes(damaged(whole, draw))
        model = network(seed=1)
        optimizer = torch.optim.AdamW(
            [
                {"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": 0.01},
                {"params": [p for p in model.parameters() if p.dim() == 1], "weight_decay": 0.0},
            ],
            betas=(0.9, 0.98),
            fused=True,
        )
        try:
            found = load_run(path, model, optimizer, STEPS)
        except REFUSALS:
            refused += 1
            assert same(model.state_dict(), network(seed=1).state_dict())
            continue
        assert found.loss == history.loss
        assert same(model.state_dict(), trained.state_dict())
    assert refused > 350


def odd_value(draw):
    numbers = [-1, 0, 3, 10**18, 10**40, 0.5, 1e300, -0.0, float("nan")]
    others = [None, True, "", "6", "x" * 1000, [], {}, [[]], [None], [1] * 50, {"a": None}]
    return draw.choice([*numbers, *others])


def crafted(value, draw):
    """Return JSON values with one place, drawn by chance, that holds something odd."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        name = draw.choice(sorted(value))
        if draw.random() < 0.1:
            return {key: kept for key, kept in value.items() if key != name}
        return value | {name: crafted(value[name], draw)}
    if isinstance(value, list) and value and draw.random() < 0.8:
        place = draw.randrange(len(value))
        return [*value[:place], crafted(value[place], draw), *value[place + 1 :]]
    return odd_value(draw)


def craft_tensors(tensors, draw):
    """Return tensors of which one has another shape or dtype, is gone, or is new."""
    name = draw.choice(sorted(tensors))
    tensor = tensors[name]
    changes = [
        lambda: tensor.flatten()[:1],
        lambda: tensor.double(),
        lambda: torch.zeros(()),
        lambda: torch.zeros(0),
        lambda: tensor[None],
        lambda: torch.zeros(3, 2, 1, dtype=torch.int64),
        None,
    ]
    change = draw.choice(changes)
    kept = {key: value.clone() for key, value in tensors.items() if key != name}
    if change is not None:
        kept[draw.choice([name, name, f"{name}.more", "optimizer.x", "optimizer.."])] = change()
    return kept


def test_crafted_runs_do_no_harm(tmp_path):
    """Without a checksum, as somebody would who wants to do harm: memory must stay whole."""
    path = tmp_path / "run.safetensors"
    train(path, stop=lambda history: len(history.loss) == 4)
    tensors, run = load_tensors(path), json.loads(load_metadata(path)["run"])
    draw = random.Random(2)
    went_on = 0
    for number in range(500):
        metadata, content = run, tensors
        if number % 2:
            metadata = crafted(run, draw)
        else:
            content = craft_tensors(tensors, draw)
        save_file(content, path, {"run": json.dumps(metadata)})
        try:
            model, history = train(path)
        except REFUSALS:
            continue
        except ValueError as refusal:  # a whole file, but of another run
            if "another" not in str(refusal):
                raise
            continue
        went_on += 1
        assert len(history.loss) == STEPS
        assert all(parameter.isfinite().all() for parameter in model.parameters())
    assert went_on < 100


def test_crafted_configs_are_refused(tmp_path):
    path = tmp_path / "gpt.safetensors"
    model = small_gpt()
    model.save(path)
    tensors, config = load_tensors(path), json.loads(load_metadata(path)["config"])
    draw = random.Random(3)
    for _ in range(300):
        odd = crafted(config, draw)
        save_file(tensors, path, {"model": "GPT", "config": json.dumps(odd)})
        try:
            found = GPT.load(path)
        except REFUSALS:
            continue
        assert same(found.state_dict(), model.state_dict())


@pytest.mark.parametrize("name", ["one-head-reader", "mnist-vit", "translation-de"])
def test_crafted_cards_are_refused(name, tmp_path):
    card = json.loads((recipes.CHECKPOINTS / f"{name}.json").read_text())
    for file in recipes.CHECKPOINTS.glob(f"{name}.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    expected = recipes.load_checkpoint(name, recipes.CHECKPOINTS).state_dict()
    draw = random.Random(4)
    for _ in range(60):
        (tmp_path / f"{name}.json").write_text(json.dumps(crafted(card, draw)))
        try:
            model = recipes.load_checkpoint(name, tmp_path)
        except REFUSALS:
            continue
        assert same(model.state_dict(), expected)


def test_odd_json_is_one_kind_of_error():
    draw = random.Random(5)
    signs = ["[", "]", "{", "}", '"', "a", ":", ",", "1", "-", ".", "e9", "NaN", "\\u", "\ud800"]
    for _ in range(20_000):
        text = "".join(draw.choices(signs, k=draw.randrange(1, 30)))
        with suppress(DamagedFileError):
            parse_json(text, "odd")
    for depth in (51, 500, 5_000, 10**6):
        for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
            with pytest.raises(DamagedFileError, match="more than 50 deep"):
                parse_json(text, "odd")


SAVING = """
import sys, torch
from tutorial_lib.files import save_tensors
print("ready", flush=True)
for number in range(10**6):
    save_tensors(sys.argv[1], {"a": torch.full((200, 200), float(number % 7))}, {"n": str(number)})
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_a_program_that_is_killed_while_it_saves_leaves_a_whole_file(tmp_path):
    path = tmp_path / "weights.safetensors"
    draw = random.Random(6)
    for _ in range(4):
        command = [sys.executable, "-c", SAVING, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout.readline() == "ready\n"
            time.sleep(draw.random() * 0.3)
            program.send_signal(signal.SIGKILL)
        if path.exists():
            assert load_tensors(path)["a"].unique().numel() == 1
    if atomic.fcntl is not None:
        with atomic.replacing(path) as temporary:
            temporary.write_bytes(b"")
        assert [file.name for file in tmp_path.iterdir()] == ["weights.safetensors"]


PRESSED = """
import signal, sys
sys.path.insert(0, sys.argv[3])
signal.signal(signal.SIGINT, signal.default_int_handler)
from test_files_under_attack import train
print("ready", flush=True)
model, history = train(sys.argv[1], steps=int(sys.argv[2]), checkpoint_every=3)
print(history.stopped, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals between programs are others there")
def test_ctrl_c_at_any_time_changes_nothing_in_the_end(tmp_path):
    steps = 400
    whole, expected = train(tmp_path / "whole.safetensors", steps=steps)
    path = tmp_path / "pressed.safetensors"
    draw, said = random.Random(7), []
    for _ in range(4):
        command = [sys.executable, "-c", PRESSED, str(path), str(steps), str(Path(__file__).parent)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout.readline() == "ready\n"
            time.sleep(draw.random() * 0.5)
            program.send_signal(signal.SIGINT)
            said.append(program.stdout.read().strip())
        if said[-1] == "finished":
            break
    assert {"", "interrupted", "finished"} >= set(said)  # "": pressed before the run began
    model, history = train(path, steps=steps)
    assert history.loss == expected.loss
    assert same(model.state_dict(), whole.state_dict())


def test_odd_options_of_decoding_are_refused_or_decode():
    model, draw = small_gpt(), random.Random(8)
    odd = [None, 0, -1, 1e-50, 1e-320, 0.5, 1, 2, 1e308, float("inf"), float("nan"), 11, 12, 10**30]
    names = ("temperature", "top_k", "top_p", "slide")
    written = 0
    for _ in range(600):
        options = {name: draw.choice(odd) for name in draw.sample(names, 3)}
        try:
            made = generate(model, [1, 2], max_new_tokens=12, seed=0, **options)
        except (ValueError, TypeError):
            continue
        written += 1
        assert all(0 <= token < 11 for token in made)
    assert written > 20
    for value in (0, -1, 1e-50, float("nan"), float("inf"), 3):
        try:
            assert beam_search(model, [1], 3, alpha=value).best[0] == 1
        except ValueError:
            assert not value >= 0 or value == float("inf")
