"""Chapter 05: the logit lens: read an inner state as if it were the last."""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def lens_probability(states, norm, table, token):
    """Return how likely a token would be next after each layer, (L,), for states (L, D).

    states[n] is what leaves layer n at one position; norm is the model's final norm, a callable;
    table (V, D) holds the token vectors, which also make the logits; token is an id.
    """
    logits = norm(states) @ table.T  # (L, V)
    return logits.softmax(dim=-1)[:, token]


def lens_probability_one_by_one(states, norm, table, token):
    """Second style."""
    found = []
    for state in states:
        scores = torch.mv(table, norm(state[None])[0])  # (V,)
        found.append((scores[token] - scores.logsumexp(0)).exp())
    return torch.stack(found)


def lens_probability_norm_last(states, norm, table, token):
    """This takes the norm of the last state alone: each state goes through it."""
    states = torch.cat([states[:-1], norm(states[-1:])])
    return (states @ table.T).softmax(dim=-1)[:, token]


def lens_probability_logit(states, norm, table, token):
    """This returns the logit of the token: take the softmax over all V first."""
    return (norm(states) @ table.T)[:, token]


def lens_probability_of_last(states, norm, table, token):
    """This reads the last state alone: one number for each layer is asked for."""
    return (norm(states[-1:]) @ table.T).softmax(dim=-1)[:, token]


def lens_probability_all(states, norm, table, token):
    """This returns the probabilities of all V tokens: pick the column of `token`."""
    return (norm(states) @ table.T).softmax(dim=-1)


def lens_probability_summed(states, norm, table, token):
    """This adds the states up: each state already holds what all layers up to it have added."""
    return (norm(states.cumsum(dim=0)) @ table.T).softmax(dim=-1)[:, token]


def root_mean_square(gain):
    """The norm of a Llama, with this gain."""
    return lambda x: F.rms_norm(x, gain.shape, gain)


def lens_probability_cases():
    """States of growing length, as they are in a real model, so that a missing norm shows."""
    growing = torch.arange(1, 6)[:, None]
    gain = torch.rand(4) + 0.5
    return [
        case(
            "5 layers of width 4",
            growing * torch.randn(5, 4),
            root_mean_square(gain),
            torch.randn(7, 4),
            3,
        ),
        case(
            "2 layers of width 3",
            5 * torch.randn(2, 3) + 1,
            root_mean_square(torch.ones(3)),
            torch.randn(4, 3),
            0,
        ),
    ]


def example():
    """Three states, a gain, a table of five tokens."""
    generator = torch.Generator().manual_seed(5)
    states, table = (torch.randn(n, 4, generator=generator) for n in (3, 5))
    return 3 * states, torch.tensor([0.5, 1.0, 1.5, 2.0]), table


def asked(answer, states=None, factor=1.0, token=1):
    """What an answer says of the example, with other states or a norm times a factor."""
    own, gain, table = example()
    return answer(own if states is None else states, root_mean_square(factor * gain), table, token)


def uses_the_norm(answer):
    """A norm with three times the gain gives other probabilities."""
    return not torch.allclose(asked(answer), asked(answer, factor=3.0), atol=1e-5)


def layers_are_read_alone(answer):
    """What a layer says does not depend on the other layers."""
    states = example()[0]
    return torch.allclose(asked(answer, states)[:2], asked(answer, states[:2]), atol=1e-5)


def are_shares(answer):
    """The V tokens of a layer share 1."""
    if not layers_are_read_alone(answer):
        return None
    found = torch.stack([asked(answer, token=token) for token in range(5)])
    if (found <= 0).all():
        return "These are log probabilities, all below 0: take `softmax`, or `exp` of them."
    return torch.allclose(found.sum(dim=0), torch.ones(3), atol=1e-4)


LENS_PROBABILITY = Write(
    id="5.14",
    title="The logit lens",
    level="easy",
    text="""
Write `lens_probability(states, norm, table, token)`: what would the model say if it stopped early?
`states` (L, D) are the numbers of one position as they leave each layer. What does a GPT do after
its last layer? Do the same with each of them. `table` (V, D) holds the token vectors. Return the
probability of `token`, an id, after each layer: (L,).
""",
    hints=(
        "Three steps, and all layers can take them at once: `norm(states)` is (L, D).",
        "The logits are the products with all token vectors: (L, D) @ (D, V).",
        "The softmax goes over the V tokens; then pick one column.",
    ),
    solution=lens_probability,
    second_style=lens_probability_one_by_one,
    mistakes=(
        lens_probability_norm_last,
        lens_probability_logit,
        lens_probability_of_last,
        lens_probability_all,
        lens_probability_summed,
    ),
    cases=lens_probability_cases,
    properties=(
        Property(
            "The final norm is missing: after the last layer the model takes it, too.",
            uses_the_norm,
        ),
        Property(
            "What one layer says depends on the other layers: the softmax goes over the V tokens, "
            "layer by layer.",
            layers_are_read_alone,
        ),
        Property("The probabilities of all V tokens must sum to 1 in each layer.", are_shares),
    ),
    see="5L A real GPT beside ours",
)
