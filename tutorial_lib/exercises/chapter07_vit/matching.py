"""Chapter 07: which of a few patches is most like each patch of a picture?"""

import torch
import torch.nn.functional as F

from tutorial_lib.exercises.engine.tasks import Property, Write, case


def match_patches(patches, examples):
    """Return for each of patches (N, D) the number of the example most like it, (N,).

    examples (K, D); two vectors are alike when their cosine is high.
    """
    cosines = F.normalize(patches, dim=-1) @ F.normalize(examples, dim=-1).T  # (N, K)
    return cosines.argmax(dim=-1)


def match_patches_loop(patches, examples):
    """Second style."""
    numbers = []
    for patch in patches:
        cosines = [float(patch @ one / (patch.norm() * one.norm())) for one in examples]
        numbers.append(cosines.index(max(cosines)))
    return torch.tensor(numbers)


def match_by_products(patches, examples):
    """It compares dot products, so a long example wins everywhere: divide by the lengths."""
    return (patches @ examples.T).argmax(dim=-1)


def match_by_distance(patches, examples):
    """It takes the example at the smallest distance: take the one with the highest cosine."""
    return torch.cdist(patches, examples).argmin(dim=-1)


def match_least(patches, examples):
    """It takes the example that is least like the patch."""
    return (F.normalize(patches, dim=-1) @ F.normalize(examples, dim=-1).T).argmin(dim=-1)


def match_for_examples(patches, examples):
    """It gives each *example* its best patch, (K,): each patch asks for its best example."""
    return (F.normalize(patches, dim=-1) @ F.normalize(examples, dim=-1).T).argmax(dim=0)


def match_cosines(patches, examples):
    """It returns the highest cosines: return the numbers of the examples that have them."""
    return (F.normalize(patches, dim=-1) @ F.normalize(examples, dim=-1).T).amax(dim=-1)


def match_normalised_by_column(patches, examples):
    """It normalises each column, over all patches: a vector is one row."""
    return (F.normalize(patches, dim=0) @ F.normalize(examples, dim=0).T).argmax(dim=-1)


def vectors(n, k, d, seed):
    """Patches and examples whose lengths differ widely."""
    generator = torch.Generator().manual_seed(seed)
    patches, examples = (torch.randn(rows, d, generator=generator) for rows in (n, k))
    return patches * torch.linspace(0.5, 3, n)[:, None], examples * torch.logspace(0, 1, k)[:, None]


def match_patches_cases():
    """Few examples and more, with lengths that differ tenfold."""
    return [
        case("12 patches, 3 examples, D = 4", *vectors(12, 3, 4, 1)),
        case("30 patches, 5 examples, D = 8", *vectors(30, 5, 8, 2)),
        case("9 patches, 2 examples, D = 3", *vectors(9, 2, 3, 3)),
    ]


def has_the_shape(answer):
    """(N,)."""
    shape = tuple(answer(*vectors(12, 3, 4, 1)).shape)
    return shape == (12,) or (
        f"It makes {shape} of 12 patches and 3 examples: it must be (12,), a number a patch."
    )


def lengths_do_not_count(answer):
    """An example that is made longer has the same patches."""
    patches, examples = vectors(12, 3, 4, 1)
    longer = examples * torch.tensor([[1.0], [20.0], [1.0]])
    return torch.equal(answer(patches, examples).long(), answer(patches, longer).long())


def examples_find_themselves(answer):
    """Each example is most like itself."""
    _, examples = vectors(12, 4, 6, 4)
    found = answer(examples, examples).long().tolist()
    return found == [0, 1, 2, 3] if len(found) == 4 and not isinstance(found[0], list) else None


MATCH_PATCHES = Write(
    id="7.14",
    title="Which example is it most like?",
    level="easy",
    text="""
You point at a few patches, the *examples*. Each patch is to find the one most like it. Write
`match_patches(patches, examples)` for vectors patches (N, D) and examples (K, D). Two of them are
alike when the **cosine** of the angle between them is high: their product, divided by both lengths.
Return for each patch the number of its best example, (N,) whole numbers from 0 to K - 1.
""",
    hints=(
        "`F.normalize(x, dim=-1)` divides each row by its length. What is the product of two such "
        "rows?",
        "All products of N rows with K rows are one product of matrices, (N, K).",
        "`argmax(dim=-1)` gives for each row the number of the highest entry.",
    ),
    solution=match_patches,
    second_style=match_patches_loop,
    mistakes=(
        match_by_products,
        match_by_distance,
        match_least,
        match_for_examples,
        match_cosines,
        match_normalised_by_column,
    ),
    cases=match_patches_cases,
    properties=(
        Property("There is one number for each patch, (N,).", has_the_shape),
        Property("The lengths of the examples must not count.", lengths_do_not_count),
        Property("An example must be most like itself.", examples_find_themselves),
    ),
    see="7J Back to the photographs",
)
