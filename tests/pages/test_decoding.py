import pytest
import torch
from page_loader import load_page
from torch.testing import assert_close

from tutorial_lib.decoding import beam_search, generate, sampling
from tutorial_lib.errors import ContextError
from tutorial_lib.models import GPT, GPTConfig


def reader():
    """A model of the library whose choices are far from even and from sure."""
    torch.manual_seed(1)
    model = GPT(GPTConfig(vocab_size=13, context=16, d_model=8, n_layers=2, n_heads=2)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model


class Cached:
    """A model of the library whose cache is made for three texts, as a page's is for any."""

    def __init__(self, model):
        self.model, self.context = model, model.config.context

    def __call__(self, ids, cache=None):
        return self.model(ids, cache=cache)

    def new_cache(self):
        return self.model.new_cache(batch=3)


@torch.no_grad()
def assert_equal(page):
    torch.manual_seed(2)
    logits = torch.randn(4, 13)
    logits[0, 3] = logits[0, 7] = 5.0  # a tie
    assert page.greedy(logits).equal(sampling.greedy(logits))
    assert_close(page.temperature(logits, 0.7), sampling.temperature(logits, 0.7))
    for k in (1, 5, 13):
        assert page.top_k(logits, k).equal(sampling.top_k(logits, k))
    for p in (0.05, 0.5, 0.95):
        assert page.top_p(logits, p).equal(sampling.top_p(logits, p))

    model, ids = reader(), torch.randint(13, (3, 4))
    for write in (page.generate, page.generate_cached):
        assert write(Cached(model), ids, 10, page.greedy).tolist() == generate(model, ids, 10)

        def choose(logits):
            return page.sample(page.top_p(page.top_k(page.temperature(logits, 1.3), 8), 0.9))

        torch.manual_seed(3)
        drawn = write(Cached(model), ids, 10, choose)
        torch.manual_seed(3)
        options = {"temperature": 1.3, "top_k": 8, "top_p": 0.9}
        assert drawn.tolist() == generate(model, ids, 10, **options)

    # Past the context of 16 the loop reads the last 16 tokens.
    long = page.generate(Cached(model), ids, 20, page.greedy)
    assert long.tolist() == generate(model, ids, 20)

    def count(ids):
        return torch.nn.functional.one_hot((ids + 1) % 13, 13).float()

    # It goes on until each text has the stop token, not counting the one it was given.
    count.context = 4
    counted = page.generate(count, torch.tensor([[7, 3], [0, 5]]), 10, page.greedy, stop=7)
    assert counted.tolist() == [[7, 3, 4, 5, 6, 7], [0, 5, 6, 7, 8, 9]]

    searches = [{"alpha": 0.0}, {"beams": 1}, {"alpha": 2.0, "stop": 2}]
    searches += [{"beams": 3, "stop": stop} for stop in range(13)]
    for options in searches:
        for text in ids[:2].tolist():
            found = page.beam_search(model, text, 7, **options)
            expected = beam_search(model, text, 7, **options)
            assert [text for _, text in found] == [beam.ids for beam in expected.beams]
            assert_close(
                [score for score, _ in found],
                [beam.score for beam in expected.beams],
                rtol=1e-5,
                atol=1e-5,
            )

    own = page.CharacterModel(13, context=16, d_model=8)
    whole = page.generate(own, ids, 10, page.greedy)
    assert page.generate_cached(own, ids, 10, page.greedy).equal(whole)
    changed = whole.clone()
    changed[:, 9:] = 0
    assert_close(own(whole)[:, :9], own(changed)[:, :9])  # it never looks ahead


def test_equal_to_the_library():
    assert_equal(load_page("decoding"))


def test_filters_that_leave_no_token_are_refused():
    page, logits = load_page("decoding"), torch.zeros(1, 3)
    for choose, value in (
        (page.temperature, 0), (page.top_k, 0), (page.top_k, 4), (page.top_p, 0)
    ):  # fmt: skip
        with pytest.raises(AssertionError):
            choose(logits, value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("argmax(dim=-1)", "argmin(dim=-1)"),
        ("logits / value", "logits * value"),
        ("logits < logits.topk(k)", "logits <= logits.topk(k)"),
        ("before >= p", "before + probability >= p"),
        (".scatter(-1, ids, ordered)", ".copy_(ordered)"),
        ("logits.softmax(dim=-1), num_samples=1", "logits.exp().sqrt(), num_samples=1"),
        ("-model.context :])[:, -1]", "-model.context :])[:, 0]"),
        ("[:, None]  # (B, 1)\n        ids = torch.cat([ids, unread], dim=1)",
         "[:, None]\n        ids = unread = torch.cat([ids, unread[:, -1:]], dim=1)"),
        ("model(ids[:, -model.context :])", "model(ids)"),
        ("(ids[:, start:] == stop)", "(ids == stop)"),
        (".any(dim=1).all()", ".any(dim=1).any()"),
        ("= totals + model(texts)", "= 0 * totals + model(texts)"),
        ("pair[0], reverse=True", "pair[0]"),
        ("in longer[:beams] if", "in longer if"),
        ("** alpha, ids", "** 1, ids"),
        ("if ids[-1] != stop][:beams]", "][:beams]"),
        ("tril(start)", "tril(start + 1)"),
        (".weight[start : start + ids.size(1)]", ".weight[: ids.size(1)]"),
    ],
)  # fmt: skip
def test_a_broken_copy_differs(old, new):
    page = load_page("decoding", old, new)
    with pytest.raises((AssertionError, RuntimeError, ContextError)):
        assert_equal(page)
