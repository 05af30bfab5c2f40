"""The models of the course, one file each; a model's name loads its file when first used."""

from tutorial_lib.lazy import loading

_MODELS = {
    "BERT": "bert",
    "BERTConfig": "bert",
    "GPT": "gpt",
    "GPTConfig": "gpt",
    "ModernGPT": "modern_gpt",
    "ModernGPTConfig": "modern_gpt",
    "OneHeadReader": "one_head",
    "Transformer": "transformer",
    "TransformerConfig": "transformer",
    "ViT": "vit",
    "ViTConfig": "vit",
}


def count_parameters(config_or_model):
    """Return how many numbers a model learns; tied weights count once.

    A config is built on the meta device, which allocates nothing: any size costs no memory.
    Raises TypeError for anything else.

    >>> from tutorial_lib.models import BERTConfig
    >>> f"{count_parameters(BERTConfig.base()):,}"
    '109,482,240'
    """
    import torch  # here, so that naming a model does not load it

    from tutorial_lib.files import Unfilled

    model = config_or_model
    if not isinstance(model, torch.nn.Module):
        if not hasattr(config_or_model, "build"):
            raise TypeError(f"expected a model or its config, got {type(model).__name__}")
        with torch.device("meta"), Unfilled():
            model = config_or_model.build()
    return sum(parameter.numel() for parameter in model.parameters())


__getattr__, _named = loading(__name__, _MODELS)


def __dir__():
    return sorted([*_named(), "count_parameters"])
