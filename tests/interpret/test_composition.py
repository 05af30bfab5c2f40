import pytest
import torch

from tutorial_lib.attention import capture_attention
from tutorial_lib.interpret import (
    Mean,
    Paths,
    Zero,
    head_output,
    head_outputs,
    induction_scores,
    induction_weight,
    intervene,
    mean_outputs,
    repeat_losses,
    repeated_sequences,
)
from tutorial_lib.models import GPT, GPTConfig, Llama, LlamaConfig
from tutorial_lib.training import set_seed

IDS = repeated_sequences(range(11), n=3, length=5)
OTHERS = torch.randint(0, 11, (4, 10), generator=torch.Generator().manual_seed(0))


def gpt():
    set_seed(0)
    return GPT(GPTConfig(vocab_size=11, context=16, d_model=8, n_layers=3, n_heads=2))


def llama():
    set_seed(0)
    sizes = {"vocab_size": 11, "context": 16, "d_model": 16, "n_layers": 3, "d_ff": 12}
    return Llama(LlamaConfig(**sizes, n_heads=4, n_kv_heads=2))


@pytest.fixture(params=[gpt, llama])
def model(request):
    model = request.param().eval()
    for weight in model.parameters():  # large enough that a head makes a difference
        weight.data.mul_(4)
    return model


def test_all_outputs_at_once_are_those_of_each_head(model):
    outputs = head_outputs(model, IDS)
    for layer in range(3):
        for head in range(model.config.n_heads):
            assert torch.equal(outputs[layer][:, head], head_output(model, layer, head, IDS))
    means = mean_outputs(model, IDS)
    torch.testing.assert_close(means[1][0], outputs[1][:, 0].flatten(0, 1).mean(dim=0))


def test_with_nothing_cut_the_weights_are_the_head_s_own(model):
    with torch.no_grad(), capture_attention(model) as maps:
        model(IDS)
    paths = Paths(model, (2, 1), IDS, mean_outputs(model, OTHERS))
    torch.testing.assert_close(paths.weights(), maps[2][:, 1])
    scores = induction_scores(model, IDS)
    assert induction_weight(paths.weights()) == pytest.approx(scores[2, 1].item(), abs=1e-6)


def test_a_head_of_the_layer_before_reaches_it_by_one_path_only(model):
    # From layer 1 nothing leads to layer 2's attention but the stream itself and layer 1's
    # feed-forward network. With that silent, all three paths cut are the head itself replaced.
    model.blocks[1].feed_forward.output.weight.data.zero_()
    means = mean_outputs(model, OTHERS)
    paths = Paths(model, (2, 0), IDS, means)
    cuts = [paths.cut((1, 1), part) for part in ("queries", "keys", "values")]
    with torch.no_grad(), intervene(model, Mean(1, 1, means[1][1])):
        wanted = head_output(model, 2, 0, IDS)
    with torch.no_grad(), intervene(model, *cuts):
        found = head_output(model, 2, 0, IDS)
    torch.testing.assert_close(found, wanted)
    with torch.no_grad(), intervene(model, *cuts[:2]):
        assert not torch.allclose(head_output(model, 2, 0, IDS), wanted, atol=1e-3)


def test_a_cut_changes_one_part_of_one_head_and_nothing_before_it(model):
    paths = Paths(model, (1, 0), IDS, mean_outputs(model, OTHERS))
    whole, cut = paths.parts(), paths.parts((0, 1))
    assert not torch.allclose(whole["keys"], cut["keys"])
    with torch.no_grad(), capture_attention(model) as maps:
        model(IDS)
    with (
        torch.no_grad(),
        intervene(model, paths.cut((0, 1), "keys")),
        capture_attention(model) as changed,
    ):
        model(IDS)
    torch.testing.assert_close(changed[1][:, 0], paths.weights((0, 1), "keys"))
    assert torch.equal(changed[0], maps[0])
    torch.testing.assert_close(changed[1][:, 1:], maps[1][:, 1:])


def test_a_head_that_always_says_its_mean_has_no_news_to_cut(model):
    means = mean_outputs(model, OTHERS)
    with intervene(model, Mean(0, 0, means[0][0])):
        paths = Paths(model, (1, 1), IDS, means)
    torch.testing.assert_close(paths.weights((0, 0)), paths.weights())
    scores = paths.scores(induction_weight)
    assert scores.shape == (1, model.config.n_heads)
    assert scores[0, 0] == pytest.approx(induction_weight(paths.weights()), abs=1e-6)
    assert scores[0, 1] != pytest.approx(induction_weight(paths.weights()), abs=1e-6)


def test_a_source_comes_before_its_target():
    model = gpt()
    means = mean_outputs(model, OTHERS)
    with pytest.raises(IndexError, match="no earlier than layer 1"):
        Paths(model, (1, 0), IDS, means).weights((1, 1))
    with pytest.raises(IndexError, match="head 2 does not exist"):
        Paths(model, (1, 2), IDS, means)


def test_a_head_at_its_mean_says_the_same_everywhere_and_is_not_silent(model):
    means = mean_outputs(model, OTHERS)
    with intervene(model, Mean(1, 0, means[1][0])):
        said = head_output(model, 1, 0, IDS)
    assert torch.equal(said, means[1][0].expand_as(said))
    with torch.no_grad(), intervene(model, Zero(1, 0)):
        silent = model(IDS)
    with torch.no_grad(), intervene(model, Mean(1, 0, means[1][0])):
        assert not torch.allclose(model(IDS), silent)


@pytest.mark.slow
def test_smollm2_s_induction_head_reads_the_note_of_a_previous_token_head(smollm2):
    ids = repeated_sequences(range(17, smollm2.config.vocab_size), n=2, length=50)
    finder, keeper = (18, 6), (16, 0)
    scores = induction_scores(smollm2, ids)
    assert divmod(scores.argmax().item(), scores.size(1)) == finder
    means = mean_outputs(smollm2, ids.flip(1))
    paths = Paths(smollm2, finder, ids, means)
    assert induction_weight(paths.weights()) > 0.85
    assert induction_weight(paths.weights(keeper, "keys")) < 0.2
    assert induction_weight(paths.weights(keeper, "queries")) > 0.6
    before = repeat_losses(smollm2, ids)[1]
    with intervene(smollm2, Zero(*finder)):
        assert repeat_losses(smollm2, ids)[1] > before + 0.8
