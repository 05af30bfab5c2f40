"""The models of the course, one file each; a model's name loads its file when first used."""

from typing import TYPE_CHECKING

from tutorial_lib.lazy import loading

if TYPE_CHECKING:
    from tutorial_lib.models.albert import ALBERT, ALBERTConfig
    from tutorial_lib.models.bart import BART, BARTConfig
    from tutorial_lib.models.bert import BERT, BERTConfig
    from tutorial_lib.models.clip import CLIP, CLIPConfig
    from tutorial_lib.models.clip_writer import ClipWriter, ClipWriterConfig
    from tutorial_lib.models.dinov2 import DINOv2, DINOv2Config
    from tutorial_lib.models.distilbert import DistilBERT, DistilBERTConfig
    from tutorial_lib.models.electra import ELECTRA, ELECTRAConfig
    from tutorial_lib.models.gpt import GPT, GPTConfig
    from tutorial_lib.models.llama import Llama, LlamaConfig
    from tutorial_lib.models.modern_gpt import ModernGPT, ModernGPTConfig
    from tutorial_lib.models.one_head import OneHeadReader
    from tutorial_lib.models.perceiver import Perceiver, PerceiverConfig
    from tutorial_lib.models.picture_finder import PictureFinder, PictureFinderConfig, TwoHeads
    from tutorial_lib.models.picture_writer import PictureWriter, PictureWriterConfig
    from tutorial_lib.models.question_reader import QuestionReader, QuestionReaderConfig
    from tutorial_lib.models.roberta import RoBERTa, RoBERTaConfig
    from tutorial_lib.models.rounded_vectors import RoundedVectors
    from tutorial_lib.models.scene_reader import SceneReader, SceneReaderConfig
    from tutorial_lib.models.swin import Swin, SwinConfig
    from tutorial_lib.models.swin_v2 import SwinV2, SwinV2Config
    from tutorial_lib.models.t5 import T5, T5Config
    from tutorial_lib.models.transformer import Transformer, TransformerConfig
    from tutorial_lib.models.video_bert import FrameTokens, VideoBERT, VideoBERTConfig
    from tutorial_lib.models.visual_bert import VisualBERT, VisualBERTConfig, join_boxes
    from tutorial_lib.models.vit import ViT, ViTConfig
    from tutorial_lib.models.vq import CodeBook, VQAutoencoder, VQConfig
    from tutorial_lib.models.xlm import XLM, XLMConfig


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


__getattr__, _named, _ = loading(__name__, __file__)


def __dir__():
    return sorted([*_named(), "count_parameters"])
