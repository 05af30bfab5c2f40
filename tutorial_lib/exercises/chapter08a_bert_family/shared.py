"""Chapter 08a: one layer, applied many times."""

import itertools

import torch
from torch import nn

from tutorial_lib.exercises.engine.attempts import fill
from tutorial_lib.exercises.engine.tasks import Property, Write, case


def shared_body(make_layer, n_layers):
    """Return a module, called as body(x, mask), that applies one layer n_layers times.

    make_layer() makes a new layer, called as layer(x, mask); x (B, T, D), mask (B, T) goes to each
    layer as it is. The body's parameters are those of one layer.
    """

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = make_layer()

        def forward(self, x, mask):
            for _ in range(n_layers):
                x = self.layer(x, mask)
            return x

    return Body()


def shared_body_listed(make_layer, n_layers):
    """Second style."""

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([make_layer()] * n_layers)

        def forward(self, x, mask):
            for layer in self.layers:
                x = layer(x, mask)
            return x

    return Body()


def shared_body_copies(make_layer, n_layers):
    """This copies the weights of one layer into all others. They are alike at first, but each layer
    has its own: all are stored, and training drives them apart.
    """

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([make_layer() for _ in range(n_layers)])
            for layer in self.layers:
                layer.load_state_dict(self.layers[0].state_dict())

        def forward(self, x, mask):
            for layer in self.layers:
                x = layer(x, mask)
            return x

    return Body()


def shared_body_different(make_layer, n_layers):
    """This makes a layer of its own for each step: `make_layer` must be called once."""

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(make_layer() for _ in range(n_layers))

        def forward(self, x, mask):
            for layer in self.layers:
                x = layer(x, mask)
            return x

    return Body()


def shared_body_spare(make_layer, n_layers):
    """This applies the first layer each time, but stores the others too: their parameters count,
    and never learn.
    """

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(make_layer() for _ in range(n_layers))

        def forward(self, x, mask):
            for _ in self.layers:
                x = self.layers[0](x, mask)
            return x

    return Body()


def shared_body_in_a_list(make_layer, n_layers):
    """This keeps the layer where the module does not see it (in a list, or outside): no optimizer
    finds its parameters, and nothing is learned.
    """

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [make_layer()] * n_layers

        def forward(self, x, mask):
            for layer in self.layers:
                x = layer(x, mask)
            return x

    return Body()


def shared_body_once(make_layer, n_layers):
    """This applies the layer once, or each time to the same x: what comes out of one step must go
    into the next, n_layers times.
    """

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = make_layer()

        def forward(self, x, mask):
            return self.layer(x, mask)

    return Body()


def shared_body_last_only(make_layer, n_layers):
    """This cuts the gradient off between the steps, so that the layer learns from the last one
    only.
    """

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = make_layer()

        def forward(self, x, mask):
            for _ in range(n_layers):
                x = self.layer(x.detach(), mask)
            return x

    return Body()


class Layer(nn.Module):
    """A small layer with a mask: each token gets the mean of the real ones, and passes a map."""

    def __init__(self):
        super().__init__()
        self.map = nn.Linear(3, 3)

    def forward(self, x, mask):
        """Return what the tokens x (B, T, D) become, where mask (B, T) is True for real ones."""
        real = mask[..., None].float()  # (B, T, 1)
        mean = (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)  # (B, 1, D)
        return x + torch.tanh(self.map(x + mean))


ONE = sum(parameter.numel() for parameter in Layer().parameters())


def maker(seed):
    """A function that makes a layer with other weights in each call, as a new layer has."""
    numbers = itertools.count(10 * seed)
    return lambda: fill(Layer(), next(numbers))


def texts(seed):
    """Three padded texts of five vectors, and what is to come out of them."""
    generator = torch.Generator().manual_seed(seed)
    x, wanted = torch.randn(2, 3, 5, 3, generator=generator)
    return x, torch.arange(5) < torch.tensor([[5], [3], [2]]), wanted


def trained(answer, seed, n_layers):
    """What the body says, its number of parameters, and what it says after two steps of SGD."""
    body = answer(maker(seed), n_layers)
    x, mask, wanted = texts(seed)
    before = body(x, mask).detach()
    parameters = list(body.parameters()) if isinstance(body, nn.Module) else []
    if parameters:
        optimizer = torch.optim.SGD(parameters, lr=0.3)
        for _ in range(2):
            optimizer.zero_grad()
            (body(x, mask) - wanted).square().mean().backward()
            optimizer.step()
    count = sum(parameter.numel() for parameter in parameters)
    return before, count, body(x, mask).detach()


def by_hand(seed, times, mask=None):
    """The output of the first layer, applied so many times."""
    layer = maker(seed)()
    x, padded, _ = texts(seed)
    with torch.no_grad():
        for _ in range(times):
            x = layer(x, padded if mask is None else mask)
    return x


def alike(one, other):
    """Tell whether two outputs are the same up to rounding."""
    return torch.allclose(torch.as_tensor(one).float(), other, atol=1e-4)


def has_parameters(answer):
    """The layer is registered."""
    return answer(3, 4)[1] > 0


def has_those_of_one_layer(answer):
    """However many steps there are."""
    count = answer(3, 4)[1]
    return count in (0, ONE) or (
        f"With a layer of {ONE} parameters and n_layers = 4 the body has {count} parameters: it "
        f"must have {ONE}, those of one layer."
    )


def applies_it_n_times(answer):
    """Neither more often nor less."""
    for n_layers in (1, 3, 5):
        found = answer(3, n_layers)[0]
        if alike(found, by_hand(3, n_layers)):
            continue
        times = next((n for n in range(8) if alike(found, by_hand(3, n))), None)
        return times is None or (
            f"With n_layers = {n_layers} the number of steps is {times}: the layer must be applied "
            f"{n_layers} times, each time to what came out of the step before."
        )
    return True


def mask_reaches_each(answer):
    """As it is."""
    everything = torch.ones(3, 5).bool()
    return not alike(answer(3, 3)[0], by_hand(3, 3, everything))


def says_the_same(answer):
    """What the steps by hand say, where no closer sentence fits."""
    if has_those_of_one_layer(answer) is not True or applies_it_n_times(answer) is not True:
        return None
    return not mask_reaches_each(answer) or alike(answer(3, 3)[0], by_hand(3, 3))


def learns_from_each_step(answer):
    """The gradient comes from all steps."""
    _, count, after = answer(4, 3)
    if count != ONE or not alike(answer(4, 3)[0], by_hand(4, 3)):
        return None
    return alike(after, trained(shared_body, 4, 3)[2])


SHARED_BODY = Write(
    id="8a.7",
    title="One layer, many times",
    level="medium",
    text="""
`shared_body(make_layer, n_layers)` returns the body of an ALBERT: a `torch.nn.Module`, called as
`body(x, mask)`, in which **one** layer is applied n_layers times; what comes out of one step goes
into the next. `make_layer()` makes a new layer with random weights, called as `layer(x, mask)`: x
(B, T, D) goes in, x (B, T, D) comes out, and each step gets the same mask (B, T). The code below
runs, and before any training its output is exactly right. Yet it is not an ALBERT. Count its
parameters, train it for a step, and fix it: the body must have the parameters of one layer, all of
them must be found by an optimizer (`body.parameters()`), and they must learn from every step.
""",
    hints=(
        "How many parameters does `sum(p.numel() for p in body.parameters())` count, and how many "
        "has one layer?",
        "`load_state_dict` copies numbers. After the copy, what happens to one layer when another "
        "one learns?",
        "How often may `make_layer` be called? A loop can apply one module as often as you like.",
    ),
    solution=shared_body,
    second_style=shared_body_listed,
    mistakes=(
        shared_body_copies,
        shared_body_different,
        shared_body_spare,
        shared_body_in_a_list,
        shared_body_once,
        shared_body_last_only,
    ),
    cases=lambda: [case("3 layers", 0, 3), case("5 layers", 1, 5), case("2 layers", 2, 2)],
    run=trained,
    properties=(
        Property(
            "No parameters are found: the body must be a `torch.nn.Module` with the layer as an "
            "attribute of its own (`self.layer = ...`).",
            has_parameters,
        ),
        Property("It does not have the parameters of one layer.", has_those_of_one_layer),
        Property("The layer is not applied n_layers times.", applies_it_n_times),
        Property("The mask does not reach the layer: hand it on in each step.", mask_reaches_each),
        Property("It does not say what the layer says, applied n_layers times.", says_the_same),
        Property("The layer does not learn from every step.", learns_from_each_step),
    ),
    results=("output", "number of parameters", "output after two steps of training"),
    see="8aD ALBERT: share",
)
