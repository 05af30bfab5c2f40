"""Chapter 06b: "who says ...?" answered by a span of the scene, as BERT answers SQuAD's questions.

The input is `[CLS] who says : quote [SEP] excerpt [SEP]`. Two scores a token say where the answer
starts and ends (Devlin et al. 2018, section 4.2); it has to lie in the excerpt. The plays held out
are those of the checkpoint `shakespeare-bert`.

An algorithm solves this task: look for the quote, go back to the last name before it. What is
shown is that a network learns it, and what it takes: the same reader as `line_reader` starts it
is trained pre-trained, from scratch, and pre-trained but without the evidence ("answers only").
"exact_match" counts the right name, "a_name" any speaker's name, "quote_found" the quote's words.
"""

import itertools
import random
from functools import partial

from tutorial_lib.datasets.who_says import (
    by_string_search,
    first_name,
    load_who_says,
    most_frequent_name,
    places_of,
)
from tutorial_lib.objectives import answer_f1, span_scores
from tutorial_lib.recipes import CHECKPOINTS, load_checkpoint, shakespeare_bert
from tutorial_lib.recipes.answer_reader import answers, fine_tune_answers, rows_of
from tutorial_lib.training import set_seed

SETTINGS = {
    "seeds": [0, 1, 2],
    "held_out": shakespeare_bert.SETTINGS["held_out"],
    "plays": None,  # how many of the others to learn from, None for all
    "measured": 500,  # questions of the plays held out, drawn by the seed
    "steps": 450,
    "tokens": 2_048,  # of a batch
    "lr": 3e-3,
    "evidence_weight": 3.0,  # of the evidence in the loss, beside the answers
    "measured_every": 50,  # steps
    "shown": 4,  # questions a seed, with the probabilities of the pre-trained model
}
SMOKE = SETTINGS | {
    "plays": 1,
    "measured": 20,
    "steps": 2,
    "tokens": 200,
    "measured_every": 2,
    "shown": 1,
}


def data_bytes():
    """Return the plays and the weights it starts from as bytes, for their hash in the table."""
    weights = CHECKPOINTS / "shakespeare-bert.safetensors"
    return shakespeare_bert.data_bytes() + weights.read_bytes()


def run(settings, progress=True):
    """Measure three rules and three models for each seed; return the rows, and answers to show.

    `shown` has the first questions of each seed, `mistakes` the first that were answered wrong.
    """
    found = [run_seed(settings, seed, progress) for seed in settings["seeds"]]
    return {
        key: [entry for of_seed in found for entry in of_seed[key]]
        for key in ("rows", "shown", "mistakes")
    }


def run_seed(settings, seed, progress=True):
    """Return the rows, the answers to show and the mistakes of one seed."""
    encoder = load_checkpoint("shakespeare-bert", CHECKPOINTS)
    tokenizer, context = encoder.tokenizer, encoder.config.context
    asked = load_who_says()
    titles = [title for title in asked if title not in settings["held_out"]][: settings["plays"]]
    training = rows_of([q for title in titles for q in asked[title]], tokenizer, context)
    measured = [question for title in settings["held_out"] for question in asked[title]]
    measured = random.Random(seed).sample(measured, settings["measured"])
    measured = rows_of(measured, tokenizer, context)
    rows = []
    for name, rule in RULES.items():
        said = [question.excerpt[slice(*rule(question))] for question, _ in measured]
        rows.append({"model": name, "seed": seed, "step": 0, **scores(said, measured)})
    set_seed(seed)
    untrained = shakespeare_bert.build(shakespeare_bert.SETTINGS)
    weight = settings["evidence_weight"]
    for name, model, evidence_weight in (
        ("pre-trained", encoder, weight),
        ("from scratch", untrained, weight),
        ("answers only", encoder, 0.0),
    ):
        reader, history = fine_tune_answers(
            model,
            [row for _, row in training],
            tokenizer.pad_id,
            **{key: settings[key] for key in ("steps", "tokens", "lr")},
            evidence_weight=evidence_weight,
            seed=seed,
            evaluate=partial(measure, questions=measured, pad_id=tokenizer.pad_id),
            evaluate_every=settings["measured_every"],
            progress=progress,
        )
        for found in history.evaluations:
            if not evidence_weight:
                del found["quote_found"]  # nobody has asked the second layer for it
            rows.append({"model": name, "seed": seed, **found})
        if name == "pre-trained":
            said = answers(reader, measured, tokenizer.pad_id)
            pairs = [(question, a) for (question, _), a in zip(measured, said, strict=True)]
            wrong = [(question, a) for question, a in pairs if a.words != question.answer]
            shown, mistakes = (
                [to_show(*pair) for pair in part[: settings["shown"]]] for part in (pairs, wrong)
            )
    return {"rows": rows, "shown": shown, "mistakes": mistakes}


RULES = {
    "first name": first_name,
    "most frequent name": most_frequent_name,
    "string search": by_string_search,
}


def scores(said, questions):
    """Return the share of answers that are right word by word, and the mean F1 of their words.

    a_name is the share of answers that are the name of some speaker of the excerpt, right or not.
    said holds the words of each answer; questions, pairs (Question, Row).
    """
    pairs = [(words, question.answer) for words, (question, _) in zip(said, questions, strict=True)]
    names = [
        {question.excerpt[slice(*span)] for span in question.names} for question, _ in questions
    ]
    return {
        "a_name": sum(words in of_one for words, of_one in zip(said, names, strict=True))
        / len(said),
        "exact_match": sum(words == right for words, right in pairs) / len(pairs),
        "f1": sum(answer_f1(words, right) for words, right in pairs) / len(pairs),
    }


def measure(reader, questions, pad_id):
    """Return the `scores` of a reader, and how much of the quotes its second layer finds.

    quote_found is the F1 of the words of the excerpt that it marks, over all questions.
    """
    found = answers(reader, questions, pad_id)
    said = [answer.words for answer in found]
    marked = [[(place, place + 1) for place in answer.evidence] for answer in found]
    quoted = []
    for question, _ in questions:
        (first,) = places_of(question.quote, question.excerpt)
        quoted.append([(first + i, first + i + 1) for i in range(len(question.quote))])
    return scores(said, questions) | {"quote_found": span_scores(marked, quoted).f1}


def to_show(question, answer):
    """Return a Question and its Answer as `figures.who_says` reads them, line by line."""
    edges = [start for start, _ in question.names] + [len(question.excerpt)]
    spans = [slice(*edge) for edge in itertools.pairwise(edges)]

    def at(first, last):
        line = next(i for i, span in enumerate(spans) if span.start <= first < span.stop)
        return line, first - spans[line].start, min(last, spans[line].stop - 1) - spans[line].start

    start, end = question.names[question.turn]
    return {
        "quote": " ".join(question.quote),
        "lines": [question.excerpt[span] for span in spans],
        **{
            key: [[round(share, 4) for share in getattr(answer, key)[span]] for span in spans]
            for key in ("quoted", "starts", "ends")
        },
        "answer": at(start, end - 1),
        "said": at(answer.first, answer.last),
    }
