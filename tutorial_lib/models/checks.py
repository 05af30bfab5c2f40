"""What every model asks of its sizes and its input, said in the same words."""

import math
from dataclasses import fields
from types import NoneType
from typing import get_args

import torch

from tutorial_lib.attention import token_mask
from tutorial_lib.errors import MaskError, ShapeError, VocabularyError
from tutorial_lib.models.blocks import ACTIVATIONS


def check_sizes(config, names, activations=tuple(ACTIVATIONS)):
    """Raise ShapeError unless each named field is a whole number of at least 1.

    Those declared as `int | None` may be None; the heads must divide the width, unless the config
    says by d_head how wide they are.
    Raises ValueError unless dropout lies in [0, 1), eps above 0, and activation is one of
    activations; none of them: the config has no such choice.
    """
    check_whole_numbers(config, names)
    if not hasattr(config, "d_head"):
        check_heads(config.d_model, config.n_heads)
    check_rates(config, activations)


def check_whole_numbers(config, names):
    """Raise ShapeError unless each named field is a whole number of at least 1, or may be None."""
    optional = {field.name for field in fields(config) if NoneType in get_args(field.type)}
    for name in names:
        size = getattr(config, name)
        if size is None and name in optional:
            continue
        check_whole_number(name, size)


def check_whole_number(name, size):
    """Raise ShapeError unless size is a whole number of at least 1."""
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ShapeError(f"{name} must be a whole number of at least 1, got {size!r}")


def check_heads(d_model, n_heads):
    """Raise ShapeError unless the heads divide the width."""
    if d_model % n_heads:
        raise ShapeError(f"{n_heads} heads do not divide d_model {d_model} evenly")


def check_rates(config, activations=tuple(ACTIVATIONS)):
    """Raise ValueError unless dropout, eps and activation are what `check_sizes` says."""
    if not (is_number(config.dropout) and 0 <= config.dropout < 1):
        raise ValueError(f"dropout must lie between 0 and 1, got {config.dropout!r}")
    if not (is_number(config.eps) and 0 < config.eps < math.inf):
        raise ValueError(f"eps must be a number above 0, got {config.eps!r}")
    if activations:
        check_choice("activation", config.activation, activations)


def check_choice(name, value, choices):
    """Raise ValueError unless value is one of the choices.

    >>> check_choice("norm", "middle", ("pre", "post"))
    Traceback (most recent call last):
    ...
    ValueError: norm must be one of 'pre', 'post', got 'middle'
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_no_part(config, family, field, reason):
    """Raise ValueError when a config asks for a part that its family of models does not have.

    >>> from tutorial_lib.models import RoBERTaConfig
    >>> RoBERTaConfig(pooler=True, nsp=True)
    Traceback (most recent call last):
    ...
    ValueError: RoBERTa has no nsp: it was trained on masked tokens alone
    """
    if getattr(config, field):
        raise ValueError(f"{family} has no {field}: {reason}")


def check_pad_id(config):
    """Raise ValueError unless a config's pad_id is one of its vocabulary's ids.

    >>> from tutorial_lib.models import BARTConfig
    >>> BARTConfig(vocab_size=9, pad_id=9)
    Traceback (most recent call last):
    ...
    ValueError: pad_id must be from 0 to 8, got 9
    """
    if not 0 <= config.pad_id < config.vocab_size:
        raise ValueError(f"pad_id must be from 0 to {config.vocab_size - 1}, got {config.pad_id}")


def check_tensor(name, value):
    """Raise ShapeError for a list, an array or anything else that is no tensor.

    >>> check_tensor("ids", [[1, 2]])
    Traceback (most recent call last):
    ...
    tutorial_lib.errors.ShapeError: ids must be a tensor, got list; torch.tensor(...) makes one
    """
    if not isinstance(value, torch.Tensor):
        raise ShapeError(
            f"{name} must be a tensor, got {type(value).__name__}; torch.tensor(...) makes one"
        )


def check_ids(name, ids, size):
    """Raise unless ids are whole numbers (B, T) from 0 to size - 1: ShapeError, VocabularyError."""
    check_tensor(name, ids)
    if ids.dtype not in (torch.int64, torch.int32) or ids.dim() != 2 or ids.numel() == 0:
        raise ShapeError(
            f"{name} must be torch.long of shape (B, T), at least one token each; "
            f"got {ids.dtype} {tuple(ids.shape)}"
        )
    if torch.compiler.is_compiling():  # reading values would break the compiled graph in two
        return
    low, high = (int(value) for value in ids.aminmax())
    if low < 0 or high >= size:
        raise VocabularyError(
            f"{name} must lie between 0 and {size - 1}, got {low if low < 0 else high}"
        )


def check_same_shape(name, tensor, ids, other="ids"):
    """Raise ShapeError unless tensor has the shape of ids."""
    check_tensor(name, tensor)
    if tensor.shape != ids.shape:
        raise ShapeError(
            f"{name} must have the shape of {other}, {tuple(ids.shape)}, got {tuple(tensor.shape)}"
        )


def check_images(images, config, dtype):
    """Raise ShapeError unless images have a ViT's shape, (B, C, height, width), and dtype."""
    check_tensor("images", images)
    wanted = (config.channels, config.image_size, config.image_size)
    if images.dim() != 4 or tuple(images.shape[1:]) != wanted:
        raise ShapeError(
            f"images must have shape (B, {', '.join(map(str, wanted))}), got {tuple(images.shape)}"
        )
    check_image_dtype(images, dtype)


def check_image_dtype(images, dtype):
    """Raise ShapeError unless images have the dtype of the weights."""
    other = images.is_floating_point() and images.dtype != dtype
    if other and not torch.is_autocast_enabled(images.device.type):  # it converts both
        raise ShapeError(
            f"images must be {dtype} like the weights of the model, got {images.dtype}"
        )


def right_padding(mask, ids, n_read=0):
    """Return the mask (B, 1, 1, S) of a causal model, whose padding must be on the right.

    mask (B, S), True = a real token, of the n_read tokens in a cache and of ids (B, T) together.
    Raises ShapeError, or MaskError when a sequence begins with padding: its first queries would
    see nothing.
    """
    check_tensor("mask", mask)
    wanted = (ids.size(0), n_read + ids.size(1))
    if tuple(mask.shape) != wanted:
        raise ShapeError(
            f"mask must have one entry for each token read, {wanted}, got {tuple(mask.shape)}"
        )
    allowed = token_mask(mask)
    if not torch.compiler.is_compiling():
        first = (~mask[:, 0]).nonzero().flatten().tolist()
        if first:
            raise MaskError(
                f"sequence {first[0]} begins with padding: a model that looks back only needs its "
                "padding on the right"
            )
    return allowed


def is_number(value):
    """Return whether value is a number, which true and false are not.

    >>> is_number(0.5), is_number(True), is_number("0.5")
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)
