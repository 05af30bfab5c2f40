"""The family of Transformers in one table, from 2017 to today's open models."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tutorial_lib.models import (
    ALBERTConfig,
    BARTConfig,
    BERTConfig,
    CLIPConfig,
    DINOv2Config,
    DistilBERTConfig,
    ELECTRAConfig,
    GPTConfig,
    LlamaConfig,
    RoBERTaConfig,
    SwinConfig,
    T5Config,
    TransformerConfig,
    VideoBERTConfig,
    VisualBERTConfig,
    ViTConfig,
    XLMConfig,
    count_parameters,
)

PARTS = ("encoder", "decoder", "both")


class Member(NamedTuple):
    """A model of the family.

    year: of the first paper; part: of the Transformer of 2017, one of `PARTS`; objective: what it
    was trained to do; tokens: how many it read, repetitions counted, None where nobody says; size:
    its parameters as published, or a function that gives a config to count; chapter: where the
    course meets it, "" if it does not; source: where the numbers stand. A size of None: nobody
    outside knows.
    """

    name: str
    year: int
    part: str
    objective: str
    tokens: float | None
    size: float | Callable[[], Any] | None
    chapter: str
    source: str

    @property
    def parameters(self):
        """How many numbers it learns: counted where the course can build it."""
        return count_parameters(self.size()) if callable(self.size) else self.size


# The largest model of each paper, except where a smaller one is what people know.
ZOO = (
    Member(
        "Transformer",
        2017,
        "both",
        "translate",
        None,
        TransformerConfig.big,
        "04",
        "Vaswani et al. 2017",
    ),
    Member("GPT", 2018, "decoder", "next token", None, GPTConfig.gpt1, "05", "Radford et al. 2018"),
    Member(
        "BERT",
        2018,
        "encoder",
        "masked tokens, next sentence",
        1.3e11,
        BERTConfig.large,
        "06",
        "Devlin et al. 2018, A.2: 1,000,000 steps of 256 x 512",
    ),
    Member(
        "GPT-2",
        2019,
        "decoder",
        "next token",
        None,
        lambda: GPTConfig.gpt2("XL"),
        "05",
        "Radford et al. 2019",
    ),
    Member(
        "XLM",
        2019,
        "encoder",
        "masked tokens, also beside a translation",
        None,
        XLMConfig.xlm15,
        "08b",
        "Lample and Conneau 2019",
    ),
    Member(
        "RoBERTa",
        2019,
        "encoder",
        "masked tokens",
        2.1e12,
        RoBERTaConfig.large,
        "08a",
        "Liu et al. 2019: 500,000 steps of 8,000 x 512",
    ),
    Member(
        "ALBERT",
        2019,
        "encoder",
        "masked tokens, order of sentences",
        2.6e11,
        ALBERTConfig.xxlarge,
        "08a",
        "Lan et al. 2019: 125,000 steps of 4,096 x 512",
    ),
    Member(
        "DistilBERT",
        2019,
        "encoder",
        "what its teacher says",
        None,
        DistilBERTConfig.base,
        "08a",
        "Sanh et al. 2019",
    ),
    Member(
        "VideoBERT",
        2019,
        "encoder",
        "masked words and frames, do they match",
        None,
        VideoBERTConfig.large,
        "10",
        "Sun et al. 2019: BERT-large and 20,736 frame tokens",
    ),
    Member(
        "VisualBERT",
        2019,
        "encoder",
        "masked words beside a picture, do they match",
        None,
        VisualBERTConfig.base,
        "10",
        "Li et al. 2019: BERT-base and regions of 2,048 numbers",
    ),
    Member(
        "BART",
        2019,
        "both",
        "mend damaged text",
        None,
        BARTConfig.large,
        "08b",
        "Lewis et al. 2019",
    ),
    Member(
        "T5",
        2019,
        "both",
        "hidden spans, then tasks as text",
        1.0e12,
        lambda: T5Config.t5("11B"),
        "08b",
        "Raffel et al. 2020, section 3.7: 1,000,000 steps of 2,048 x 512",
    ),
    Member(
        "ELECTRA",
        2020,
        "encoder",
        "which tokens were replaced",
        1.8e12,
        ELECTRAConfig.large,
        "08a",
        "Clark et al. 2020: 1,750,000 steps of 2,048 x 512",
    ),
    Member(
        "MiniLM",
        2020,
        "encoder",
        "what its teacher's last layer looks at",
        None,
        22.7e6,
        "02",
        "Wang et al. 2020; the sentence encoder of the course",
    ),
    Member(
        "GPT-3",
        2020,
        "decoder",
        "next token",
        3.0e11,
        lambda: GPTConfig.gpt3("175B"),
        "05",
        "Brown et al. 2020",
    ),
    Member(
        "ViT",
        2020,
        "encoder",
        "labels of pictures",
        None,
        ViTConfig.large,
        "07",
        "Dosovitskiy et al. 2020",
    ),
    Member(
        "CLIP",
        2021,
        "encoder",
        "which text belongs to which picture",
        None,
        lambda: CLIPConfig.published("L/14"),
        "10",
        "Radford et al. 2021: L/14, both encoders",
    ),
    Member(
        "Swin",
        2021,
        "encoder",
        "labels of pictures",
        None,
        lambda: SwinConfig.published("large"),
        "09",
        "Liu et al. 2021",
    ),
    Member(
        "Perceiver", 2021, "encoder", "labels of pictures", None, 4.49e7, "09", "Jaegle et al. 2021"
    ),
    Member("GPT-4", 2023, "decoder", "next token", None, None, "", "OpenAI 2023 names no size"),
    Member(
        "Llama",
        2023,
        "decoder",
        "next token",
        1.4e12,
        lambda: LlamaConfig.llama("65B"),
        "05",
        "Touvron et al. 2023",
    ),
    Member(
        "DINOv2",
        2023,
        "encoder",
        "what its teacher says of other crops",
        None,
        DINOv2Config.large,
        "07",
        "Oquab et al. 2023",
    ),
    Member("Mistral", 2023, "decoder", "next token", None, 7.3e9, "", "Jiang et al. 2023"),
    Member("Mixtral", 2024, "decoder", "next token", None, 4.67e10, "", "Jiang et al. 2024"),
    Member("Gemma", 2024, "decoder", "next token", 6.0e12, 8.54e9, "", "Gemma Team 2024: 7B"),
    Member(
        "Llama 3.1", 2024, "decoder", "next token", 1.56e13, 4.05e11, "", "Grattafiori et al. 2024"
    ),
    Member("DeepSeek-V3", 2024, "decoder", "next token", 1.48e13, 6.71e11, "", "DeepSeek-AI 2024"),
    Member(
        "SmolLM2",
        2025,
        "decoder",
        "next token",
        1.1e13,
        lambda: LlamaConfig.smollm2("1.7B"),
        "00",
        "Ben Allal et al. 2025",
    ),
    Member("Qwen3", 2025, "decoder", "next token", 3.6e13, 2.35e11, "", "Yang et al. 2025"),
)
