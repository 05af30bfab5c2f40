"""Chapter 07: attention through all layers."""

import torch

from tutorial_lib.exercises.chapter07_vit.rollout_slips import SLIPS
from tutorial_lib.exercises.engine.tasks import Write, case


def attention_rollout(maps):
    """Return how much of each input token reaches each place through all layers, (T, T).

    maps (L, H, T, T) are the weights of one picture, first layer first, row t looking at column s.
    A layer counts half for the mean of its heads and half for the token itself, the residual path.
    """
    reached = torch.eye(maps.size(-1), dtype=maps.dtype)
    for weights in maps:
        layer = 0.5 * weights.mean(dim=0) + 0.5 * torch.eye(maps.size(-1), dtype=maps.dtype)
        reached = layer @ reached
    return reached


def attention_rollout_rows(maps):
    """Second style."""
    # From the last layer down: what a place shows, shared out among the places it came from.
    n = maps.size(-1)
    shares = [[float(s == t) for s in range(n)] for t in range(n)]
    for layer in maps.mean(dim=1).flip(0).tolist():
        shares = [
            [0.5 * row[s] + 0.5 * sum(row[m] * layer[m][s] for m in range(n)) for s in range(n)]
            for row in shares
        ]
    return torch.tensor(shares)


def attention_rollout_cases():
    """Layers that do not commute, more than one head, and one layer alone."""
    return [
        case("3 layers, 2 heads, 4 tokens", (2 * torch.randn(3, 2, 4, 4)).softmax(dim=-1)),
        case("2 layers, 3 heads, 3 tokens", (2 * torch.randn(2, 3, 3, 3)).softmax(dim=-1)),
        case("1 layer, 2 heads, 3 tokens", torch.randn(1, 2, 3, 3).softmax(dim=-1)),
    ]


ATTENTION_ROLLOUT = Write(
    id="7.7",
    title="Attention through all layers",
    level="medium",
    text="""
A map of the last layer says which places [CLS] looks at, not which patches: by then each place
holds something of many. **Rollout** (Abnar and Zuidema 2020) follows them back. Write
`attention_rollout(maps)` for the maps (L, H, T, T) of one picture, first layer first: average the
heads of each layer, take half of that and **half of the identity** for the residual path, and
multiply the layers' matrices, a later layer on the **left** of the earlier ones. Return (T, T).
""",
    hints=(
        "What does one layer alone give? Do its rows sum to 1?",
        "Row t of a layer's matrix says what place t takes from the places below it. What is row t "
        "of second @ first?",
        "Begin with `torch.eye(T)`, and for each layer `reached = layer @ reached`.",
    ),
    solution=attention_rollout,
    second_style=attention_rollout_rows,
    mistakes=SLIPS,
    cases=attention_rollout_cases,
    see="7.5 What it looks at",
)
