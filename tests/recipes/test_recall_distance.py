import torch

from tutorial_lib.recipes.recall_distance import QUESTION, AttentionReader, LSTMReader, sample


def test_the_red_digit_stands_k_steps_before_the_question():
    for seed in range(20):
        tokens, answers = sample(16, distance=5, generator=torch.Generator().manual_seed(seed))
        assert (tokens[:, -1] == QUESTION).all()
        assert torch.equal(tokens[:, -1 - 5], answers + 10)
        red = (tokens >= 10) & (tokens < QUESTION)
        assert (red.sum(dim=1) == 1).all()


def test_attention_needs_no_positions():
    torch.manual_seed(0)
    model = AttentionReader(12)
    tokens, _ = sample(4, distance=9, generator=torch.Generator().manual_seed(0))
    shuffled = torch.cat([tokens[:, torch.randperm(tokens.size(1) - 1)], tokens[:, -1:]], dim=1)
    assert torch.allclose(model(tokens), model(shuffled), atol=1e-5)
    lstm = LSTMReader(12)
    assert not torch.allclose(lstm(tokens), lstm(shuffled), atol=1e-5)
