"""Unigram against `tokenizers`: ids, files, cuts; and its learning against what EM promises."""

import base64
import itertools
import json
import math
import struct
import sys
import unicodedata
from functools import cache

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tutorial_lib.datasets import load_shakespeare
from tutorial_lib.errors import DamagedFileError, MissingDataError, VocabularyError
from tutorial_lib.tokenizers import (
    UnigramTokenizer,
    expected_counts,
    lattice,
    likeliest_path,
    train_unigram,
)
from tutorial_lib.tokenizers.cuts import pieces_of
from tutorial_lib.tokenizers.normalize import CharacterMap, normalizer
from tutorial_lib.tokenizers.unigram import beginnings, fast_cut
from tutorial_lib.tokenizers.unigram_training import (
    expectation,
    maximisation,
    prune,
    seed_pieces,
)

tokenizers = pytest.importorskip("tokenizers")
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers  # noqa: E402

SPECIAL = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
SENTENCE = "Naïve cafés, 日本語 and ﬁne Ünï: to be, or not to be? 👩‍🚀 42 ½ "
TRAINING = [*load_shakespeare().text[:20_000].splitlines(), *[SENTENCE] * 3]
N = normalizers
# What the published files have around the model: T5's, ALBERT's, XLM-R's shape, and more.
AROUND = {
    "plain": (None, pre_tokenizers.Metaspace()),
    "one word": (None, pre_tokenizers.Metaspace(split=False)),
    "no blank in front": (None, pre_tokenizers.Metaspace(prepend_scheme="never")),
    "raw": (None, None),
    "SentencePiece": (
        N.Sequence([N.Nmt(), N.NFKC(), N.Replace(tokenizers.Regex(" {2,}"), " ")]),
        pre_tokenizers.Metaspace(),
    ),
    "ALBERT": (
        N.Sequence(
            [
                N.Replace("``", '"'),
                N.Replace("''", '"'),
                N.NFKD(),
                N.StripAccents(),
                N.Lowercase(),
            ]
        ),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
    ),
    "stripped": (
        N.Sequence([N.Strip(left=False), N.NFC(), N.Prepend("▁"), N.Replace(" ", "▁")]),
        pre_tokenizers.Metaspace(prepend_scheme="never"),
    ),
}
TRAPS = [*SPECIAL, "<unk><unk>", "``", "''", "▁", "▁▁", " ", "  ", "\n", "\t", "\u3000", "\x1c"]
TRAPS += ["\x85", "\u200b", "\ufeff", "é", "e\u0301", "ΑΣ", "日本語", "ﬁ", "½", "👩‍🚀", "to be"]
STEPS = [{"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents")]


@cache
def different(character):
    """Whether the two libraries see a character with different Unicode tables."""
    if unicodedata.category(character) == "Cn":
        return True
    return any(
        normalizer(step)("a" + character)
        != getattr(normalizers, step["type"])().normalize_str("a" + character)
        for step in STEPS
    )


@pytest.mark.slow
def test_the_two_unicode_tables_differ_in_few_rare_characters():
    points = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    assigned = [chr(code) for code in points if unicodedata.category(chr(code)) != "Cn"]
    assert sum(map(different, assigned)) < 400
    nmt, strip = normalizers.Nmt(), normalizers.Strip()
    ours = normalizer({"type": "Nmt"})
    bare = normalizer({"type": "Strip", "strip_left": True, "strip_right": True})
    for code in points:
        text = f"{chr(code)}a{chr(code)}"
        assert ours(text) == nmt.normalize_str(text), hex(code)
        assert bare(text) == strip.normalize_str(text), hex(code)


texts = (
    st.lists(st.text(max_size=6) | st.sampled_from(TRAPS), max_size=10)
    .map("".join)
    .map(lambda text: "".join(c for c in text if not different(c)))
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return {kind: (theirs, ours, read from its file)}, learned by `tokenizers`."""
    both = {}
    for kind, (normalize, cut) in AROUND.items():
        theirs = tokenizers.Tokenizer(models.Unigram())
        if normalize:
            theirs.normalizer = normalize
        if cut:
            theirs.pre_tokenizer = cut
        theirs.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=350, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False
        )
        theirs.train_from_iterator(TRAINING, trainer)
        theirs.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True)])
        if kind == "ALBERT":
            theirs.post_processor = processors.TemplateProcessing(
                single="<s>:0 $A:0 </s>:0",
                pair="<s>:0 $A:0 </s>:0 $B:1 </s>:1",
                special_tokens=[("<s>", 2), ("</s>", 3)],
            )
        folder = tmp_path_factory.mktemp("unigram")
        theirs.save(str(folder / "tokenizer.json"))
        both[kind] = theirs, UnigramTokenizer.from_pretrained(folder)
    return both


@pytest.mark.parametrize("kind", AROUND)
@settings(max_examples=150, deadline=None)
@given(text=texts, pair=st.none() | texts)
def test_ids_equal_the_reference(trained, kind, text, pair):
    theirs, ours = trained[kind]
    expected, found = theirs.encode(text, pair), ours.encode(text, pair)
    assert found.ids == expected.ids
    assert found.segments == expected.type_ids


small = st.text("aab▁", min_size=1, max_size=4)
mixed = st.lists(st.sampled_from(["a", "b", "é", " ", "<unk>"]), max_size=12).map("".join)
scores = st.dictionaries(small, st.integers(-6, 1), min_size=1, max_size=14)


@settings(max_examples=300, deadline=None)
@given(scores=scores, bytes_too=st.booleans(), text=mixed)
@example({"▁": 0}, True, "<unk>")
@example({"▁": -1, "yz": -1, "xy": -6, "z": -6}, False, "xyz")  # an unknown x costs 16, not 9
def test_ties_unknown_characters_and_bytes_equal_the_reference(scores, bytes_too, text):
    pieces = {"<unk>": 0.0} | {piece: float(score) for piece, score in scores.items()}
    if bytes_too:
        pieces |= {f"<0x{byte:02X}>": -9.0 for byte in range(256)}
    theirs = tokenizers.Tokenizer(
        models.Unigram(list(pieces.items()), unk_id=0, byte_fallback=bytes_too)
    )
    theirs.pre_tokenizer = pre_tokenizers.Metaspace()
    ours = UnigramTokenizer(pieces, byte_fallback=bytes_too)
    assert ours.encode(text).ids == theirs.encode(text).ids


@settings(max_examples=300, deadline=None)
@given(scores=scores, unknown=st.none() | st.integers(-9, 2), word=st.text("aab▁x", max_size=12))
def test_the_fast_cut_is_the_likeliest(scores, unknown, word):
    _, ends = likeliest_path(lattice(word, scores, unknown))
    assert fast_cut(word, beginnings(scores, unknown), unknown) == pieces_of(word, ends)


def test_the_fast_cut_tries_only_beginnings_of_pieces():
    class Counted(dict):
        looked_up = 0

        def get(self, key, default=None):
            self.looked_up += 1
            return super().get(key, default)

    begins = Counted(beginnings({"a": -1.0, "b": -1.0, "abab": -1.5}))
    assert fast_cut("b" * 1_000, begins) == ["b"] * 1_000
    assert begins.looked_up < 2_000


@pytest.mark.parametrize("kind", AROUND)
def test_what_it_saves_is_read_by_both(trained, tmp_path, kind):
    theirs, ours = trained[kind]
    ours.save(tmp_path / "tokenizer.json")
    again = UnigramTokenizer.load(tmp_path / "tokenizer.json")
    other = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    text = "To  be, naïve 日本 <mask> or\nnot ``ﬁ'' 😀"
    assert again.encode(text, "to") == ours.encode(text, "to")
    assert other.encode(text, "to").ids == theirs.encode(text, "to").ids
    assert again.vocab == ours.vocab


@settings(max_examples=100, deadline=None)
@given(text=st.text("To be, or not?42", max_size=30))
def test_decode_equals_the_reference(trained, text):
    theirs, ours = trained["plain"]
    ids = ours.encode(text).ids
    assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
    assert ours.decode(torch.tensor(ids)) == ours.decode(ids)
    framed = trained["ALBERT"][1]
    assert ours.decode(ours.encode("to be").ids) == "to be"
    assert framed.decode([0, *framed.encode("to <mask> be").ids, 0]) == "to<mask> be"


def test_bytes_come_back():
    pieces = {"<unk>": 0.0, "a": -1.0} | {f"<0x{byte:02X}>": -9.0 for byte in range(256)}
    ours = UnigramTokenizer(pieces, byte_fallback=True)
    assert ours.decode(ours.encode("a日a").ids) == "a日a"
    assert ours.decode([2 + 0xE6]) == "\ufffd"
    few = {name: score for name, score in pieces.items() if name != "<0xE6>"}
    assert 0 in UnigramTokenizer(few, byte_fallback=True).encode("a日a").ids


def character_map(table):
    """Return {text: replacement} as SentencePiece compiles it: a double-array trie and texts."""
    texts, starts = b"", {}
    for key, value in table.items():
        starts[key.encode()] = len(texts)
        texts += value.encode() + b"\0"
    units, taken = {0: 0}, {0}

    def fill(place, prefix):
        below = {key[len(prefix)] if len(key) > len(prefix) else 0
                 for key in starts if key.startswith(prefix)}  # fmt: skip
        base = next(b for b in itertools.count(1) if not {b ^ byte for byte in below} & taken)
        taken.update(base ^ byte for byte in below)
        units[place] |= (place ^ base) << 10 | (0 in below) << 8
        for byte in below:
            if byte:
                units[base ^ byte] = byte
                fill(base ^ byte, prefix + bytes([byte]))
            else:
                units[base] = 1 << 31 | starts[prefix]

    fill(0, b"")
    size = max(units) + 256
    data = struct.pack(f"<{size}I", *(units.get(place, 0) for place in range(size)))
    return struct.pack("<I", len(data)) + data + texts


TABLE = {"ﬁ": "fi", "Ａ": "A", "\t": " ", "½": "1/2", "e\u0301": "é", "\u00ad": "", "日": "day"}
TABLE |= {"\n": " ", "a": "b", "à": "x", "ก": "k", "กำ": "km", "\u200b": " ", "👩": "F"}
clusters = st.sampled_from([*TABLE, "\u0301", "\u0300", "z", "👩\u200d🚀", "\r\n"])
mapped = st.lists(clusters | st.text(max_size=2)).map("".join)


@settings(max_examples=300, deadline=None)
@given(text=mapped.map(lambda text: "".join(c for c in text if not different(c))))
def test_the_table_of_sentencepiece_equals_the_reference(text):
    data = character_map(TABLE)
    assert CharacterMap(data)(text) == normalizers.Precompiled(data).normalize_str(text)


def test_a_table_in_a_file():
    data = base64.b64encode(character_map(TABLE)).decode()
    ours = normalizer({"type": "Precompiled", "precompiled_charsmap": data})
    assert ours("ﬁn Ａ½") == "fin A1/2"
    for wrong in ("", "AAAA", "!", data[:40], 3):
        with pytest.raises(VocabularyError, match="a normalizer cannot be read"):
            normalizer({"type": "Precompiled", "precompiled_charsmap": wrong})


def test_published_shapes_through_transformers(tmp_path):
    transformers = pytest.importorskip("transformers")
    pieces = [(piece, -1.0 - i / 7) for i, piece in enumerate(["▁", "▁to", "be", "b", "e", "o"])]
    kinds = {
        "XLMRoberta": ["<s>", "<pad>", "</s>", "<unk>"],
        "T5": ["<pad>", "</s>", "<unk>"],
        "Albert": ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"],
    }
    for kind, special in kinds.items():
        vocab = [*((name, 0.0) for name in special), *pieces]
        if kind == "XLMRoberta":
            vocab.append(("<mask>", 0.0))
        theirs = getattr(transformers, f"{kind}Tokenizer")(vocab=vocab)
        theirs.save_pretrained(tmp_path / kind)
        ours = UnigramTokenizer.from_pretrained(tmp_path / kind)
        for text, pair in (("To bé ``be'' to", None), ("<extra_id_3> to<mask> x", "be [MASK]")):
            assert ours.encode(text, pair).ids == theirs(text, pair)["input_ids"], kind
        assert ours.vocab_size == len(theirs)
        assert (ours.unk_id, ours.pad_id) == (theirs.unk_token_id, theirs.pad_token_id)
        assert ours.sep_id == (theirs.eos_token_id if kind == "T5" else theirs.sep_token_id)
        assert (ours.cls_id, ours.mask_id) == (theirs.cls_token_id, theirs.mask_token_id)


def test_segmentations_are_all_cuts_with_their_shares():
    pieces = {"<unk>": 0.0, "▁": -1.5, "a": -2.0, "▁a": -2.5, "aa": -2.75, "b": -3.0, "ab": -4.0}
    tokenizer = UnigramTokenizer(pieces)
    word = "▁aab"
    expected = {}
    for n in range(len(word)):
        for inner in itertools.combinations(range(1, len(word)), n):
            cut = tuple(word[i:j] for i, j in itertools.pairwise((0, *inner, len(word))))
            if all(piece in pieces for piece in cut):
                expected[cut] = math.exp(sum(pieces[piece] for piece in cut))
    total = sum(expected.values())
    found = tokenizer.segmentations("aab", n=100)
    assert {cut.pieces for cut in found} == expected.keys()
    for cut in found:
        assert cut.probability == pytest.approx(expected[cut.pieces] / total)
    assert found == sorted(found, key=lambda cut: -cut.probability)
    assert tokenizer.segmentations("aab", 3) == found[:3]
    assert list(found[0].pieces) == tokenizer.tokens("aab")
    with pytest.raises(ValueError, match="takes one word, got 2"):
        tokenizer.segmentations("a b")
    with pytest.raises(ValueError, match="n must be at least 1"):
        tokenizer.segmentations("a", 0)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 3.0])
def test_samples_have_the_shares_they_should(alpha):
    pieces = {"<unk>": 0.0, "▁": -1.5, "a": -2.0, "▁a": -2.5, "aa": -2.75, "▁aa": -3.0}
    tokenizer, draws = UnigramTokenizer(pieces), 3_000
    cuts = tokenizer.segmentations("aa", 100)
    shares = [cut.probability**alpha for cut in cuts]
    generator = torch.Generator().manual_seed(0)
    seen = [tuple(tokenizer.sample("aa", alpha, generator).tokens) for _ in range(draws)]
    for cut, share in zip(cuts, shares, strict=True):
        expected = share / sum(shares)
        spread = 4 * math.sqrt(expected * (1 - expected) / draws)
        assert seen.count(cut.pieces) / draws == pytest.approx(expected, abs=spread)


def test_sampling_keeps_the_text_and_its_frame(trained):
    ours = trained["ALBERT"][1]
    text = "to be, or not to be? <mask> 日 <unk> 👻"
    kept, generator = ours.decode(ours.encode(text).ids), torch.Generator()
    seen = {tuple(ours.sample(text, 0.1, generator.manual_seed(seed)).ids) for seed in range(20)}
    assert len(seen) > 5
    assert {ours.decode(ids) for ids in seen} == {kept}
    assert all(ids[0] == 2 and ids[-1] == 3 for ids in seen)
    again = [ours.sample(text, 0.1, generator.manual_seed(7)) for _ in range(2)]
    assert again[0] == again[1]
    assert ours.sample(text, 200.0) == ours.encode(text)
    for alpha in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="alpha must be a number of at least 0"):
            ours.sample(text, alpha)


def test_what_cannot_be_encoded_and_decoded():
    ours = UnigramTokenizer({"▁": -1.0, "a": -1.0}, unk_id=None)
    assert ours.encode("a a").tokens == ["▁", "a", "▁", "a"]
    with pytest.raises(VocabularyError, match=r"no pieces spell '▁ab', which holds \['b'\]"):
        ours.encode("ab")
    for wrong in (2, -1, "a", True):
        with pytest.raises(VocabularyError, match="is not in the vocabulary: ids are 0 to 1"):
            ours.decode([wrong])
    assert UnigramTokenizer({"<unk>": 0.0}).encode("a\ud83db").tokens == ["<unk>"]
    assert UnigramTokenizer({"<unk>": 0.0}).encode("").ids == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scores": {}}, "holds no piece"),
        ({"scores": {"": 0.0}}, "one character or more"),
        ({"scores": {"a": True}}, "score of 'a' should be a number"),
        ({"scores": {"a": math.inf}}, "score of 'a' should be finite"),
        ({"unk_id": 2}, "unk_id should be from 0 to 1, got 2"),
        ({"special_tokens": {"<s>": 3}}, "should go on from 2, got {'<s>': 3}"),
        ({"special_tokens": {"a": 0}}, "special token 'a' should be 1, got 0"),
        ({"special_tokens": {"": 2}}, "a special token is a text"),
        ({"takes_blanks": ["<mask>"]}, "not all of"),
        ({"normalizer": {"type": "Bert"}}, "'Bert' is not supported; known are Sequence, NFC"),
        ({"normalizer": {"type": "Replace", "pattern": {"Regex": "("}, "content": ""}}, "cannot"),
        ({"pre_tokenizer": {"type": "ByteLevel"}}, "should be Metaspace with ▁"),
        (
            {"pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first"}},
            "should be Metaspace with ▁",
        ),
        ({"post_processor": {"type": "BertProcessing"}}, "should be TemplateProcessing"),
        (
            {"post_processor": {"type": "TemplateProcessing", "single": [], "pair": [{"B": 1}]}},
            "the template cannot be read",
        ),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit(options, message):
    with pytest.raises(VocabularyError, match=message):
        UnigramTokenizer(**({"scores": {"<unk>": 0.0, "a": -1.0}} | options))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["model"].update(type="BPE"), "holds a 'BPE', not a Unigram"),
        (lambda c: c["model"]["vocab"].append(["<unk>", 0.0]), "holds a piece more than once"),
        (lambda c: c["added_tokens"][4].update(rstrip=True), "rstrip of the token '<mask>'"),
        (lambda c: c.update(normalizer={"type": "Bert"}), "'Bert' is not supported"),
        (lambda c: c.pop("model"), "is no tokenizer file"),
    ],
)
def test_files_that_are_refused(trained, tmp_path, change, message):
    path = tmp_path / "tokenizer.json"
    content = json.loads(trained["plain"][0].to_str())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(DamagedFileError, match=message):
        UnigramTokenizer.load(path)
    with pytest.raises(MissingDataError, match=r"there is no file .*tokenizer\.json"):
        UnigramTokenizer.load(tmp_path / "else" / "tokenizer.json")


def sentencepiece_file(path, pieces, **rules):
    """Write pieces (text, score, kind) as SentencePiece does, through its own schema."""
    schema = pytest.importorskip("transformers.utils.sentencepiece_model_pb2_new")
    proto = schema.ModelProto()
    for piece, score, kind in pieces:
        proto.pieces.add(piece=piece, score=score, type=kind)
    proto.trainer_spec.model_type = rules.pop("model_type", 1)
    proto.trainer_spec.byte_fallback = rules.pop("byte_fallback", False)
    for name, value in rules.items():
        setattr(proto.normalizer_spec, name, value)
    path.write_bytes(proto.SerializeToString())
    return path


PIECES = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("▁to", -1.5, 1), ("▁", -2.0, 1)]
PIECES += [("b", -3.0, 1), ("e", -3.5, 1), ("fi", -4.0, 1)]


def test_sentencepiece_s_own_file(tmp_path):
    path = sentencepiece_file(
        tmp_path / "spiece.model", PIECES, precompiled_charsmap=character_map(TABLE)
    )
    ours = UnigramTokenizer.from_sentencepiece(path)
    assert ours.vocab == [piece for piece, _, _ in PIECES]
    with pytest.raises(MissingDataError, match=r"no tokenizer\.json; from_sentencepiece reads sp"):
        UnigramTokenizer.from_pretrained(tmp_path)
    assert (ours.unk_id, ours.special_tokens) == (0, {"<unk>": 0, "<s>": 1, "</s>": 2})
    assert ours.tokens("\r  to ") == ["▁", "<unk>", "▁to"]  # only spaces are superfluous
    assert ours.tokens("  to   be\t ﬁx ") == ["▁to", "▁", "b", "e", "▁", "fi", "<unk>"]
    plain = {"add_dummy_prefix": False, "remove_extra_whitespaces": False}
    ours = UnigramTokenizer.from_sentencepiece(sentencepiece_file(path, PIECES, **plain))
    assert ours.tokens("b  to") == ["b", "▁", "▁to"]
    with pytest.raises(DamagedFileError, match="its model_type is 2"):
        UnigramTokenizer.from_sentencepiece(sentencepiece_file(path, PIECES, model_type=2))
    with pytest.raises(DamagedFileError, match="'<s>' more than once"):
        UnigramTokenizer.from_sentencepiece(sentencepiece_file(path, [*PIECES, PIECES[1]]))
    with pytest.raises(MissingDataError, match="there is no file"):
        UnigramTokenizer.from_sentencepiece(tmp_path / "other.model")


def test_a_damaged_file_of_sentencepiece(tmp_path):
    whole = sentencepiece_file(tmp_path / "spiece.model", PIECES).read_bytes()
    path = tmp_path / "cut.model"
    refused = 0
    for content in [whole[:n] for n in range(len(whole))] + [b"\xff" * 40, b'{"model": 1}']:
        path.write_bytes(content)
        try:
            UnigramTokenizer.from_sentencepiece(path).encode("to be")
        except DamagedFileError:
            refused += 1
    assert refused > len(whole) // 2


WORDS = {"walking": 4, "talking": 3, "walk": 5, "talk": 2, "king": 1, "lalala": 6}


def every_cut(word, pieces):
    """Yield all cuts of a word, tried one by one."""
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        if word[:end] in pieces:
            yield from ((word[:end], *rest) for rest in every_cut(word[end:], pieces))


def test_expected_counts_are_the_mean_over_all_cuts():
    log_p = seed_pieces(WORDS, 40)
    for word in WORDS:
        found, total = expected_counts(word, lattice(word, log_p))
        cuts = {cut: math.exp(sum(map(log_p.get, cut))) for cut in every_cut(word, log_p)}
        assert len(cuts) > 3
        assert math.exp(total) == pytest.approx(sum(cuts.values()))
        for piece in log_p:
            mean = sum(p * cut.count(piece) for cut, p in cuts.items()) / sum(cuts.values())
            assert found.get(piece, 0.0) == pytest.approx(mean)


def test_no_round_of_em_makes_the_words_less_likely():
    log_p, likelihoods = seed_pieces(WORDS, 40), []
    for _ in range(30):
        counts, likelihood = expectation(WORDS, log_p)
        log_p = maximisation(counts)
        likelihoods.append(likelihood)
        assert sum(map(math.exp, log_p.values())) == pytest.approx(1)
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(likelihoods))
    assert likelihoods[-1] > likelihoods[0] + 10


def test_pruning_drops_what_the_words_miss_least():
    log_p = seed_pieces(WORDS, 40)
    counts, _ = expectation(WORDS, log_p)
    log_p = maximisation(counts)
    kept = prune(log_p, counts, len(log_p) - 3)
    assert len(kept) == len(log_p) - 3
    assert set("".join(WORDS)) <= kept.keys()

    def loss(piece):
        """How much less likely the words are, each cut of the piece's place by the next best."""
        others = {other: p for other, p in log_p.items() if other != piece}
        best = max(sum(map(others.get, cut)) for cut in every_cut(piece, others))
        return counts[piece] * (log_p[piece] - best)

    long = [piece for piece in log_p if len(piece) > 1]
    gone = sorted(long, key=loss)[:3]
    assert kept.keys() == log_p.keys() - set(gone)


def test_training_a_tokenizer():
    text = load_shakespeare().text[:60_000]
    ours = UnigramTokenizer.train(text, 400, n_seeds=1_000)
    assert ours.vocab_size == 400
    assert ours.vocab[:5] == SPECIAL
    learned = list(ours.scores.values())[5:]
    assert learned == sorted(learned, reverse=True)
    assert sum(map(math.exp, learned)) == pytest.approx(1)
    # As many pieces as the trainer of `tokenizers` needs for new lines, or fewer.
    theirs = tokenizers.Tokenizer(models.Unigram())
    theirs.pre_tokenizer = AROUND["ALBERT"][1]
    trainer = trainers.UnigramTrainer(
        vocab_size=400, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False
    )
    theirs.train_from_iterator(text.splitlines(), trainer)
    new = load_shakespeare().text[100_000:160_000]
    found, expected = len(ours.tokens(new)), len(theirs.encode(new, add_special_tokens=False).ids)
    assert found < 1.03 * expected
    assert "".join(ours.tokens(new)).replace("▁", " ").split() == new.split()


def test_what_we_learn_is_read_by_the_reference(tmp_path):
    ours = UnigramTokenizer.train(SENTENCE + "to be or not to be " * 9, 90)
    ours.save(tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    text = "Not  to bé, ﬁne: <mask> 日本 42 zzz"
    assert theirs.encode(text).ids == ours.encode(text).ids
    assert UnigramTokenizer.load(tmp_path / "tokenizer.json").encode(text) == ours.encode(text)


def test_training_with_options():
    plain = train_unigram(WORDS, 14)
    assert len(plain) == 14
    assert all(len(piece) < 4 for piece in train_unigram(WORDS, 14, longest=3))
    bayes = train_unigram(WORDS, 14, digamma=True)
    assert bayes != plain
    assert sum(map(math.exp, bayes.values())) < 1  # it takes a little off everything
    assert train_unigram({"ab": 1}, 9).keys() == {"a", "b"}
    with pytest.raises(VocabularyError, match="n_pieces must be at least 8"):
        train_unigram(WORDS, 7)
    with pytest.raises(ValueError, match="keep must lie between 0 and 1, got 1"):
        train_unigram(WORDS, 9, keep=1)
    with pytest.raises(VocabularyError, match=r"at least 8 \(5 special tokens and 3 characters\)"):
        UnigramTokenizer.train("ab", 7)
    for text in ("", " \n ", "<pad>"):
        with pytest.raises(VocabularyError, match="at least one word"):
            UnigramTokenizer.train(text, 50)
    with pytest.raises(VocabularyError, match="unk_token '<unk>' should be one of"):
        UnigramTokenizer.train("ab", 50, ["<pad>"])
