"""Where am I: vectors that tell a model the place of each token."""

import torch
from torch import nn

from tutorial_lib.errors import ContextError, ShapeError


def sinusoidal(n_positions, d_model, device=None):
    """Return the sinusoidal position vectors (n_positions, D) (Vaswani et al. 2017, section 3.5).

    PE(pos, 2i) = sin(pos / 10000^(2i / D)), the cosine beside it, i from 0 to D/2 - 1.
    Raises ShapeError when D is odd: sine and cosine come in pairs.

    >>> sinusoidal(2, 4)[0]
    tensor([0., 1., 0., 1.])
    """
    if d_model % 2 or d_model < 2:
        raise ShapeError(f"sinusoids come in pairs, so d_model must be even, got {d_model}")
    # float64 on the way: the angle of a far position would lose digits in float32.
    position = torch.arange(n_positions, dtype=torch.float64, device=device)
    pair = torch.arange(d_model // 2, dtype=torch.float64, device=device)
    angle = position[:, None] / 10_000 ** (2 * pair / d_model)  # (T, D/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()  # (T, D)


class LearnedPositions(nn.Module):
    """One learned vector for each position up to the context (BERT, GPT).

    >>> LearnedPositions(context=8, d_model=4)(3).shape
    torch.Size([3, 4])
    """

    def __init__(self, context, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, length, start=0):
        """Return the vectors (T, D) of positions start ... start + length - 1.

        Raises ContextError when they pass the end of the context.
        """
        context = self.weight.size(0)
        if start + length > context:
            raise ContextError(
                f"the sequence is {start + length} tokens long, the context of this model "
                f"holds {context}"
            )
        return self.weight[start : start + length]
