"""Muon: an optimizer that lets every direction of a weight matrix learn at the same speed.

A gradient matrix is mostly a few strong directions; the many weak ones hardly move. Muon takes
the momentum and makes all its directions equally strong before the step.
"""

from itertools import groupby

import torch
from torch import nn

# A quintic that pushes singular values towards 1 as fast as it can; near 1 it only comes close,
# between 0.7 and 1.2, and that is enough (Jordan et al. 2024).
QUINTIC = (3.4445, -4.7750, 2.0315)


def orthogonalise(matrices, iterations=5):
    """Return matrices (..., M, N) with all singular values brought near 1, by Newton-Schulz.

    The exact answer is U V^T of the singular value decomposition U S V^T; this needs nothing but
    products. A matrix of zeros stays zero.

    >>> matrix = torch.diag(torch.tensor([3.0, 1.0, 0.5]))
    >>> values = torch.linalg.svdvals(orthogonalise(matrix))
    >>> bool(((values > 0.65) & (values < 1.25)).all())
    True
    """
    a, b, c = QUINTIC
    tall = matrices.size(-2) > matrices.size(-1)
    x = matrices.mT if tall else matrices  # the smaller side makes the smaller products
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-7)
    for _ in range(iterations):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """Muon for the weights of all nn.Linear layers of a model, AdamW for all that remains.

    What remains are embeddings, biases and norms: no maps from vectors to vectors. A Muon step is
    scaled to the size of a usual AdamW step (Liu et al. 2025, eq. 4), so one learning rate serves
    both. weight_decay leaves out vectors.

    Muon: Jordan et al. (2024), kellerjordan.github.io/posts/muon, with Nesterov's momentum.

    >>> model = nn.Linear(2, 1)
    >>> optimizer = Muon(model, lr=0.1)
    >>> model(torch.ones(1, 2)).sum().backward()
    >>> optimizer.step()
    """

    def __init__(self, model, lr=3e-3, momentum=0.95, betas=(0.9, 0.98), weight_decay=0.01):
        layers = [module for module in model.modules() if isinstance(module, nn.Linear)]
        matrices = {id(layer.weight) for layer in layers if layer.weight.requires_grad}
        others = [p for p in model.parameters() if id(p) not in matrices and p.requires_grad]
        groups = {
            _muon: [p for p in model.parameters() if id(p) in matrices],
            _adamw: others,
        }
        super().__init__(
            [{"params": group, "update": update} for update, group in groups.items() if group],
            {"lr": lr, "momentum": momentum, "betas": betas, "weight_decay": weight_decay},
        )

    @torch.no_grad()
    def step(self):
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            parameters = [p for p in group["params"] if p.grad is not None]
            for parameter in parameters:
                if parameter.dim() > 1:
                    parameter.mul_(1 - group["lr"] * group["weight_decay"])
            group["update"](parameters, self.state, group)


def _muon(parameters, state, group):
    """Step along the orthogonalised momentum; matrices of one shape go together, to save time."""
    for shape, alike in groupby(sorted(parameters, key=_shape), key=_shape):
        alike = list(alike)
        directions = []
        for parameter in alike:
            average = _kept(state, parameter, "exp_avg")
            average.lerp_(parameter.grad, 1 - group["momentum"])
            directions.append(parameter.grad.lerp(average, group["momentum"]))  # Nesterov
        scale = 0.2 * max(shape) ** 0.5  # 0.2 is about the size of AdamW's steps
        for parameter, step in zip(alike, orthogonalise(torch.stack(directions)), strict=True):
            parameter.sub_(step, alpha=group["lr"] * scale)


def _adamw(parameters, state, group):
    """Step as AdamW does (Loshchilov and Hutter 2019, algorithm 2)."""
    beta1, beta2 = group["betas"]
    for parameter in parameters:
        average, square = (_kept(state, parameter, key) for key in ("exp_avg", "exp_avg_sq"))
        n = state[parameter].setdefault("step", torch.zeros(()))
        n += 1
        average.lerp_(parameter.grad, 1 - beta1)
        square.lerp_(parameter.grad**2, 1 - beta2)
        size = (square / (1 - beta2 ** n.item())).sqrt() + 1e-8
        parameter.addcdiv_(average, size, value=-group["lr"] / (1 - beta1 ** n.item()))


def _kept(state, parameter, key):
    return state[parameter].setdefault(key, torch.zeros_like(parameter))


def _shape(parameter):
    return tuple(parameter.shape)
