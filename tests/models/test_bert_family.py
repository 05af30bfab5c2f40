"""BERT's descendants against transformers' own, from odd sizes, with padding and segments."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.attention import capture_attention
from tutorial_lib.errors import (
    ContextError,
    DamagedFileError,
    MissingHeadError,
    ShapeError,
    VocabularyError,
)
from tutorial_lib.models import (
    ALBERT,
    BERT,
    ELECTRA,
    ALBERTConfig,
    BERTConfig,
    DistilBERT,
    DistilBERTConfig,
    ELECTRAConfig,
    RoBERTa,
    RoBERTaConfig,
    count_parameters,
)

transformers = pytest.importorskip("transformers")

ODD = {"hidden_size": 21, "num_attention_heads": 3, "num_hidden_layers": 3, "intermediate_size": 17}
ODD |= {"vocab_size": 23, "layer_norm_eps": 1e-7}
TEXT = {"max_position_embeddings": 11}
ROBERTA = ODD | {"max_position_embeddings": 13, "pad_token_id": 1, "type_vocab_size": 1}
ALBERT_SIZES = ODD | TEXT | {"embedding_size": 5}
DISTILBERT = {"vocab_size": 23, "max_position_embeddings": 11, "dim": 21, "n_layers": 3}
DISTILBERT |= {"n_heads": 3, "hidden_dim": 17}
# name: our class, their config, their class, their sizes
CASES = {
    "RoBERTa": (RoBERTa, "Roberta", "RobertaForMaskedLM", ROBERTA),
    "RoBERTa, relu, padding 3": (
        RoBERTa,
        "Roberta",
        "RobertaForMaskedLM",
        ROBERTA | {"hidden_act": "relu", "pad_token_id": 3, "max_position_embeddings": 15},
    ),
    "RoBERTa, two segments": (
        RoBERTa,
        "Roberta",
        "RobertaForMaskedLM",
        ROBERTA | {"type_vocab_size": 2},
    ),
    "XLM-R": (RoBERTa, "XLMRoberta", "XLMRobertaForMaskedLM", ROBERTA),
    "ALBERT": (ALBERT, "Albert", "AlbertForPreTraining", ALBERT_SIZES),
    "ALBERT, relu": (
        ALBERT,
        "Albert",
        "AlbertForPreTraining",
        ALBERT_SIZES | {"hidden_act": "relu", "embedding_size": 21},
    ),
    "DistilBERT": (DistilBERT, "DistilBert", "DistilBertForMaskedLM", DISTILBERT),
    "DistilBERT, relu": (
        DistilBERT,
        "DistilBert",
        "DistilBertForMaskedLM",
        DISTILBERT | {"activation": "relu"},
    ),
    "ELECTRA": (ELECTRA, "Electra", "ElectraForPreTraining", ODD | TEXT | {"embedding_size": 5}),
    "ELECTRA, equal widths": (
        ELECTRA,
        "Electra",
        "ElectraForPreTraining",
        ODD | TEXT | {"embedding_size": 21, "hidden_act": "gelu_new"},
    ),
    "generator": (
        ELECTRA,
        "Electra",
        "ElectraForMaskedLM",
        ODD | TEXT | {"embedding_size": 5, "hidden_act": "relu"},
    ),
}


def saved(folder, case):
    """Write their model of a case; return ours, read from there, and theirs."""
    ours, config, kind, sizes = CASES[case]
    torch.manual_seed(0)
    config = getattr(transformers, f"{config}Config")(**sizes)
    config._attn_implementation = "eager"
    other = getattr(transformers, kind)(config).eval()
    with torch.no_grad():  # far from the gentle initialisation: every term counts
        for parameter in other.parameters():
            parameter.normal_(std=0.4)
    other.save_pretrained(folder)
    return ours.from_pretrained(folder), other


def inputs(model):
    """Return ids, segments and mask of three sequences; RoBERTa knows padding by its id."""
    torch.manual_seed(1)
    ids = torch.randint(4, 23, (3, 11))
    mask = torch.arange(11) < torch.tensor([[11], [1], [5]])
    if isinstance(model, RoBERTa):
        ids[~mask] = model.config.pad_id
        ids[0, 2] = model.config.pad_id  # in the middle: it does not count there either
    segments = torch.randint(2, (3, 11)) if model.config.n_segments > 1 else None
    return ids, segments, mask


def logits_of(model, hidden):
    """Return every output of the heads that transformers' class has, in its order."""
    heads = []
    if isinstance(model, ELECTRA) and model.replaced_head:
        heads.append(model.replaced_logits(hidden))
    if model.mlm_head:
        heads.append(model.mlm_logits(hidden))
    if isinstance(model, ALBERT):
        heads.append(model.order_logits(hidden))
    return heads


@pytest.mark.parametrize("case", CASES)
@torch.no_grad()
def test_equals_transformers(tmp_path, case):
    ours, other = saved(tmp_path, case)
    ids, segments, mask = inputs(ours)
    with capture_attention(ours) as maps:
        hidden = ours(ids, segments, mask)
    options = {"output_hidden_states": True, "output_attentions": True}
    if segments is not None:
        options["token_type_ids"] = segments
    expected = other(ids, attention_mask=mask.long(), **options)
    states = ours.hidden_states(ids, segments, mask)
    for found, wanted in zip(states, expected.hidden_states, strict=True):
        assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    for found, wanted in zip(maps, expected.attentions, strict=True):
        assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    wanted = [expected[key] for key in expected if key.endswith("logits")]
    for found, logits in zip(logits_of(ours, hidden), wanted, strict=True):
        assert_close(found, logits, atol=1e-5, rtol=1e-5)
    assert not ours.training


@pytest.mark.parametrize(
    ("case", "asked", "missing"),
    [
        ("RoBERTa", "mlm_logits", "RoBERTa has no MLM head"),
        ("ALBERT", "mlm_logits", "ALBERT has no MLM head"),
        ("ALBERT", "order_logits", r"ALBERT has no head for the order.*with_heads\(order=True\)"),
        ("DistilBERT", "mlm_logits", "DistilBERT has no MLM head"),
        ("ELECTRA", "mlm_logits", "ELECTRA has no MLM head"),
        ("ELECTRA", "replaced_logits", r"no head for replaced tokens.*with_heads\(replaced=True\)"),
    ],
)
def test_a_bare_body_has_no_heads(tmp_path, case, asked, missing):
    ours, config, _, sizes = CASES[case]
    config = getattr(transformers, f"{config}Config")(**sizes)
    torch.manual_seed(0)
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    model = ours.from_pretrained(tmp_path)
    with pytest.raises(MissingHeadError, match=missing):
        getattr(model, asked)(model(torch.tensor([[5, 6]])))


TABLE = "embeddings.word_embeddings.weight"


@pytest.mark.parametrize(
    ("case", "prefix", "decoder"),
    [
        ("RoBERTa", "roberta", "lm_head.decoder.weight"),
        ("ALBERT", "albert", "predictions.decoder.weight"),
        ("DistilBERT", "distilbert", "vocab_projector.weight"),
        ("generator", "electra", "generator_lm_head.weight"),
    ],
)
def test_older_files_hold_more_than_is_needed(tmp_path, case, prefix, decoder):
    """Positions that only count, the token vectors a second time, and norms in old spelling."""
    ours, _ = saved(tmp_path, case)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    tensors[f"{prefix}.embeddings.position_ids"] = torch.arange(11)[None]
    tensors[decoder] = tensors[f"{prefix}.{TABLE}"].clone()
    if case in ("RoBERTa", "generator"):
        old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        for new, before in old.items():
            name = f"{prefix}.embeddings.{new}"
            tensors[name.replace(new, before)] = tensors.pop(name)
    save_file(tensors, path, {"format": "pt"})
    again = type(ours).from_pretrained(tmp_path).state_dict()
    for name, tensor in ours.state_dict().items():
        assert again[name].equal(tensor), name
    tensors[decoder] += 1
    save_file(tensors, path, {"format": "pt"})
    with pytest.raises(DamagedFileError, match=f"{decoder} differs from {TABLE}"):
        type(ours).from_pretrained(tmp_path)


@pytest.mark.parametrize("case", ["RoBERTa", "ALBERT", "DistilBERT", "ELECTRA"])
def test_what_a_file_does_not_say_is_the_default_of_its_family(tmp_path, case):
    ours, config, _, sizes = CASES[case]
    sizes = {name: value for name, value in sizes.items() if name != "layer_norm_eps"}
    config = getattr(transformers, f"{config}Config")(**sizes)
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    said = ours.from_pretrained(tmp_path).config
    path = tmp_path / "config.json"
    raw = json.loads(path.read_text())
    unsaid = ("hidden_act", "activation", "layer_norm_eps", "hidden_dropout_prob", "dropout")
    path.write_text(json.dumps({name: raw[name] for name in raw if name not in unsaid}))
    assert ours.from_pretrained(tmp_path).config == said


FAMILIES = ("RoBERTa", "ALBERT", "DistilBERT", "ELECTRA")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder for each family, as transformers writes it."""
    made = {name: tmp_path_factory.mktemp(name) for name in FAMILIES}
    for name, folder in made.items():
        saved(folder, name)
    return made


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("reader", [RoBERTa, ALBERT, DistilBERT, ELECTRA, BERT])
def test_a_folder_of_another_family_is_refused(folders, reader, family):
    if reader.__name__ == family:
        assert type(reader.from_pretrained(folders[family])) is reader
        return
    found = f"model_type is '{family.lower()}', {reader.__name__} needs"
    with pytest.raises(DamagedFileError, match=found):
        reader.from_pretrained(folders[family])


@pytest.mark.parametrize("option", ["num_hidden_groups", "inner_group_num"])
def test_layers_in_groups_are_refused(tmp_path, option):
    config = transformers.AlbertConfig(**ALBERT_SIZES, **{option: 3})
    transformers.AlbertModel(config).save_pretrained(tmp_path)
    with pytest.raises(DamagedFileError, match=f"{option} is 3, ALBERT needs 1"):
        ALBERT.from_pretrained(tmp_path)


# --- behaviour ------------------------------------------------------------------------------

TINY = {"vocab_size": 9, "context": 6, "d_model": 8, "n_layers": 4, "n_heads": 2}


def test_the_positions_of_a_roberta_skip_its_padding():
    torch.manual_seed(0)
    model = RoBERTaConfig(**TINY).build().eval()
    found = model(torch.tensor([[5, 1, 6]]), mask=torch.tensor([[True, False, True]]))
    assert_close(found[:, [0, 2]], model(torch.tensor([[5, 6]])), atol=1e-6, rtol=1e-5)
    with pytest.raises(ContextError, match="7 tokens do not fit into a context of 6"):
        model(torch.zeros(1, 7, dtype=torch.long))


def test_an_albert_with_one_layer_is_a_bert():
    torch.manual_seed(0)
    sizes = TINY | {"n_layers": 1, "activation": "gelu"}
    albert = ALBERTConfig(**sizes, embedding_size=8, pooler=True, order=True).build().eval()
    bert = BERTConfig(**sizes, pooler=True, nsp=True).build().eval()
    with torch.no_grad():
        albert.widen.weight.copy_(torch.eye(8))
        albert.widen.bias.zero_()
    weights = {
        name.replace("order_head", "nsp_head"): tensor
        for name, tensor in albert.state_dict().items()
        if not name.startswith("widen")
    }
    bert.load_state_dict(weights)
    ids = torch.tensor([[1, 5, 2]])
    assert_close(albert(ids), bert(ids))
    assert_close(albert.order_logits(albert(ids)), bert.nsp_logits(bert(ids)))


def test_an_albert_twice_as_deep_has_no_more_parameters_and_more_maps():
    shallow, deep = (ALBERTConfig(**TINY | {"n_layers": n}).build() for n in (2, 4))
    assert count_parameters(shallow) == count_parameters(deep)
    with capture_attention(deep) as maps:
        deep(torch.tensor([[1, 5, 2]]))
    assert len(maps) == 4
    assert not maps[0].equal(maps[1])
    assert not deep(torch.tensor([[1, 5, 2]])).equal(shallow(torch.tensor([[1, 5, 2]])))


@pytest.mark.parametrize(("layers", "taken"), [(None, [0, 2]), ([3, 1], [3, 1]), ([2], [2])])
def test_a_student_starts_with_layers_of_its_teacher(layers, taken):
    torch.manual_seed(0)
    odd = {"eps": 0.1, "activation": "relu", "dropout": 0.25, "d_ff": 5}
    teacher = BERTConfig(**TINY, **odd, mlm=True).build().eval()
    student = DistilBERT.from_teacher(teacher, layers)
    assert student.training
    assert student.config.dropout == 0.25
    student.eval()
    ids = torch.tensor([[1, 5, 2]])
    assert_close(student.embed(ids), teacher.embed(ids))
    x = teacher.embed(ids)
    for layer in taken:
        x = teacher.blocks[layer](x)
    assert_close(student(ids), x)
    assert_close(student.mlm_logits(x), teacher.mlm_logits(x))
    student.blocks[0].attention.qkv.weight.data.zero_()  # its weights are copies
    assert teacher.blocks[taken[0]].attention.qkv.weight.any()


def test_a_student_needs_a_bert_and_layers_that_it_has():
    teacher = BERTConfig(**TINY).build()
    for layers in ([4], [-1], []):
        with pytest.raises(ShapeError, match="layers must be some of 0 to 3, the teacher's, got"):
            DistilBERT.from_teacher(teacher, layers)
    with pytest.raises(TypeError, match="starts from a BERT, got RoBERTa"):
        DistilBERT.from_teacher(RoBERTaConfig(**TINY).build())
    student = DistilBERT.from_teacher(teacher)
    with pytest.raises(VocabularyError, match="segments"):
        student(torch.tensor([[1, 2]]), torch.tensor([[0, 1]]))
    with pytest.raises(ShapeError, match="segments must have the shape of ids"):
        student(torch.tensor([[1, 2]]), torch.tensor([[0]]))
    with pytest.raises(VocabularyError, match="ids must lie between 0 and 8, got 9"):
        student(torch.tensor([[1, 9]]))


def test_generator_and_discriminator_share_their_tables():
    sizes = ELECTRAConfig(**TINY | {"n_heads": 4}, embedding_size=3, replaced=True)
    discriminator, generator = sizes.build(), sizes.generator(0.5).build()
    assert generator.blocks[0].attention.n_heads == 2
    discriminator.share_embeddings(generator)
    with torch.no_grad():
        discriminator.token_embedding.weight.zero_()
    assert not generator.token_embedding.weight.any()
    with pytest.raises(ShapeError, match=r"token_embedding is \(9, 3\) here and \(10, 3\)"):
        discriminator.share_embeddings(ELECTRAConfig(**TINY | {"vocab_size": 10},
                                                     embedding_size=3).build())  # fmt: skip
    for share in (0.3, 0):
        with pytest.raises(ShapeError, match=f"{share} of d_model 8 is .*, no width"):
            sizes.generator(share)


def test_a_generator_is_narrower_but_for_its_token_vectors():
    config = ELECTRAConfig(**TINY | {"n_heads": 4}, d_ff=20, replaced=True).generator(0.5)
    assert (config.d_model, config.d_ff, config.n_heads, config.n_layers) == (4, 10, 2, 4)
    assert config.embedding_size == 8  # as wide as the discriminator, which has no other width
    assert (config.mlm, config.replaced) == (True, False)


@pytest.mark.parametrize(
    ("config", "options", "message"),
    [
        (RoBERTaConfig, {"pooler": True, "nsp": True}, "RoBERTa has no nsp"),
        (RoBERTaConfig, {"pad_id": 9}, "pad_id must be from 0 to 8, got 9"),
        (RoBERTaConfig, {"pad_id": -1}, "pad_id must be from 0 to 8, got -1"),
        (ALBERTConfig, {"order": True}, "the order head reads the pooler"),
        (ALBERTConfig, {"pooler": True, "nsp": True}, "order=True asks for"),
        (ALBERTConfig, {"embedding_size": 0}, "embedding_size must be a whole number"),
        (DistilBERTConfig, {"pooler": True}, "DistilBERT has no pooler"),
        (ELECTRAConfig, {"pooler": True}, "ELECTRA has no pooler"),
    ],
)
def test_parts_that_a_family_does_not_have_are_refused(config, options, message):
    with pytest.raises(ValueError, match=message):
        config(**TINY | options)


@pytest.mark.parametrize("config", [RoBERTaConfig, ALBERTConfig, DistilBERTConfig, ELECTRAConfig])
def test_each_can_be_saved_and_get_another_head(tmp_path, config):
    torch.manual_seed(0)
    sizes = (
        TINY | {"n_layers": 40} if config is ALBERTConfig else TINY
    )  # all in one layer's tensors
    model = config(**sizes, mlm=True).build().eval()
    model.save(tmp_path / "model.safetensors")
    again = type(model).load(tmp_path / "model.safetensors")
    ids = torch.tensor([[3, 5, 2]])
    assert_close(again.mlm_logits(again(ids)), model.mlm_logits(model(ids)))
    tagger = model.with_heads(n_labels=3, n_classes=2, pooling="mean")
    assert tagger.token_logits(tagger(ids)).shape == (1, 3, 3)
    assert tagger.sequence_logits(tagger(ids)).shape == (1, 2)


def test_what_a_body_was_not_trained_for_can_be_added():
    torch.manual_seed(0)
    ids = torch.tensor([[3, 5, 2]])
    albert = ALBERTConfig(**TINY, pooler=True).build().eval()
    ordered = albert.with_heads(order=True)
    assert ordered.order_logits(ordered(ids)).shape == (1, 2)
    generator = ELECTRAConfig(**TINY, mlm=True).build().eval()
    detective = generator.with_heads(mlm=False, replaced=True)
    assert detective.replaced_logits(detective(ids)).shape == (1, 3)
    for old, new in ((albert, ordered), (generator, detective)):
        assert_close(new(ids), old(ids))


@pytest.mark.parametrize("config", [DistilBERTConfig, ELECTRAConfig])
def test_what_has_no_pooler_reads_texts_from_their_mean(config):
    model = config(**TINY, n_classes=2).build()
    assert model.sequence_logits(model(torch.tensor([[3, 5, 2]]))).shape == (1, 2)


@pytest.mark.parametrize("config", [RoBERTaConfig, ALBERTConfig, DistilBERTConfig, ELECTRAConfig])
def test_all_weights_start_small(config):
    torch.manual_seed(0)
    own = {"pooler": True, "order": True} if config is ALBERTConfig else {}
    own |= {"replaced": True} if config is ELECTRAConfig else {}
    own |= {"embedding_size": 48} if hasattr(config, "embedding_size") else {}
    sizes = {"vocab_size": 90, "context": 64, "d_model": 96, "n_layers": 2, "n_heads": 2}
    for name, weight in config(**sizes, **own, mlm=True).build().named_parameters():
        if weight.numel() > 500:
            assert weight.std().item() == pytest.approx(0.02, rel=0.15), name
        elif name.endswith("bias"):
            assert not weight.any(), name
