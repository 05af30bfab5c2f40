import pytest
import torch

from tutorial_lib import recipes
from tutorial_lib.attention import capture_attention
from tutorial_lib.datasets import load_dates, load_numbers, number_in_words
from tutorial_lib.errors import ContextError, DamagedFileError, MissingDataError, VocabularyError
from tutorial_lib.recipes.translation import FRENCH, GERMAN, BatchesByLength
from tutorial_lib.recipes.translator import Translator, chunks, english_words, normalise, read
from tutorial_lib.tokenizers import BPETokenizer


@pytest.fixture(scope="module")
def german():
    return Translator.load("de")


@pytest.fixture(scope="module")
def french():
    return Translator.load("fr")


@pytest.mark.parametrize(
    ("recipe", "numbers", "dates"), [(GERMAN, 0.99, 0.95), (FRENCH, 0.95, 0.95)]
)
def test_the_card_promises_what_a_part_of_the_test_set_shows(recipe, numbers, dates):
    name = f"translation-{recipe.language}"
    card = recipes.load_card(name)["metric"]
    assert card["numbers_exact"] >= numbers
    assert card["dates_exact"] >= dates
    part = recipe.evaluate(recipes.load_checkpoint(name), n=200)
    assert part == {key: pytest.approx(value, abs=0.03) for key, value in card.items()}


@pytest.mark.parametrize("name", ["translation-de", "translation-fr"])
def test_the_files_of_a_checkpoint_are_small(name):
    assert (recipes.CHECKPOINTS / f"{name}.safetensors").stat().st_size < 3 * 2**20
    assert (recipes.CHECKPOINTS / f"{name}.tokenizer.json").stat().st_size < 20_000


def test_the_small_numbers_are_translated_too(german, french):
    below_100 = [number_in_words(number) for number in range(100)]
    for translator, language in ((german, "de"), (french, "fr")):
        pairs = [(text, number_in_words(n, language)) for n, text in enumerate(below_100)]
        assert translator.exact_match(pairs) >= 0.98


@pytest.mark.parametrize(
    "text", ["forty-two", "Forty Two", "  FORTY-two ", "42", "forty,two", "forty\ntwo"]
)
def test_one_number_written_in_many_ways(german, text):
    assert german.translate(text) == "zweiundvierzig"


def test_numbers_and_dates_in_figures(german, french):
    assert german.translate("342,021") == "dreihundertzweiundvierzigtausendeinundzwanzig"
    assert french.translate("342021") == "trois cent quarante-deux mille vingt et un"
    date = "Mittwoch, der einundzwanzigste März neunzehnhundertvierundachtzig"
    assert german.translate("1984-03-21") == date
    assert german.translate("wednesday march twenty-first nineteen eighty-four") == date


def test_a_text_is_translated_alike_alone_and_among_longer_ones(german):
    texts = [*[text for text, _ in load_dates("de").test][:5], "seven", "one hundred"]
    assert german.translate_all(texts) == [german.translate(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", ValueError, "nothing to translate"),
        (" , - ", ValueError, "nothing to translate"),
        ("forty-two pets", VocabularyError, "no number or date in words has: pets"),
        ("zwei", VocabularyError, "has: zwei"),
        ("March 3", VocabularyError, "has: 3"),
        ("\N{GRINNING FACE}", VocabularyError, "has: \N{GRINNING FACE}"),
        ("one million", VocabularyError, "has: million"),
        ("1,000,000", ValueError, "from 0 to 999,999, got 1,000,000"),
        ("1066-10-14", ValueError, "between 1800 and 2099, got 1066-10-14"),
        ("2023-02-30", ValueError, "the calendar has no 2023-02-30"),
    ],
)
def test_what_is_no_number_or_date(text, error, message):
    with pytest.raises(error, match=message):
        read(text)


def test_every_word_of_the_data_is_known():
    splits = [load_numbers("de"), load_dates("fr")]
    texts = [text for split in splits for part in split for text in part.sources]
    assert english_words() == {word for text in texts for word in normalise(text).split()}


def test_unknown_languages_and_missing_checkpoints(tmp_path):
    with pytest.raises(ValueError, match="one of de, fr, got 'it'"):
        Translator.load("it")
    with pytest.raises(MissingDataError, match="recipes translation-fr"):
        Translator.load("fr", tmp_path)


@pytest.mark.slow
def test_a_checkpoint_without_its_tokenizer_or_with_a_damaged_one(tmp_path):
    recipes.run("translation-de", smoke=True, folder=tmp_path, progress=False)
    path = tmp_path / "translation-de.tokenizer.json"
    path.write_text(path.read_text()[:100])
    with pytest.raises(DamagedFileError, match=r"de\.tokenizer\.json is not usable JSON"):
        Translator.load("de", tmp_path)
    path.unlink()
    with pytest.raises(MissingDataError, match=r"tokenizer\.json is missing: make it with\n.*-de"):
        Translator.load("de", tmp_path)


def test_a_text_longer_than_the_context(german):
    with pytest.raises(ContextError, match="64"):
        german.translate("one " * 100)


def test_batches_hold_each_pair_once_a_pass_and_little_padding():
    numbers = [(normalise(source), target) for source, target in load_numbers("de").train][:2000]
    tokenizer = BPETokenizer.train(
        "\n".join(map("".join, numbers)), 300, ["<pad>", "<start>", "<end>"]
    )
    batches = BatchesByLength(numbers, tokenizer, batch_size=20, seed=0)
    taken = [batch for batch, _ in zip(batches, range(100), strict=False)]
    again = [batch for batch, _ in zip(batches, range(100), strict=False)]
    assert all(torch.equal(one[1], other[1]) for one, other in zip(taken, again, strict=True))
    found = sorted(tokenizer.decode(row[row != batches.pad][1:-1]) for _, t in taken for row in t)
    assert found == sorted(target for _, target in numbers)
    padding = torch.cat([(target == batches.pad).flatten() for _, target in taken])
    assert padding.float().mean() < 0.15
    assert chunks(list(range(5)), 2) == [[0, 1], [2, 3], [4]]


def crossing(translator):
    """For each layer and head (L, H): how often the unit looks most at its own English word.

    The numbers are like seven hundred and forty-two: German writes "zwei" before "vierzig",
    English says it last. Those whose unit is no token of its own are left out.
    """
    units = {digit: number_in_words(digit, "de") for digit in range(2, 10)}
    hits, n = 0, 0
    for number in range(121, 1000, 3):
        source, _ = translator.source([str(number)])
        target = [translator.start, *translator.tokenizer.encode(number_in_words(number, "de"))]
        words = [translator.tokenizer.token_bytes(token) for token in target]
        unit = units.get(number % 10, "").encode()
        places = [i for i in range(1, len(words) - 1) if words[i] == unit]
        if number % 100 < 20 or not places or not words[places[-1] + 1].startswith(b"und"):
            continue
        with capture_attention(translator.model) as maps, torch.no_grad():
            translator.model(source, torch.tensor([target[: places[-1]]]))
        last = torch.stack(maps.cross)[:, 0, :, -1]  # (L, H, S), as the unit is being chosen
        hits = hits + (last.argmax(-1) == source.size(1) - 1).float()
        n += 1
    assert n > 80
    return hits / n


def test_german_units_look_across_the_tens(german):
    assert crossing(german).max() > 0.9
