"""Numbers from rows and answers, for tables, cards and the notebooks that read them."""

import statistics

from scipy.special import stdtrit


def summarise(rows, by, value):
    """Return, for each combination of the columns `by`, a dict of the mean, lowest, highest and n.

    >>> rows = [{"k": 4, "seed": 0, "share": 0.5}, {"k": 4, "seed": 1, "share": 1.0}]
    >>> summarise(rows, by=["k"], value="share")
    {(4,): {'mean': 0.75, 'lowest': 0.5, 'highest': 1.0, 'n': 2}}
    """
    return {
        key: {
            "mean": sum(values) / len(values),
            "lowest": min(values),
            "highest": max(values),
            "n": len(values),
        }
        for key, values in _grouped(rows, by, value).items()
    }


def by_seed(rows, by, value):
    """Return {name in the column `by`: its values, one a seed}, in the rows' order.

    >>> rows = [{"way": "one head", "recall": 0.2}, {"way": "one head", "recall": 0.3}]
    >>> by_seed(rows, by="way", value="recall")
    {'one head': [0.2, 0.3]}
    """
    return {name: values for (name,), values in _grouped(rows, [by], value).items()}


def share_of_true(answers):
    """Return which share of a boolean tensor of any shape is true, as a number.

    >>> import torch
    >>> share_of_true(torch.tensor([True, False, True, True]))
    0.75
    """
    return answers.cpu().double().mean().item()  # not every accelerator has float64


def confidence(rows, by, value, level=0.95):
    """Return, for each combination of the columns `by`, a dict of the mean, low, high and n.

    low and high bound the mean of further draws with that confidence (Student's t): they come from
    the spread over the rows, so that each row should be a draw of its own. One row has no spread.

    >>> rows = [{"k": 4, "share": 0.5}, {"k": 4, "share": 0.7}, {"k": 4, "share": 0.6}]
    >>> found = confidence(rows, by=["k"], value="share")[4,]
    >>> round(found["low"], 2), round(found["high"], 2), found["n"]
    (0.35, 0.85, 3)
    """
    return {key: _interval(values, level) for key, values in _grouped(rows, by, value).items()}


def _grouped(rows, by, value):
    """Return {combination of the columns `by`: its values}, in the rows' order."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in by), []).append(row[value])
    return groups


def _interval(values, level):
    n, mean = len(values), statistics.fmean(values)
    half = 0.0
    if n > 1:
        wide = float(stdtrit(n - 1, (1 + level) / 2))
        half = wide * statistics.stdev(values) / n**0.5
    return {"mean": mean, "low": mean - half, "high": mean + half, "n": n}


def wins(rows, column, one, other, by, value):
    """Return how often rows whose column says `one` have a higher value than those with `other`.

    Rows are compared that are alike in the columns `by`; returns (how often, of how many).

    >>> rows = [{"start": s, "seed": n, "share": x}
    ...         for s, n, x in (("a", 0, 0.9), ("b", 0, 0.8), ("a", 1, 0.5), ("b", 1, 0.7))]
    >>> wins(rows, "start", "a", "b", by=["seed"], value="share")
    (1, 2)
    """
    found = {one: {}, other: {}}
    for row in rows:
        if row[column] in found:
            found[row[column]][tuple(row[name] for name in by)] = row[value]
    pairs = [
        (found[one][key], found[other][key]) for key in found[one].keys() & found[other].keys()
    ]
    return sum(first > second for first, second in pairs), len(pairs)
