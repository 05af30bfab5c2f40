"""What all models share: a config they are built from, and checkpoints of their own."""

import json
from dataclasses import asdict, replace

import torch
from torch import nn

from tutorial_lib.attention import KVCache
from tutorial_lib.errors import DamagedFileError, MissingHeadError
from tutorial_lib.files import (
    Unfilled,
    check_fit,
    load_into,
    load_metadata,
    load_tensors,
    parse_json,
    save_tensors,
)

SCHEMA = "1"  # of the file that `Model.save` writes: weights, and beside them model and config


class Model(nn.Module):
    """A module that is built from a frozen config and can be written to one file.

    Subclasses name their `config_class`; `head_fields`, those of its fields that say which heads
    it has; and `heads`, the beginnings of the names of the parameters there.
    """

    config_class = None
    layer_counts = ("n_layers", "n_decoder_layers")
    head_fields = ()
    heads = ()

    def __init__(self, config):
        super().__init__()
        self.config = config

    @classmethod
    def built_from(cls, config):
        """Return a new model; a class whose constructor takes the sizes one by one overrides it."""
        return cls(config)

    def save(self, path):
        """Write config and weights to a .safetensors file, all or nothing."""
        about = {
            "schema": SCHEMA,
            "model": type(self).__name__,
            "config": json.dumps(asdict(self.config)),
        }
        save_tensors(path, self.state_dict(), about)

    @classmethod
    def load(cls, path):
        """Return the model that `save` wrote, in eval mode.

        Raises MissingDataError when there is no such file, DamagedFileError when it is truncated,
        holds another model, or was written by another program or a later version of this one.
        """
        about = load_metadata(path)
        if about.get("schema", SCHEMA) != SCHEMA:  # files of the first months do not say it
            raise DamagedFileError(
                f"{path} has schema {about['schema']}, this version of the course reads {SCHEMA}"
            )
        if about.get("model") != cls.__name__:
            found = about.get("model", "no model of this package")
            raise DamagedFileError(f"{path} should hold a {cls.__name__}, it holds {found}")
        try:
            sizes = parse_json(about["config"], f"the config in {path}", dict)
        except (KeyError, DamagedFileError) as error:
            raise DamagedFileError(f"{path} does not say what sizes it has ({error})") from error
        return cls.filled(path, sizes, load_tensors(path))

    @classmethod
    def filled(cls, path, sizes, tensors, foreign_names=None, progress=None):
        """Return a model of these sizes, the fields of its config, with these weights; eval mode.

        tensors, foreign_names and progress as `load_into` takes them; path is where all this was
        read. foreign_names may also be a function that returns them for a config.
        Sizes and weights are compared before anything large is built. Raises DamagedFileError when
        no such model can be built or the weights do not fit it.
        """
        try:
            config = cls.config_class(**sizes)
            layers = max((getattr(config, name, 0) or 0 for name in cls.layer_counts), default=0)
            if layers > len(tensors):  # even an outline of a billion layers would take for ever
                raise ValueError(f"{layers:,} layers, but {len(tensors)} tensors")
            with torch.device("meta"), Unfilled():  # sizes without numbers: they cost no memory
                outline = cls.built_from(config)
        except (TypeError, ValueError, RuntimeError, OverflowError) as error:
            raise DamagedFileError(
                f"{path} does not hold a {cls.__name__} that can be built ({error})"
            ) from error
        if callable(foreign_names):
            foreign_names = foreign_names(config)
        check_fit(outline, tensors, foreign_names)
        with Unfilled():
            model = cls.built_from(config)
        load_into(model, tensors, foreign_names, progress)
        return model.eval()

    def with_heads(self, **changes):
        """Return a copy with other heads: the config with changes, such as n_classes=2.

        All weights are kept but those of heads that are new or have another size, which start at
        random and learn; what was frozen stays frozen. dropout may change too.
        Raises ValueError when a change goes beyond that, or layers were exchanged by hand.

        >>> from tutorial_lib.models import ViT, ViTConfig
        >>> sizes = {"image_size": 4, "patch_size": 2, "d_model": 8, "n_layers": 1, "n_heads": 2}
        >>> ViT(ViTConfig(**sizes)).with_heads(n_classes=2)(torch.zeros(1, 3, 4, 4)).shape
        torch.Size([1, 2])
        """
        allowed = (*self.head_fields, "dropout")
        beyond = [name for name in changes if name not in allowed]
        if beyond:
            raise ValueError(
                f"{', '.join(beyond)} would change more than the heads of a "
                f"{type(self).__name__}; with_heads takes {', '.join(allowed)}"
            )
        model = type(self)(replace(self.config, **changes))
        ours, theirs = model.state_dict(), self.state_dict()
        kept = {
            name: theirs[name]
            for name, tensor in ours.items()
            if name in theirs and theirs[name].shape == tensor.shape
        }
        body = {name for name in ours.keys() | theirs.keys() if not name.startswith(self.heads)}
        if body - kept.keys():
            raise ValueError(
                f"with_heads builds the layers that the config of this {type(self).__name__} asks "
                f"for, they are others: {min(body - kept.keys())}"
            )
        load_into(model, ours | kept)
        before = dict(self.named_parameters())
        for name, parameter in model.named_parameters():
            if name in kept:
                parameter.requires_grad_(before[name].requires_grad)
        weight = next(self.parameters())
        return model.to(weight.device, weight.dtype).train(self.training)

    def _part(self, name, words, option):
        """Return an optional part, or raise a MissingHeadError that says how to get it."""
        part = getattr(self, name)
        if part is None:
            field = option.partition("=")[0]
            raise MissingHeadError(
                f"this {type(self).__name__} has no {words}: its file held none, or {field} was "
                f"not given; with_heads({option}) adds a new one"
            )
        return part

    def layer_caches(self, n_layers, batch, context):
        """Return one empty KVCache a layer, for `context` positions of `batch` sequences."""
        weight = next(self.parameters())
        d_head = getattr(self.config, "d_head", self.config.d_model // self.config.n_heads)
        # Heads that share their keys and values share room for them.
        n_heads = getattr(self.config, "n_kv_heads", self.config.n_heads)
        sizes = (batch, n_heads, context, d_head)
        return [KVCache(*sizes, weight.dtype, weight.device) for _ in range(n_layers)]


def initialise(module, std=0.02):
    """Start a linear or embedding layer with small normal weights and zero biases.

    BERT, GPT and ViT do so (Devlin et al. 2018; Radford et al. 2018).
    """
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=std)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


def shrink_residuals(blocks):
    """Divide what each sub-layer adds to the residual path by the root of their number (GPT-2).

    So the sum stays as large as one of them, however many layers there are (Radford et al. 2019,
    section 2.3). GPT-1 does not: it normalises each sum (Radford et al. 2018, section 4.1).
    """
    n_sublayers = 2 * len(blocks)
    with torch.no_grad():
        for block in blocks:
            block.attention.output.weight /= n_sublayers**0.5
            block.feed_forward.output.weight /= n_sublayers**0.5
