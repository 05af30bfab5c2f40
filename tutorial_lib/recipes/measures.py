"""Numbers from rows and answers, for tables, cards and the notebooks that read them."""


def summarise(rows, by, value):
    """Return, for each combination of the columns `by`, a dict of the mean, lowest, highest and n.

    >>> rows = [{"k": 4, "seed": 0, "share": 0.5}, {"k": 4, "seed": 1, "share": 1.0}]
    >>> summarise(rows, by=["k"], value="share")
    {(4,): {'mean': 0.75, 'lowest': 0.5, 'highest': 1.0, 'n': 2}}
    """
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in by), []).append(row[value])
    return {
        key: {
            "mean": sum(values) / len(values),
            "lowest": min(values),
            "highest": max(values),
            "n": len(values),
        }
        for key, values in groups.items()
    }


def share_of_true(answers):
    """Return which share of a boolean tensor of any shape is true, as a number.

    >>> import torch
    >>> share_of_true(torch.tensor([True, False, True, True]))
    0.75
    """
    return answers.cpu().double().mean().item()  # not every accelerator has float64
