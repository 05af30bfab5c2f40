"""Compare an answer's output with the expected one and say where they part.

Style is free: arrays, lists and tensors of any float dtype or device count as the same thing, a
tuple as a list, a 0-d tensor as a number. Kind is not: True/False is not 0.0/1.0.
"""

import itertools
import numbers
import sys
import types
from dataclasses import dataclass

import numpy as np
import torch

from tutorial_lib.exercises.engine.excerpts import around, dtype_name, show, written

# Relative and absolute tolerance by the coarser dtype of the two outputs.
TOLERANCES = {torch.float16: (5e-3, 2e-3), torch.bfloat16: (3e-2, 2e-2)}
DEFAULT_TOLERANCE = (1e-4, 1e-5)
MOST_ITEMS = 1_000_000
MOST_NUMBERS = 100_000_000  # of a tensor, which may hold one number and show it many times
DEEPEST = 60
LAZY = types.GeneratorType | map | zip | filter | enumerate | reversed
PLAIN = (bool, int, float, complex, str, bytes, type(None))
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def settle(value):
    """Bring an output into one of few forms: tensor on the CPU, number, string, list, dict, set.

    What is none of these becomes an Opaque. The result shares no memory with `value`. Raises
    ValueError for more than MOST_ITEMS items, and for lists nested deeper than DEEPEST.

    >>> settle((np.float32(2), range(2)))
    [2.0, [0, 1]]
    """
    return _settle(value, 0, itertools.count(1))


@dataclass(frozen=True, eq=False)
class Opaque:
    """An object of another kind; equal to one of the same type when the two say so."""

    value: object
    text: str

    def __eq__(self, other):
        mine, theirs = self.value, getattr(other, "value", None)
        if mine is theirs:
            return True
        if type(mine) is not type(theirs):
            return False
        try:
            return bool(mine == theirs)
        except Exception:  # an object whose == is not a yes or no
            return False

    def __hash__(self):
        return id(type(self.value))

    def __repr__(self):
        return self.text


def _settle(value, depth, items):
    if next(items) > MOST_ITEMS:
        raise ValueError(f"it returned more than {MOST_ITEMS:,} items")
    if depth > DEEPEST:
        raise ValueError(f"it returned lists that are nested more than {DEEPEST} deep")
    if value is None or isinstance(value, bool):
        return value
    for kind in (int, float):
        if isinstance(value, kind) and not isinstance(value, np.generic):
            return kind.__pos__(value)  # a plain one, without what a subclass adds
    if isinstance(value, numbers.Rational) and not isinstance(value, np.generic):
        return float(value)  # a Fraction
    if isinstance(value, str | bytes):
        return (str if isinstance(value, str) else bytes).__getitem__(value, slice(None))
    if isinstance(value, torch.Tensor):
        return _settle_tensor(value, depth, items)
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "OUS":
            return _settle(value.tolist(), depth, items)
        return torch.tensor(np.array(value, dtype=value.dtype.newbyteorder("="), order="C"))
    if isinstance(value, np.generic):
        return _settle(value.item(), depth + 1, items)
    if isinstance(value, LAZY | list | tuple | range):
        return [_settle(item, depth + 1, items) for item in value]
    if isinstance(value, dict):
        return {_key(key): _settle(item, depth + 1, items) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return {_key(item) for item in value}
    return _opaque(value)


def _settle_tensor(value, depth, items):
    if value.is_nested:
        return [_settle(part, depth + 1, items) for part in value.unbind()]
    if value.numel() > MOST_NUMBERS:
        raise ValueError(f"it returned a tensor of {value.numel():,} numbers")
    value = value.detach()
    if value.is_quantized:
        value = value.dequantize()
    if value.layout is not torch.strided:
        value = value.to_dense()
    return value.as_subclass(torch.Tensor).to("cpu", copy=True).resolve_conj().resolve_neg()


def _key(value):
    """A key of a dict or an item of a set, in a form that can be one without its own code."""
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in PLAIN:
        return value
    if type(value) is tuple and all(type(item) in PLAIN for item in value):
        return value
    return _opaque(value)


def _opaque(value):
    try:
        text = repr(value)
    except Exception:  # an object that cannot write itself down
        text = ""
    if not text or " at 0x" in text or isinstance(value, types.ModuleType):  # an address, a path
        text = f"an object of the class {type(value).__name__}"
    return Opaque(value, text)


def difference(expected, got, tolerance=None, results=()):
    """Say the first place where two settled outputs differ; None when they are equal.

    `tolerance` replaces the absolute tolerance that suits the outputs' dtypes; `results` names
    the parts of an output.

    >>> difference(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
    'at [1]: expected 2, got 3 (1 of 2 places differs)'
    """
    relative, absolute = DEFAULT_TOLERANCE
    for dtype in _dtypes(expected) | _dtypes(got):
        coarser = TOLERANCES.get(dtype, DEFAULT_TOLERANCE)
        relative, absolute = max(relative, coarser[0]), max(absolute, coarser[1])
    if tolerance is not None:
        relative, absolute = 0.0, tolerance
    if got is None and expected is not None:
        return "it returned None: is a `return` missing?"
    text = _compare(expected, got, (relative, absolute))
    if results and text and text.startswith(f"expected {len(results)} results"):
        return text.replace(" results", f" results ({', '.join(results)})", 1)
    for place, (ordinal, name) in enumerate(zip(ORDINALS, results, strict=False)):
        if text and text.startswith(f"item {place}: "):
            return f"in the {name}: {text.removeprefix(f'item {place}: ')}"
        if text and text.startswith(f"in the {ordinal} result"):
            return text.replace(f"the {ordinal} result", f"the {name}", 1)
        if text and text.startswith(f"key {name!r}: "):  # a part that `run` has named
            parted = text.removeprefix(f"key {name!r}: ")
            return f"in the {name}{_joint(parted)} {parted}"
    return text


def _compare(expected, got, tolerance):
    if isinstance(expected, torch.Tensor):
        return _compare_tensors(expected, got, tolerance)
    if isinstance(expected, bool | int | float):
        return _compare_numbers(expected, got, tolerance)
    if isinstance(expected, list):
        return _compare_lists(expected, got, tolerance)
    if isinstance(expected, dict):
        return _compare_dicts(expected, got, tolerance)
    if isinstance(expected, set) and isinstance(got, list):
        got = {tuple(item) if _short_row(item) else item for item in got if _hashable(item)}
    return None if _same(expected, got) else _expected(expected, got)


def _compare_tensors(expected, got, tolerance):
    if isinstance(got, list | bool | int | float):
        try:
            got = torch.tensor(got)
        except (TypeError, ValueError, RuntimeError, OverflowError):  # no numbers, or too large
            return _expected(expected, got)
    if not isinstance(got, torch.Tensor):
        return _expected(expected, got)
    if expected.shape != got.shape:
        return f"expected shape {tuple(expected.shape)}, got shape {tuple(got.shape)}"
    want, have = _kind(expected), _kind(got)
    # Whole numbers may stand for decimal ones, not the other way round: ids index tables.
    if expected.numel() and want != have and (want, have) != (2, 1):
        return f"expected {_kind_name(expected)}, got {_kind_name(got)}"
    wide = torch.complex128 if expected.is_complex() or got.is_complex() else torch.float64
    relative, absolute = tolerance
    if want < 2:
        equal = expected == got
    else:
        equal = torch.isclose(
            got.to(wide), expected.to(wide), rtol=relative, atol=absolute, equal_nan=True
        )
    if equal.all():
        return None
    places = (~equal).nonzero()
    index = tuple(places[0].tolist())
    where = f"at [{', '.join(map(str, index))}]: " if index else ""
    want, have = expected[index].item(), got[index].item()
    text = f"{where}expected {show(want)}, got {show(have)}"
    if show(want) == show(have):
        text += f" (they differ by {abs(have - want):.1g})"
    if not index:
        return text
    verb = "differs" if len(places) == 1 else "differ"
    return f"{text} ({len(places)} of {expected.numel()} places {verb})"


def _compare_numbers(expected, got, tolerance):
    if isinstance(got, torch.Tensor) and got.numel() == 1:
        got = got.item()
    if not isinstance(got, bool | int | float) or isinstance(expected, bool) != isinstance(
        got, bool
    ):
        return _expected(expected, got)
    if isinstance(expected, float) or isinstance(got, float):
        if max(abs(expected), abs(got)) > sys.float_info.max:
            return None if expected == got else _expected(expected, got)
        pair = torch.tensor([float(expected), float(got)], dtype=torch.float64)
        return _compare_tensors(pair[0], pair[1], tolerance)
    return None if expected == got else _expected(expected, got)


def _compare_lists(expected, got, tolerance):
    tensors = any(isinstance(item, torch.Tensor) for item in expected)
    if isinstance(got, torch.Tensor) and got.dim():
        if not tensors:
            got = got.tolist()
        elif [part.shape for part in got] == [getattr(part, "shape", ()) for part in expected]:
            got = list(got)  # several results in one tensor
    if not isinstance(got, list):
        if tensors:
            return f"expected {len(expected)} results, got one: {show(got)}"
        return _expected(expected, got)
    for place, (want, have) in enumerate(zip(expected, got, strict=False)):
        parted = _compare(want, have, tolerance)
        if parted and len(expected) == len(got):
            if _short_row(want) and _short_row(have):  # a pair says more than its half
                parted = f"expected {tuple(want)}, got {tuple(have)}"
            return _in_result(place, parted) if tensors else f"item {place}: {parted}"
        if parted:
            break
    if len(expected) != len(got):
        if tensors:
            return f"expected {len(expected)} results, got {len(got)}"
        return f"{_expected(expected, got)} ({len(expected)} items expected, {len(got)} came)"
    return None


def _in_result(place, parted):
    """Say in which of several results two outputs part: in the second result, at [1]: ..."""
    which = f"{ORDINALS[place]} result" if place < len(ORDINALS) else f"result {place + 1}"
    article = "the " if place < len(ORDINALS) else ""
    return f"in {article}{which}{_joint(parted)} {parted}"


def _joint(parted):
    """What stands between the name of a part and where it differs."""
    return "," if parted.startswith(("at [", "in the ")) else ":"


def _compare_dicts(expected, got, tolerance):
    if not isinstance(got, dict):
        return _expected(expected, got)
    for key, want in expected.items():
        if key not in got:
            return f"key {key!r} is missing (expected there: {show(want)})"
        parted = _compare(want, got[key], tolerance)
        if parted:
            return f"key {key!r}: {parted}"
    surplus = [key for key in got if key not in expected]
    if surplus:
        return f"key {surplus[0]!r} should not be there (got {show(got[surplus[0]])})"
    return None


def _expected(expected, got):
    for kind in (list, str):
        if isinstance(expected, kind) and isinstance(got, kind):
            place = _first_difference(expected, got)
            return f"expected {around(expected, place)}, got {around(got, place)}"
    return f"expected {show(expected)}, got {show(got)}"


def _short_row(value):
    """Tell a short list of plain values, such as a pair of symbols."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    plain = all(isinstance(item, bool | int | str) for item in value)
    return plain and len(written(value)) <= 40


def _hashable(item):
    return not isinstance(item, list | dict | set | torch.Tensor) or _short_row(item)


def _first_difference(expected, got):
    pairs = enumerate(zip(expected, got, strict=False))
    shorter = min(len(expected), len(got))
    return next((place for place, (a, b) in pairs if not _same(a, b)), shorter)


def _same(expected, got):
    if isinstance(expected, torch.Tensor) or isinstance(got, torch.Tensor):
        return False
    try:
        return bool(expected == got)
    except (TypeError, ValueError, RuntimeError):  # tensors within lists of other lengths
        return False


def _dtypes(value):
    if isinstance(value, torch.Tensor):
        return {value.dtype}
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(_dtypes, items))


def _kind(tensor):
    """0 for True/False, 1 for whole numbers, 2 for decimal ones."""
    if tensor.dtype is torch.bool:
        return 0
    return 2 if tensor.is_floating_point() or tensor.is_complex() else 1


def _kind_name(tensor):
    name = ("True/False", "whole numbers", "decimal numbers")[_kind(tensor)]
    return f"{name} ({dtype_name(tensor)})"
