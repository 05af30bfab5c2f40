import pytest
import torch

from tutorial_lib import figures
from tutorial_lib.figures.machine_parts import parameters_by_kind
from tutorial_lib.figures.machines import plan_of
from tutorial_lib.interpret import trace
from tutorial_lib.models import (
    BERT,
    GPT,
    ALBERTConfig,
    BARTConfig,
    BERTConfig,
    DINOv2Config,
    DistilBERTConfig,
    ELECTRAConfig,
    GPTConfig,
    LlamaConfig,
    ModernGPTConfig,
    RoBERTaConfig,
    T5Config,
    TransformerConfig,
    ViTConfig,
    count_parameters,
)

IDS, IMAGE = torch.tensor([[1, 5, 2, 7]]), torch.rand(1, 3, 4, 4)
SIZES = {"d_model": 8, "n_layers": 3, "n_heads": 2}
TEXT = SIZES | {"vocab_size": 11, "context": 9}
PICTURE = SIZES | {"image_size": 4, "patch_size": 2}
LLAMA = TEXT | {"n_heads": 4, "n_kv_heads": 2, "d_ff": 6}
HEADS = {"pooler": True, "mlm": True, "nsp": True, "n_classes": 2, "n_labels": 5, "span": True}
MODELS = {
    "pre-norm": (GPTConfig(**TEXT), IDS),
    "post-norm": (GPTConfig(**TEXT, norm="post"), IDS),
    "modern": (ModernGPTConfig(**TEXT), IDS),
    "llama": (LlamaConfig(**LLAMA), IDS),
    "untied": (LlamaConfig(**LLAMA, tied=False), IDS),
    "bert": (BERTConfig(**TEXT), IDS),
    "bert with heads": (BERTConfig(**TEXT, **HEADS), IDS),
    "roberta": (RoBERTaConfig(**TEXT, mlm=True), IDS),
    "albert": (ALBERTConfig(**TEXT, embedding_size=3, pooler=True, mlm=True, order=True), IDS),
    "distilbert": (DistilBERTConfig(**TEXT, mlm=True), IDS),
    "electra": (ELECTRAConfig(**TEXT, embedding_size=3, replaced=True), IDS),
    "electra, equal widths": (ELECTRAConfig(**TEXT, replaced=True), IDS),
    "vit": (ViTConfig(**PICTURE, n_classes=10), IMAGE),
    "vit without [CLS]": (ViTConfig(**PICTURE, n_classes=10, pooling="mean"), IMAGE),
    "dinov2": (DINOv2Config(**PICTURE), IMAGE),
}


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


@pytest.mark.parametrize("name", MODELS)
def test_the_boxes_hold_all_parameters_of_the_model(name):
    config, inputs = MODELS[name]
    model = config.build().eval()
    assert plan_of(model, trace(model, inputs)).n_parameters() == count_parameters(model)
    assert sum(parameters_by_kind(model).values()) == count_parameters(model)
    assert f"{count_parameters(model):,} parameters" in words(figures.machine(model, inputs))


def test_what_leaves_a_box_has_the_shape_that_is_written_there():
    model = GPT(GPTConfig(**TEXT)).eval()
    shown = words(figures.machine(model, IDS, words=["To", "be", "or", "not"]))
    assert {"(B, T, D) = (1, 4, 8)", "(T, D) = (4, 8)", "(B, T, V) = (1, 4, 11)"} <= set(shown)
    assert {"To", "not", "× 3 layers", "one table, used twice", "2 heads of 4"} <= set(shown)


def test_a_shape_is_said_again_only_where_it_changes():
    shown = words(figures.machine(BERT(BERTConfig(**TEXT)).eval(), IDS))
    assert shown.count("(B, T, D) = (1, 4, 8)") == 3  # of two tables, and of all that is above


def test_a_bert_carries_the_heads_that_it_has():
    bare, full = BERT(BERTConfig(**TEXT)).eval(), BERT(BERTConfig(**TEXT, **HEADS)).eval()
    assert "masked words" not in words(figures.machine(bare, IDS))
    shown = words(figures.machine(full, IDS))
    assert {"masked words", "whole text", "token tags", "span", "next sentence"} <= set(shown)
    assert {"(B, T, labels)", "(1, 4, 5)"} <= set(shown)


def test_a_layer_that_is_applied_three_times_is_counted_once():
    config = ALBERTConfig(**TEXT, embedding_size=3, pooler=True, order=True)
    shown = words(figures.machine(config.build().eval(), IDS))
    assert {"the same layer × 3", "3 → 8", "(B, T, E) = (1, 4, 3)", "order"} <= set(shown)
    shown = words(figures.machine(ELECTRAConfig(**TEXT, replaced=True).build().eval(), IDS))
    assert {"× 3 layers", "replaced?"} <= set(shown)
    assert "(B, T, E) = (1, 4, 8)" not in shown
    shown = words(figures.machine(DistilBERTConfig(**TEXT, mlm=True).build().eval(), IDS))
    assert "segment table" not in shown


def test_an_untied_llama_has_no_line_between_its_tables():
    tied, untied = (LlamaConfig(**LLAMA, tied=tied).build().eval() for tied in (True, False))
    assert "one table, used twice" in words(figures.machine(tied, IDS))
    assert "one table, used twice" not in words(figures.machine(untied, IDS))
    assert "a table of its own" in words(figures.machine(untied, IDS))


def test_a_transformer_stands_side_by_side():
    model = TransformerConfig(source_vocab_size=11, **SIZES).build().eval()
    shown = words(figures.machine(model, IDS, IDS[:, :3]))
    assert {"(B, S, D) = (1, 4, 8)", "(B, T, D) = (1, 3, 8)"} <= set(shown)
    assert f"{count_parameters(model):,} parameters" in shown


@pytest.mark.parametrize(
    ("config", "said", "unsaid"),
    [
        (BARTConfig(**TEXT), {"BART", "learned", "2 heads of 4"}, {"sinusoids", "distances"}),
        (
            T5Config(**TEXT, d_head=3, d_ff=5),
            {"T5", "2 heads of 3, distances", "2 heads of 3", "the same table again"}
            | {"distances", "2 heads × 32", "64 parameters", "not so in chapter 04"},
            {"+ positions", "LayerNorm"},
        ),
        (
            T5Config(**TEXT, d_head=3, d_ff=5, gated=True, tied=False),
            {"8 → 5 → 8, with a gate", "a table of its own", "RMSNorm"},
            {"the same table again"},
        ),
    ],
)
def test_the_encoder_decoders_after_it_show_what_they_changed(config, said, unsaid):
    model = config.build().eval()
    figure = figures.machine(model, IDS, IDS[:, :3])
    shown = {text.get_text() for axes in figure.axes for text in axes.texts}
    shown |= {text.get_text() for text in figure.texts}
    shown |= {axes.get_title(loc) for axes in figure.axes for loc in ("left", "center")}
    assert said <= shown
    assert not unsaid & shown
    assert f"{count_parameters(model):,} parameters" in shown
    assert sum(parameters_by_kind(model).values()) == count_parameters(model)
    assert "head" not in parameters_by_kind(model)


def test_what_is_no_model_of_the_course_is_an_error():
    with pytest.raises(TypeError, match="got Linear"):
        figures.machine(torch.nn.Linear(2, 2), torch.zeros(1, 2))
