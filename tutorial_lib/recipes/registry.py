"""The list of recipes: what each is called, which module runs it, and what it leaves."""

import hashlib
import importlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recipe:
    """One recipe: its name, the module that runs it, what it leaves, and what it is for.

    A module has `SETTINGS`, `SMOKE` (a tiny size for tests) and, unless it makes its data up,
    `data_bytes()`, what it learns from. One of kind "table" has `run(settings, progress)`, which
    returns a dict with `rows`; one of kind "checkpoint" `train(settings, progress)`, which returns
    a Model, and `evaluate(model)`. A tokenizer that `train` leaves as `model.tokenizer` is stored
    beside the weights; one that is no BPETokenizer needs the module's `read_tokenizer(path)`.
    """

    name: str
    module: str
    kind: str
    about: str

    def load(self):
        """Import the recipe's module; "module:NAME" stands for an object in it."""
        module, _, name = self.module.partition(":")
        module = importlib.import_module(f"{__package__}.{module}")
        return getattr(module, name) if name else module

    def sha256(self):
        """Return the SHA-256 of the module's source, with the same line ends on every system."""
        name = self.module.partition(":")[0]
        source = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        return hashlib.sha256(source.encode()).hexdigest()


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "recall-distance",
            "recall_distance",
            "table",
            "an LSTM against one attention layer: recall a digit seen k steps ago",
        ),
        Recipe(
            "heads-and-initialisations",
            "heads",
            "table",
            "one attention head against eight of equal size, five initialisations each",
        ),
        Recipe(
            "position-schemes",
            "position_schemes",
            "table",
            "six position schemes and three questions about letters, inside and beyond the length",
        ),
        Recipe(
            "longer-context",
            "longer_context",
            "table",
            "a rotary GPT on texts four times longer: its angles squeezed, or with a larger base",
        ),
        Recipe(
            "one-head-reader",
            "one_head_reader",
            "checkpoint",
            "one attention head, without positions, that reads the hundreds digit",
        ),
        Recipe(
            "shakespeare-gpt",
            "shakespeare_gpt",
            "checkpoint",
            "a GPT that writes scenes in Shakespeare's manner, character by character",
        ),
        Recipe(
            "two-gpts",
            "two_gpts",
            "table",
            "bits a character of our small GPT and of SmolLM2 on the same texts",
        ),
        Recipe(
            "norm-placement",
            "norm_placement",
            "table",
            "LayerNorm before or behind each sub-layer, with and without warm-up",
        ),
        Recipe(
            "staircase",
            "staircase",
            "table",
            "from a table of pairs to a GPT, one part at a time, three seeds",
        ),
        Recipe(
            "own-gpt",
            "own_gpt",
            "checkpoint",
            "the GPT that `assemble()` builds, trained for longer",
        ),
        Recipe(
            "translation-de",
            "translation:GERMAN",
            "checkpoint",
            "an encoder-decoder that translates English numbers and dates to German",
        ),
        Recipe(
            "translation-fr",
            "translation:FRENCH",
            "checkpoint",
            "an encoder-decoder that translates English numbers and dates to French",
        ),
        Recipe(
            "mnist-vit",
            "mnist_vit",
            "checkpoint",
            "a ViT that reads handwritten digits, trained on 3,500 pictures",
        ),
        Recipe(
            "vit-choices",
            "vit_choices",
            "table",
            "a ViT's pooling, patches and positions, each changed alone",
        ),
        Recipe(
            "vit-against-cnn",
            "vit_against_cnn",
            "table",
            "a ViT and a small convolutional network on 100 to 3,500 digits",
        ),
        Recipe(
            "pushed-digits",
            "pushed_digits",
            "table",
            "a ViT and small convolutional networks read digits pushed off the centre",
        ),
        Recipe(
            "larger-digits",
            "larger_digits",
            "table",
            "a ViT for 28 pixels goes on at 42: positions interpolated or begun anew",
        ),
        Recipe(
            "frozen-features",
            "frozen_features",
            "table",
            "digits and emoji from 5 to 50 labels a class: DINOv2's vectors, pixels, a small ViT",
        ),
        Recipe(
            "masks-and-students",
            "masks_and_students",
            "table",
            "masks drawn once or anew, and students of a BERT, for the same seconds",
        ),
        Recipe(
            "minilm-student",
            "minilm_student",
            "table",
            "MiniLM taught once more: three of its layers, by what six say of film reviews",
        ),
        Recipe(
            "six-tasks",
            "six_tasks",
            "checkpoint",
            "one T5 for six tasks: numbers, dates, sums, letters, all as text",
        ),
        Recipe(
            "text-to-text",
            "text_to_text",
            "table",
            "six tasks in one T5 and in six, a flat start, hidden spans before few labels",
        ),
        Recipe(
            "corruptions",
            "corruptions",
            "table",
            "five damages of BART, and nothing damaged: what mending each teaches in a minute",
        ),
        Recipe(
            "languages",
            "languages",
            "table",
            "one XLM for six languages, with and without translated pairs: retrieval, transfer",
        ),
        Recipe(
            "bert-family",
            "bert_family",
            "table",
            "BERT, RoBERTa, ALBERT and ELECTRA: what the same seconds of training buy",
        ),
        Recipe(
            "family-electra",
            "family_electra",
            "checkpoint",
            "an ELECTRA that tells which tokens of a line of Shakespeare were replaced",
        ),
        Recipe(
            "shakespeare-bert",
            "shakespeare_bert",
            "checkpoint",
            "a BERT pre-trained on Shakespeare: masked tokens and next sentences",
        ),
        Recipe(
            "play-bert",
            "play_bert",
            "checkpoint",
            "PlayBERT, the same BERT trained eight times as long",
        ),
        Recipe(
            "play-gpt",
            "play_gpt",
            "checkpoint",
            "PlayGPT, as large and as long trained, which reads the same plays from the left",
        ),
        Recipe(
            "play-gaps",
            "play_gaps",
            "table",
            "PlayBERT and PlayGPT at the same gaps: in one pass, or in many",
        ),
        Recipe(
            "number-bert",
            "number_bert",
            "checkpoint",
            "a small BERT that fills gaps in numbers, English and German words side by side",
        ),
        Recipe(
            "speech-vectors",
            "speech_vectors",
            "checkpoint",
            "vectors of meaning of Shakespeare's speeches, from MiniLM, in one byte a number",
        ),
        Recipe(
            "review-sentiment",
            "review_sentiment",
            "table",
            "film reviews: MiniLM frozen and fine-tuned, TF-IDF, and a model from scratch",
        ),
        Recipe(
            "play-names",
            "play_names",
            "table",
            "which words of a speech are names: PlayBERT and MiniLM, frozen and fine-tuned",
        ),
        Recipe(
            "question-reader",
            "question_reader",
            "checkpoint",
            "what MiniLM needs to answer questions about short texts: small changes, a span head",
        ),
        Recipe(
            "premises",
            "premises",
            "table",
            "does a sentence follow? a head or text, from scratch or after stories, with a leak",
        ),
        Recipe(
            "hidden-patches",
            "hidden_patches",
            "table",
            "digits: a ViT that guessed hidden patches first, then 10 to 50 labels of each",
        ),
        Recipe(
            "emoji-patches",
            "emoji_patches",
            "checkpoint",
            "a ViT that fills hidden patches of emoji with a colour",
        ),
        Recipe(
            "in-context",
            "in_context",
            "checkpoint",
            "a small GPT that learns a made-up grammar from the examples in its prompt",
        ),
        Recipe(
            "prompting",
            "prompting",
            "table",
            "SmolLM2 answers six tasks after 0 to 16 examples, and by wording and order",
        ),
        Recipe(
            "prompt-or-weights",
            "prompt_or_weights",
            "table",
            "SmolLM2 gets the same examples in its prompt or in its weights, three seeds",
        ),
        Recipe(
            "canvases",
            "canvases",
            "table",
            "a class for each pixel of a canvas of digits: Swin, two ViTs and a CNN",
        ),
        Recipe(
            "frozen-canvases",
            "frozen_canvases",
            "table",
            "the same canvases with DINOv2 frozen and a light head on its map",
        ),
        Recipe(
            "ask-anywhere",
            "ask_anywhere",
            "checkpoint",
            "a Perceiver that reads digits of 14 x 14 pixels and answers for any point",
        ),
        Recipe(
            "any-input",
            "any_input",
            "table",
            "a Perceiver reads pixels in any order, a letter, half a picture, or both",
        ),
        Recipe(
            "wider-windows",
            "wider_windows",
            "table",
            "Swin and Swin v2 with windows twice as wide as they were trained with",
        ),
        Recipe(
            "picture-costs",
            "picture_costs",
            "table",
            "time and memory of a layer over the size of a map: global, windows, latents",
        ),
        Recipe(
            "emoji-finder",
            "emoji_finder",
            "checkpoint",
            "finds emoji by a phrase: a linear map from frozen DINOv2 to frozen MiniLM",
        ),
        Recipe(
            "emoji-clip",
            "emoji_clip",
            "table",
            "unseen emoji found by name: frozen encoders or from scratch, batches, where it fails",
        ),
        Recipe(
            "scene-reader",
            "scene_reader",
            "checkpoint",
            "a small VisualBERT that reads scenes of emoji with a caption or a question",
        ),
        Recipe(
            "scenes",
            "scenes",
            "table",
            "captions and questions with the picture, another, or none, and who looks where",
        ),
        Recipe(
            "matching-rows",
            "matching_rows",
            "table",
            "a VisualBERT that learns from matching alone, as towers do: does it tell places?",
        ),
        Recipe(
            "clips",
            "clips",
            "table",
            "a small VideoBERT: captions to frames, frames to captions, the next frames",
        ),
        Recipe(
            "clip-writer",
            "clip_writer",
            "checkpoint",
            "a small VideoBERT that draws clips for captions, and goes on with them",
        ),
        Recipe(
            "emoji-writer",
            "emoji_writer",
            "checkpoint",
            "a code book of 256 codes, and a GPT that writes emoji with it after a caption",
        ),
        Recipe(
            "written-emoji",
            "written_emoji",
            "table",
            "are drawings what their captions say? judged by emoji-finder, with a copying check",
        ),
        Recipe(
            "who-is-where",
            "who_is_where",
            "table",
            "does DINOv2's vector of a scene tell which of two things is on the left?",
        ),
        Recipe(
            "judged-emoji",
            "judged_emoji",
            "table",
            "does a judge choose the own of two captions for emoji-writer's drawings?",
        ),
    )
}
