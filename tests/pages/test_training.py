import itertools

import pytest
import torch
from page_loader import load_page
from torch import nn
from torch.testing import assert_close

from tutorial_lib.objectives import NextTokenBatches, mean_next_token_loss, next_token_loss
from tutorial_lib.training import fit

STEPS = 12
IDS = torch.randint(9, (60,), generator=torch.Generator().manual_seed(1))


def model(page, dropout=0.0):
    torch.manual_seed(2)
    made = page.CharacterModel(9, d_model=4, width=6, n_seen=3)
    made.dropout.p = dropout
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_()
    return made


def same_batches():
    return itertools.islice(NextTokenBatches(IDS, batch_size=3, context=7), STEPS)


def assert_equal(page, file):
    ours, theirs = model(page), model(page)
    expected = fit(ours, list(same_batches()), next_token_loss, steps=STEPS, lr=0.1, warmup=3,
                   device="cpu", progress=False)  # fmt: skip
    losses = page.fit(theirs, same_batches(), page.next_token_loss, STEPS, peak=0.1, warmup=3)
    assert_close(losses, expected.loss, atol=1e-4, rtol=1e-4)
    rates = [page.learning_rate(step, STEPS, 0.1, 3) for step in range(1, STEPS + 1)]
    assert_close(rates, expected.lr)
    assert_close(theirs.state_dict(), ours.state_dict(), atol=1e-4, rtol=1e-3)

    inputs, targets = next(page.windows(IDS, batch_size=4, context=7))
    assert inputs.shape == (4, 7)
    assert inputs[:, 1:].equal(targets[:, :-1])
    windows = torch.cat([inputs, targets[:, -1:]], dim=1)  # (4, 8)
    assert (IDS.unfold(0, 8, 1)[None] == windows[:, None]).all(dim=-1).any(dim=-1).all()
    noisy = model(page, dropout=0.5)
    whole = IDS[:57]  # 8 windows of 7 and the token after
    expected = mean_next_token_loss(noisy, whole, context=7)
    assert_close(page.mean_loss(noisy.train(), whole, 7), expected)
    assert noisy.training
    page.mean_loss(noisy.eval(), whole, 7)
    assert not noisy.training

    assert_several_batches_make_one_step(page)
    assert_same_after_resuming(page, file)


def assert_several_batches_make_one_step(page):
    """Three batches of three count as one of nine."""
    small = list(same_batches())
    large = [
        tuple(torch.cat(parts) for parts in zip(*small[n : n + 3], strict=True))
        for n in range(0, STEPS, 3)
    ]
    one, three = model(page), model(page)
    options = {"steps": STEPS // 3, "warmup": 0}
    expected = page.fit(one, iter(large), page.next_token_loss, **options)
    found = page.fit(three, iter(small), page.next_token_loss, **options, parts=3)
    assert_close(found, expected, atol=1e-5, rtol=1e-5)
    assert_close(three.state_dict(), one.state_dict(), atol=1e-5, rtol=1e-4)


def assert_same_after_resuming(page, file):
    def run(steps_before_the_stop, file):
        trained = model(page, dropout=0.5)
        torch.manual_seed(3)

        def batches():
            for _ in range(steps_before_the_stop):
                yield next(page.windows(IDS, 3, 7))
            raise KeyboardInterrupt

        options = {"steps": STEPS, "every": 4, "file": file}
        if steps_before_the_stop < STEPS:
            with pytest.raises(KeyboardInterrupt):
                page.fit(trained, batches(), page.next_token_loss, **options)
            trained = model(page, dropout=0.5)
            torch.manual_seed(4)  # a new program draws other numbers
        losses = page.fit(trained, page.windows(IDS, 3, 7), page.next_token_loss, **options)
        return losses, trained.state_dict()

    whole, stopped = run(STEPS, None), run(9, file)
    assert_close(stopped[0], whole[0], atol=0, rtol=0)
    assert_close(stopped[1], whole[1], atol=0, rtol=0)


def test_equal_to_the_library(tmp_path):
    assert_equal(load_page("training"), tmp_path / "run.pt")


@pytest.mark.parametrize("every", [4, 5, 100])
def test_the_last_steps_are_saved_too(every, tmp_path):
    page, file = load_page("training"), tmp_path / "run.pt"
    trained = model(page)
    losses = page.fit(trained, same_batches(), page.next_token_loss, STEPS, every=every, file=file)
    other = model(page)
    nothing_left = page.fit(other, iter([]), page.next_token_loss, STEPS, file=file)
    assert nothing_left == losses
    assert_close(other.state_dict(), trained.state_dict(), atol=0, rtol=0)


def test_without_warm_up_the_first_step_is_near_the_peak():
    page = load_page("training")
    trained, rate, seen = model(page), page.learning_rate, []
    page.fit.__globals__["learning_rate"] = lambda *args: seen.append(rate(*args)) or seen[-1]
    page.fit(trained, same_batches(), page.next_token_loss, STEPS, peak=1.0, warmup=0)
    assert seen[0] > 0.98
    assert seen == sorted(seen, reverse=True)


def test_only_matrices_decay():
    groups = load_page("training").adamw(nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3)))
    decays = [(group["weight_decay"], len(group["params"])) for group in groups.param_groups]
    assert decays == [(0.01, 1), (0.0, 3)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("window[:, 1:]", "window[:, :-1]"),
        ("step / warmup", "1"),
        ("0.5 * (1 + math.cos(math.pi * done))", "(1 - done)"),
        ("    optimizer.zero_grad()  # or the next step would add to these gradients\n", ""),
        ("loss(model, batch) / len(batches)", "loss(model, batch)"),
        ("for _ in range(parts)]", "for _ in range(1)]"),
        ("    model.train(was_training)\n", ""),
        ("    nn.utils.clip_grad_norm_(model.parameters(), clip)", "    pass"),
        ('{"params": matrices, "weight_decay": 0.01}', '{"params": matrices, "weight_decay": 0.5}'),
        ("betas=(0.9, 0.98)", "betas=(0.9, 0.999)"),
        ("unfold(0, context + 1, context)", "unfold(0, context + 1, context + 1)"),
        ("    model.eval()  # dropout off\n", ""),
        ('    optimizer.load_state_dict(state["optimizer"])\n', ""),
        ('    torch.set_rng_state(state["random"][0])\n', ""),
        ("range(len(losses) + 1, steps + 1)", "range(1, steps + 1)"),
    ],
)
def test_a_broken_copy_differs(old, new, tmp_path):
    page = load_page("training", old, new)
    with pytest.raises((AssertionError, RuntimeError, KeyboardInterrupt, pytest.fail.Exception)):
        assert_equal(page, tmp_path / "run.pt")
