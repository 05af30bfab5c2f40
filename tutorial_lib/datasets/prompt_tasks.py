"""Small tasks to put to a language model in its prompt: a question and its answer, both as text.

Everyday words in three languages, sentences with a verb that a child would say wrong, and additions
are our own; `premise_items` and `review_items` take theirs from the course's other data.
"""

import random
from dataclasses import dataclass

from tutorial_lib.datasets.premises import balanced_pairs
from tutorial_lib.datasets.reviews import load_reviews


@dataclass(frozen=True)
class Item:
    """One question with its answer.

    >>> Item("dog", "chien").answer
    'chien'
    """

    question: str
    answer: str


# English, French, German
WORDS = tuple(
    tuple(line.split())
    for line in """
    dog chien Hund
    cat chat Katze
    horse cheval Pferd
    bird oiseau Vogel
    fish poisson Fisch
    cow vache Kuh
    bread pain Brot
    milk lait Milch
    water eau Wasser
    wine vin Wein
    cheese fromage Käse
    apple pomme Apfel
    egg œuf Ei
    salt sel Salz
    meat viande Fleisch
    house maison Haus
    door porte Tür
    window fenêtre Fenster
    table table Tisch
    chair chaise Stuhl
    bed lit Bett
    kitchen cuisine Küche
    garden jardin Garten
    street rue Straße
    city ville Stadt
    school école Schule
    book livre Buch
    letter lettre Brief
    word mot Wort
    friend ami Freund
    child enfant Kind
    woman femme Frau
    man homme Mann
    mother mère Mutter
    father père Vater
    brother frère Bruder
    sister sœur Schwester
    king roi König
    hand main Hand
    head tête Kopf
    eye œil Auge
    nose nez Nase
    mouth bouche Mund
    heart cœur Herz
    arm bras Arm
    foot pied Fuß
    sun soleil Sonne
    moon lune Mond
    star étoile Stern
    sea mer Meer
    mountain montagne Berg
    river fleuve Fluss
    forest forêt Wald
    tree arbre Baum
    flower fleur Blume
    fire feu Feuer
    snow neige Schnee
    rain pluie Regen
    wind vent Wind
    night nuit Nacht
    day jour Tag
    year an Jahr
    train train Zug
    car voiture Auto
    """.strip().splitlines()
)

# What a child might say, what is right, and the rest of the sentence.
VERBS = tuple(
    tuple(part.strip() for part in line.split("|"))
    for line in """
    I | eated | ate | the purple berries
    She | goed | went | to the market
    He | runned | ran | home
    We | buyed | bought | a small house
    They | comed | came | late again
    I | taked | took | the last train
    She | writed | wrote | a long letter
    He | drived | drove | the old car
    We | singed | sang | a song together
    They | swimmed | swam | across the lake
    I | falled | fell | down the stairs
    She | catched | caught | the ball
    He | teached | taught | us to read
    We | bringed | brought | some cake
    They | thinked | thought | about it
    I | finded | found | my keys
    She | keeped | kept | the secret
    He | sleeped | slept | all day
    We | feeled | felt | very tired
    They | leaved | left | early
    I | losed | lost | my hat
    She | maked | made | a good soup
    He | sayed | said | nothing
    We | selled | sold | our boat
    They | sended | sent | a card
    I | sitted | sat | near the fire
    She | speaked | spoke | too fast
    He | standed | stood | in the rain
    We | telled | told | him the truth
    They | winned | won | the game
    I | drinked | drank | two cups of tea
    She | breaked | broke | the window
    He | choosed | chose | the blue one
    We | drawed | drew | a map
    They | flyed | flew | to London
    I | forgetted | forgot | her name
    She | gived | gave | me a book
    He | growed | grew | fast
    We | knowed | knew | the answer
    They | rided | rode | their bikes
    I | seed | saw | a white horse
    She | stealed | stole | the money
    He | throwed | threw | a stone
    We | weared | wore | our best clothes
    """.strip().splitlines()
)

LONGEST_REVIEW = 90  # characters


def word_items(language: str) -> tuple[Item, ...]:
    """Return English words with their translation; language is "French" or "German".

    >>> word_items("German")[0]
    Item(question='dog', answer='Hund')
    """
    column = {"French": 1, "German": 2}[language]
    return tuple(Item(row[0], row[column]) for row in WORDS)


def verb_items() -> tuple[Item, ...]:
    """Return sentences with a wrong past tense, and with the right one.

    >>> verb_items()[0]
    Item(question='I eated the purple berries.', answer='I ate the purple berries.')
    """
    return tuple(
        Item(f"{who} {wrong} {rest}.", f"{who} {right} {rest}.")
        for who, wrong, right, rest in VERBS
    )


def sum_items() -> tuple[Item, ...]:
    """Return the 81 additions of two numbers from 1 to 9.

    >>> sum_items()[0]
    Item(question='1 + 1', answer='2')
    """
    return tuple(Item(f"{a} + {b}", str(a + b)) for a in range(1, 10) for b in range(1, 10))


def premise_items(n: int = 450) -> tuple[Item, ...]:
    """Return balanced pairs of a premise and a hypothesis, the two lines of a question.

    The answer is the label. n is a multiple of 9.

    >>> premise_items(9)[0].question.count(chr(10))
    1
    """
    return tuple(
        Item(f"{pair.premise}\n{pair.hypothesis}", pair.label) for pair in balanced_pairs(9, n).test
    )


def review_items() -> tuple[Item, ...]:
    """Return short film reviews, equally many called "fresh" and "rotten", shuffled.

    Raises MissingDataError without the reviews' wheel.
    """
    short = [r for r in load_reviews(None).train if len(r.text) <= LONGEST_REVIEW]
    of = {label: [r for r in short if r.label == label] for label in (0, 1)}
    n = min(map(len, of.values()))
    chosen = [Item(r.text, ("rotten", "fresh")[r.label]) for rows in of.values() for r in rows[:n]]
    random.Random(0).shuffle(chosen)
    return tuple(chosen)
