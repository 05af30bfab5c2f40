"""Made-up texts, with questions whose answers stand in them: what `question-reader` reads.

A text tells of two to four events. Each has someone who does something and, by its verb, a thing,
a person, a place, a time or a reason; any of these can be asked for. Other events of the text
often share the verb, and most phrases of one kind come more than once, so neither tells the answer
without the question. The answer stands in the text exactly once.

Three parts have words of their own: names, things and places of "validation" and "test" never
occur in "train", and neither do some of the verbs. A question of "paraphrase" asks, about a text
with the words of "test", with a verb that no text and no question of "train" has.
"""

import random
import re
from typing import NamedTuple

# base, past, participle; after the slash another verb that asks for the same in "train"
VERBS = {
    "thing": {  # someone does it to a thing, somewhere
        "train": """lose lost lost, hide hid hidden / stow stowed stowed, leave left left,
            drop dropped dropped, see saw seen / notice noticed noticed, break broke broken,
            burn burned burned, read read read / study studied studied, write wrote written,
            paint painted painted, wash washed washed / clean cleaned cleaned, open opened opened,
            forget forgot forgotten, keep kept kept / store stored stored, eat ate eaten,
            bury buried buried, cut cut cut, find found found / locate located located,
            catch caught caught, carry carried carried / bring brought brought,
            move moved moved, draw drew drawn / sketch sketched sketched""",
        "validation": "mend mended mended, sew sewed sewn, count counted counted",
        "test": """steal stole stolen, drag dragged dragged, buy bought bought, build built built,
            polish polished polished, borrow borrowed borrowed, cook cooked cooked,
            shake shook shaken""",
    },
    "gift": {  # of a thing to a person
        "train": """give gave given, send sent sent, show showed shown, bring brought brought,
            offer offered offered, return returned returned, promise promised promised,
            throw threw thrown, deliver delivered delivered / bring brought brought""",
        "validation": "pass passed passed",
        "test": "sell sold sold, lend lent lent, describe described described",
    },
    "goal": {  # someone moves to a place
        "train": """go went gone / travel travelled travelled, run ran run, walk walked walked,
            ride rode ridden, sail sailed sailed / go went gone, climb climbed climbed,
            return returned returned / come came come, come came come, move moved moved""",
        "validation": "swim swam swum",
        "test": "hurry hurried hurried, march marched marched, crawl crawled crawled",
    },
    "rest": {  # someone is or stays in a place
        "train": """sleep slept slept, wait waited waited / stay stayed stayed, sit sat sat,
            stand stood stood, sing sang sung, live lived lived / dwell dwelt dwelt,
            fight fought fought, die died died, work worked worked, hide hid hidden,
            speak spoke spoken / talk talked talked""",
        "validation": "dance danced danced",
        "test": "pray prayed prayed, weep wept wept, rest rested rested, arrive arrived arrived",
    },
    "person": {  # someone does it to a person
        "train": """love loved loved, meet met met, follow followed followed,
            help helped helped / aid aided aided, see saw seen / notice noticed noticed,
            fear feared feared, visit visited visited, trust trusted trusted,
            hate hated hated / despise despised despised, invite invited invited,
            hear heard heard, forget forgot forgotten, leave left left, save saved saved""",
        "validation": "greet greeted greeted, push pushed pushed",
        "test": """marry married married, kill killed killed, warn warned warned,
            kiss kissed kissed, accuse accused accused, scold scolded scolded""",
    },
}
# in the text, then in the question, whose verbs "train" does not have at all
PARAPHRASES = {
    "thing": """find found found / discover discovered discovered,
        hide hid hidden / conceal concealed concealed, steal stole stolen / take took taken,
        buy bought bought / purchase purchased purchased,
        build built built / construct constructed constructed,
        cook cooked cooked / prepare prepared prepared,
        write wrote written / compose composed composed,
        break broke broken / smash smashed smashed, lose lost lost / misplace misplaced misplaced,
        burn burned burned / scorch scorched scorched,
        eat ate eaten / devour devoured devoured, keep kept kept / preserve preserved preserved""",
    "gift": """give gave given / hand handed handed, throw threw thrown / toss tossed tossed,
        show showed shown / present presented presented, sell sold sold / trade traded traded,
        send sent sent / post posted posted""",
    "goal": """hurry hurried hurried / rush rushed rushed, run ran run / race raced raced,
        walk walked walked / stroll strolled strolled, go went gone / head headed headed""",
    "rest": """weep wept wept / cry cried cried, sleep slept slept / nap napped napped,
        wait waited waited / linger lingered lingered,
        die died died / perish perished perished""",
    "person": """kill killed killed / murder murdered murdered, marry married married / wed wed wed,
        love loved loved / adore adored adored, save saved saved / rescue rescued rescued,
        meet met met / encounter encountered encountered,
        warn warned warned / alert alerted alerted, fear feared feared / dread dreaded dreaded""",
}
NAMES = {  # women / men
    "train": (
        "Maria Olivia Viola Juliet Portia Jessica Hero Beatrice Helena Hermia Miranda Celia Bianca "
        "Emilia Ophelia Gertrude Regan Phoebe Audrey Silvia Julia Anna Alice Emma Sophie Clara "
        "Martha Lucy Ella Nora Rose Grace Marina Cressida Isabella Margaret",
        "Malvolio Toby Andrew Orsino Sebastian Antonio Romeo Tybalt Benvolio Paris Peter Shylock "
        "Bassanio Lorenzo Claudio Leonato Oberon Puck Bottom Lysander Iago Cassio Othello Duncan "
        "Banquo Edgar Edmund Oliver Adam Tom Jack Henry Paul Simon Felix Oscar George Martin",
    ),
    "validation": ("Nerissa Ursula Cordelia Eva Ruth", "Gratiano Mercutio Ferdinand Max David"),
    "test": (
        "Rosalind Desdemona Imogen Titania Katherine Paulina Laura Ingrid Susan Mary Agnes",
        "Prospero Hamlet Horatio Laertes Macbeth Feste Orlando Caliban Ariel Philip Walter Victor "
        "Hugo Leo",
    ),
}
PEOPLE = {
    "train": (
        "king, queen, duke, captain of the guard, old nurse, fool, merchant, young sailor, "
        "servant, doctor, priest, two soldiers, old woman, ship's boy, teacher, little boy, "
        "messenger, goldsmith, gardener, stranger, tall knight, farmer, son of the duke, "
        "queen's brother, poor poet, mayor of the town, three sisters, master of the house"
    ),
    "validation": "lawyer, tired porter, judge, daughter of the innkeeper",
    "test": (
        "prince, shepherd, baker, blind beggar, lady of the castle, two thieves, princess, "
        "hunter, king's uncle, ghost, miller's daughter, clever student, chief of the police"
    ),
}
ROLES = {  # what someone is
    "train": (
        "duke of Milan, friend of the queen, sailor from Padua, servant of Olivia, brother of the "
        "king, richest man in the town, captain of a ship, doctor from France, cousin of Romeo, "
        "student, poor merchant, twin, daughter of the duke, best singer in the city, spy"
    ),
    "validation": "owner of the inn, nephew of the judge",
    "test": (
        "prince of Denmark, soldier from Egypt, uncle of the prince, leader of the rebels, wife of "
        "the baker, shepherd, king of Scotland, teacher at the new school, thief"
    ),
}
QUALITIES = {
    "train": (
        "long short golden old new small large heavy red blue wooden strange broken beautiful "
        "white black secret silver little dirty green cheap round rusty"
    ),
    "validation": "yellow narrow famous",
    "test": "brown precious thin ugly empty leather purple wet huge",
}
THINGS = {
    "train": (
        "letter, ring, horse, sword, book, key, crown, coin, cup, lamp, boat, cloak, map, knife, "
        "bottle of wine, loaf of bread, flower, chair, mirror, bell, box of pearls, drum, rope, "
        "hat, candle, picture of a ship, pair of shoes, apple, bird, song, glove, basket of plums, "
        "barrel, dagger, shirt, table, poem, stone, purse, chain"
    ),
    "validation": "lute, saddle, piece of cheese, scarf, spoon",
    "test": (
        "necklace, bag of gold, violin, axe, handkerchief, diary, umbrella, jar of honey, puppet, "
        "blanket, shield, portrait of a lady, trumpet, cake, carpet, bicycle"
    ),
}
SPOTS = {  # where something is or happens
    "train": (
        "garden/in, church/in behind, stone bench/under behind, forest/in near, "
        "house of the duke/in behind, harbour/in at, old bridge/on under near, market/at in, "
        "kitchen/in, tall tree/under behind, beach/on, river/in near, tower/in near, "
        "great hall/in, bed/under on, cave/in near, wall/on behind, table in the hall/under on, "
        "ship/on in, stable/in behind, city gate/at near, road to Padua/on, palace/in near, "
        "roof of the inn/on, edge of the wood/at"
    ),
    "validation": "cellar/in, well/in near, hill/on behind, library of the judge/in",
    "test": (
        "castle/in near, graveyard/in near, barn/in behind, oak/under near, tavern/in behind, "
        "stairs/on under, island/on, field of corn/in, school/at in, balcony/on under, "
        "lake/in near, back room of the shop/in, top of the mountain/on"
    ),
}
TOWNS = {
    "train": "Milan Verona Venice Padua Messina Rome Paris Athens Windsor Cyprus France Belmont",
    "validation": "Vienna Mantua",
    "test": "London Elsinore Denmark Naples Egypt Scotland Florence",
}
TIMES = {
    "train": (
        "at midnight, on Monday, after the feast, before sunrise, in the evening, last winter, "
        "in the morning, during the storm, at noon, on the first day of May, a week later, "
        "two years ago, on Sunday night, after the war, when the bell rang, while it was snowing"
    ),
    "validation": "on Tuesday, after lunch, when the music stopped",
    "test": (
        "on Friday, at dawn, before the wedding, last summer, in April, three days later, "
        "after the play, when the guests were asleep, during the battle"
    ),
}
REASONS = {
    "train": (
        "because it was raining, because nobody was watching, because of the cold, "
        "because the duke had ordered it, to please the queen, to save a friend, "
        "because the night was dark, for a large sum of money, out of pity, "
        "because the ship was late, because there was no time, to keep the peace, "
        "because {} was tired, because {} had lost everything, because {} had no money, "
        "because {} wanted to see the sea, because {} did not like the noise"
    ),
    "validation": "because the road was closed, to win a bet, because {} was angry",
    "test": (
        "because of the heat, because the wind was strong, out of love, to pay a debt, "
        "because the door was locked, to escape from the soldiers, because everyone was hungry, "
        "because {} was ill, because {} had heard a strange noise"
    ),
}
WOMEN_TITLES, MEN_TITLES = ("Lady ", "Queen "), ("Sir ", "King ", "Count ", "Lord ")
FILLERS = (  # they answer nothing
    "It was a cold night.", "Nobody knew what to do.", "Everybody laughed.", "Then all was quiet.",
    "The others said nothing.", "That was a mistake.", "There was a great noise.", "So it began.",
)  # fmt: skip
BE = ("be", "was", "been")
TWO_OBJECTS = {
    *["gave", "sent", "showed", "brought", "offered", "promised", "threw", "sold", "lent", "passed"]
}
CARRIES = {"carry", "move", "drag"}
PRONOUNS = {"he": "him", "she": "her", "they": "them"}
PARTS = ("train", "validation", "test", "paraphrase")
KINDS = ("who", "what", "whom", "where", "when", "why")


class Asked(NamedTuple):
    """A question, the text that answers it, the answer as it stands there, and its kind.

    rivals: how many phrases of this kind the text has, the answer among them.
    """

    question: str
    text: str
    answer: str
    kind: str
    rivals: int


class Event(NamedTuple):
    """What one sentence tells: phrases by their kind, and the verb's three forms."""

    manner: str  # a key of VERBS
    verb: tuple  # base, past, participle
    asks: tuple  # the verb of a question
    said: dict  # who, what, whom, where, when, why: each only where it is told
    pronoun: str  # of who does it
    again: bool = False  # it is done by who did the event before
    there: bool = False  # with the same thing, in the same place


def make_stories(part, n, seed):
    """Return n Asked of a part, all different: "train", "validation", "test" or "paraphrase"."""
    teller, made = Teller(part, seed), {}
    while len(made) < n:
        asked = teller.ask()
        if asked is not None:
            made[asked.question, asked.text] = asked
    return list(made.values())


def words_of(text):
    """Return the words of a text in small letters, without marks.

    >>> words_of("The ship's boy ran.")
    ['the', 'ship', 's', 'boy', 'ran']
    """
    return re.findall(r"\w+", text.lower())


def times_in(answer, text):
    """Return how often an answer stands in a text, as whole words.

    >>> times_in("the king", "The kings saw the king.")
    1
    """
    return len(re.findall(rf"\b{re.escape(answer.lower())}\b", text.lower()))


def pairs_of(listed):
    """Return (verb, verb that asks) of a list, each verb (base, past, participle)."""
    pairs = [[tuple(v.split()) for v in line.split("/")] for line in listed.split(",")]
    return [(pair[0], pair[-1]) for pair in pairs]


class Teller:
    """Makes up texts of one part, and questions about them, from a seed."""

    def __init__(self, part, seed):
        self.part = part
        self.words = words = "test" if part == "paraphrase" else part
        self.draw = random.Random(f"{part} {seed}")
        self.verbs = {manner: pairs_of(of_part[words]) for manner, of_part in VERBS.items()}
        if part == "paraphrase":
            self.verbs = {manner: pairs_of(listed) for manner, listed in PARAPHRASES.items()}
        elif part != "train":  # familiar verbs with unfamiliar ones, as in a real text
            for manner, of_part in VERBS.items():
                old = pairs_of(of_part["train"])
                self.verbs[manner] += self.draw.sample(old, len(self.verbs[manner]))
        self.lists = {
            name: [phrase.strip() for phrase in listed[words].split(",")]
            for name, listed in (
                ("people", PEOPLE), ("roles", ROLES), ("things", THINGS), ("spots", SPOTS),
                ("times", TIMES), ("reasons", REASONS),
            )
        }  # fmt: skip
        self.qualities, self.towns = QUALITIES[words].split(), TOWNS[words].split()
        self.women, self.men = (of_one.split() for of_one in NAMES[words])

    def chance(self, share):
        """Return True with this probability."""
        return self.draw.random() < share

    def ask(self):
        """Return an Asked, or None where it would not be one of this part with one answer."""
        events = self.events()
        sentences = [*self.sentences(events)]
        if self.chance(0.2):
            sentences.insert(self.draw.randint(0, len(sentences)), self.draw.choice(FILLERS))
        text = " ".join(sentences)
        event = self.draw.choice(events)
        if self.part == "paraphrase" and event.asks == event.verb:
            return None
        kind = self.draw.choice(list(event.said))
        answer, question = event.said[kind], self.question(event, kind)
        if times_in(answer, text) != 1:
            return None
        at = text.lower().index(answer.lower())
        likes = ("who", "whom") if kind in ("who", "whom") else (kind,)
        rivals = {e.said[like] for e in events for like in likes if like in e.said}
        if len(rivals) == 1 and self.chance(0.8):  # the kind alone would tell
            return None
        if self.chance(0.1):
            question = question.removesuffix("?")
        return Asked(question, text, text[at : at + len(answer)], kind, len(rivals))

    # what happens

    def events(self):
        """Return two to four Events with different phrases; often two of them have one verb.

        One whose `who` is None is done by whoever did the one before.
        """
        self.used, self.before = set(), []
        self.before = events = [self.event()]
        for _ in range(self.draw.choice((1, 2, 2, 3))):
            last = events[-1]
            if last.manner == "thing" and "where" in last.said and self.chance(0.12):
                for kind in ("when", "why"):  # the place is said last
                    last.said.pop(kind, None)
                other = self.event(like=last)
                verb, asks = self.draw.choice(self.verbs["thing"])
                other.said["what"] = last.said["what"]
                other.said.pop("where", None)
                events.append(other._replace(verb=verb, asks=asks, there=True))
            elif self.chance(0.35) and not last.again:
                events.append(self.event(by=last))
            elif self.chance(0.5):
                events.append(self.event(like=self.draw.choice(events)))
            else:
                events.append(self.event())
        return events

    def new(self, phrases):
        """Return one of some phrases that this text does not have yet."""
        left = [phrase for phrase in phrases if phrase not in self.used]
        phrase = self.draw.choice(left or phrases)
        self.used.add(phrase)
        return phrase

    def event(self, like=None, by=None):
        """Return a new Event: with the verb of one that is like it, or by who did another one."""
        manners = (
            ["thing"] * 4 + ["gift"] * 2 + ["goal"] * 2 + ["rest"] * 2 + ["person"] * 2 + ["is"]
        )
        if by and by.manner == "thing" and self.chance(0.3):
            manners = ["thing"]  # as one writes a letter and hides it
        elif by:
            manners = [manner for manner in manners if manner not in (by.manner, "is")]
        manner = like.manner if like else self.draw.choice(manners)
        known = by or self.earlier(manner)
        who, pronoun = (known.said["who"], known.pronoun) if known else self.person(manner)
        said = {"who": who}
        if manner == "is":
            said["what"] = self.role(pronoun)
            return Event("is", BE, BE, said, pronoun)
        verbs = [pair for pair in self.verbs[manner] if not by or pair[0] != by.verb]
        verb, asks = (like.verb, like.asks) if like else self.draw.choice(verbs)
        if not like and self.part != "paraphrase" and self.chance(0.6):
            asks = verb
        if manner in ("thing", "gift"):
            same = by and "what" in by.said and by.manner == "thing" and self.chance(0.6)
            said["what"] = by.said["what"] if same else self.thing(pronoun)
        if manner in ("gift", "person"):
            others = [e.said["who"] for e in self.before if e.said["who"] != who]
            again = others and self.chance(0.3)
            said["whom"] = self.draw.choice(others) if again else self.person()[0]
        if manner in ("goal", "rest") or self.chance(0.6 if manner == "thing" else 0.25):
            said["where"] = self.place(manner == "goal" or verb[0] in CARRIES)
        if self.chance(0.3):
            said["when"] = self.new(self.lists["times"])
        if self.chance(0.25):
            said["why"] = self.new(self.lists["reasons"]).format(pronoun)
            said["why"] = said["why"].replace("they was", "they were")
        return Event(manner, verb, asks, said, pronoun, by is not None)

    def earlier(self, manner):
        """Return an Event whose doer may now do something of this manner; mostly None."""
        done = {e.said["who"] for e in self.before if e.manner == manner}
        known = [e for e in self.before if e.said["who"] not in done]
        return self.draw.choice(known) if known and manner != "is" and self.chance(0.1) else None

    def person(self, manner="is"):
        """Return someone, and the pronoun: a name, a person without one, or in an act two names."""
        if self.chance(0.75):
            she = self.chance(0.5)
            name = self.new(self.women if she else self.men)
            if self.chance(0.08):
                name = self.draw.choice(WOMEN_TITLES if she else MEN_TITLES) + name
            elif manner != "is" and self.chance(0.06):
                return f"{name} and {self.new(self.men)}", "they"
            return name, "she" if she else "he"
        person = self.new(self.lists["people"])
        if person.split()[0] in ("two", "three"):
            return person, "they"
        she = re.search(r"\b(queen|nurse|woman|lady|princess|\w*daughter)\b(?!')", person)
        known = " of " in person or "'" in person or self.chance(0.7)
        return with_article("the" if known else "a", person), "she" if she else "he"

    def role(self, pronoun):
        """Return what someone is, such as a shepherd or the duke of Milan."""
        role = self.new(self.lists["roles"])
        known = re.search(r" of (?!a )| in ", role) and self.chance(0.8)
        known = known or "est " in role
        return with_article("the" if known else "a", role)

    def thing(self, pronoun):
        """Return a thing, such as a golden ring or her letter."""
        own = {"she": "her", "he": "his", "they": "their"}[pronoun]
        article = self.draw.choices(("a", "the", own), (6, 3, 3))[0]
        quality = f"{self.new(self.qualities)} " * self.chance(0.55)
        return with_article(article, quality + self.new(self.lists["things"]))

    def place(self, goal):
        """Return a phrase of place: where something is, or where one moves to."""
        if self.chance(0.2):
            return f"{'to' if goal else 'in'} {self.new(self.towns)}"
        spot, fitting = self.new(self.lists["spots"]).split("/")
        at = self.draw.choice(fitting.split())
        if goal:
            at = "into" if at == "in" and self.chance(0.4) else "to"
        return f"{at} the {spot}"

    # how it is told

    def joined(self, events):
        """Yield (event, the one that is told with it, or None)."""
        events = [*events]
        while events:
            first = events.pop(0)
            together = events and (events[0].again or events[0].there)
            yield first, events.pop(0) if together else None

    def sentences(self, events):
        """Yield sentences that tell of events, in their order."""
        for first, second in self.joined(events):
            if not second:
                at = events.index(first)
                before = events[at - 1] if at else None
                yield f"{opened(self.clause(first, before))}."
                continue
            who, does = second.said["who"], self.does(second, first)
            if second.there:
                yield f"{opened(first.said['who'])} {self.does(first)}, where {who} {does}."
                continue
            if first.manner == "is" and self.chance(0.7):
                yield f"{opened(who)}, {first.said['what']}, {does}."
            elif self.chance(0.2) and first.said.get("what") != second.said.get("what"):
                yield f"{opened(who)}, who {self.does(first)}, {does}."
            elif self.chance(0.5):
                then = self.draw.choice((" and", " and then", ", and later"))
                yield f"{opened(who)} {self.does(first)}{then} {does}."
            else:
                yield f"{opened(self.clause(first))}."
                then = self.draw.choice(("", "", "Then ", "Later ", "There "))
                yield f"{opened(then + second.pronoun)} {does}."

    def does(self, event, after=None):
        """Return what someone does, from the verb on; a thing of the event before is an it."""
        said, past = event.said, event.verb[1]
        thing, whom = said.get("what"), said.get("whom")
        if thing and after and after.said.get("what") == thing:
            thing = "it"
        if whom and after and after.said["who"] == whom and self.chance(0.7):
            whom = PRONOUNS[after.pronoun]
        if event.manner == "gift":
            turned = past in TWO_OBJECTS and thing != "it" and self.chance(0.3)
            parts = [whom, thing] if turned else [thing, f"to {whom}"]
        else:
            parts = [thing, whom]
        parts += [said.get(kind) for kind in ("where", "when", "why")]
        return " ".join([past, *filter(None, parts)])

    def clause(self, event, after=None):
        """Return one event as a main clause, sometimes passive, or with a phrase in front."""
        said, participle = event.said, event.verb[2]
        if event.manner == "is" and said["what"].startswith("the") and self.chance(0.25):
            return f"{said['what']} was {said['who']}"
        fronted = [kind for kind in ("when", "where") if kind in said]
        if event.manner not in ("goal", "is") and fronted and self.chance(0.3):
            kind = self.draw.choice(fronted)
            left = event._replace(said={key: said[key] for key in said if key != kind})
            return f"{said[kind]}{self.draw.choice((',', ''))} {self.clause(left, after)}"
        done_to = {"thing": "what", "gift": "what", "person": "whom"}.get(event.manner)
        if done_to and self.chance(0.12):
            was = were(said[done_to])
            to = f"to {said.get('whom')} " * (event.manner == "gift")
            later = [said[kind] for kind in ("where", "when", "why") if kind in said]
            return " ".join([said[done_to], was, participle, f"{to}by {said['who']}", *later])
        return f"{said['who']} {self.does(event, after)}"

    # what is asked

    def question(self, event, kind):
        """Return a question for one kind of phrase of an event."""
        known = {key: self.known(phrase) for key, phrase in event.said.items()}
        who, what, whom = (known.get(key) for key in ("who", "what", "whom"))
        base, past, participle = event.asks
        if event.manner == "is":
            was = self.draw.choice(("was", "is"))
            if kind == "who":
                return f"Who {was} {what}?"
            return f"{self.draw.choice(('Who', 'What'))} {was} {who}?"
        extra = [key for key in ("where", "when", "why") if key in known and key != kind]
        if event.manner in ("thing", "gift", "person") or kind != "who":
            extra = [key for key in extra if self.chance(0.25)]  # what identifies it is elsewhere
        extra = "".join(f" {known[key]}" for key in extra)
        was = were(what or whom or "")
        to = f" to {whom}" if event.manner == "gift" else ""
        told = {"gift": f" {what}{to}", "thing": f" {what}", "person": f" {whom}"}
        told = told.get(event.manner, "")
        if kind == "who":
            if event.manner == "thing" and self.chance(0.15):
                return f"By whom {was} {what} {participle}{extra}?"
            if event.manner == "gift" and self.chance(0.3):
                told = f" {what}"
            return f"Who {past}{told}{extra}?"
        if kind == "what":
            if self.chance(0.2):
                return f"What was {participle}{to} by {who}{extra}?"
            to *= self.chance(0.7)
            return f"What did {who} {base}{to}{extra}?"
        if kind == "whom":
            if event.manner == "person":
                return f"{self.draw.choice(('Who', 'Whom'))} did {who} {base}{extra}?"
            if self.chance(0.5):
                return f"To whom did {who} {base} {what}{extra}?"
            return f"Who did {who} {base} {what} to{extra}?"
        asks = kind.title()
        if event.manner in ("thing", "gift") and self.chance(0.2):
            return f"{asks} was {what} {participle}{to}{extra}?"
        if kind == "where" and event.manner == "goal" and self.chance(0.2):
            return f"{asks} did {who} {base} to{extra}?"
        return f"{asks} did {who} {base}{told}{extra}?"

    def known(self, phrase):
        """Return a phrase as a question has it: the golden ring, or the ring, for a golden ring."""
        phrase = re.sub(r"^(a|an) ", "the ", phrase)
        article, *words = phrase.split()
        described = article in ("the", "her", "his", "their") and words[0] in self.qualities
        if described and self.chance(0.5):
            phrase = " ".join([article, *words[1:]])
        if article in ("her", "his", "their") and self.chance(0.3):
            phrase = "the " + phrase.partition(" ")[2]
        return phrase


def with_article(article, phrase):
    """Return a phrase after a, an, the or whose it is.

    >>> with_article("a", "old king")
    'an old king'
    """
    return f"{'an' if article == 'a' and phrase[0] in 'aeiou' else article} {phrase}"


def were(phrase):
    """Return the form of was that fits a phrase.

    >>> were("two soldiers")
    'were'
    """
    several = phrase.startswith(("two ", "three ")) or " and " in phrase
    return "were" if several else "was"


def opened(phrase):
    """Return a phrase with a capital, as a sentence begins.

    >>> opened("the king")
    'The king'
    """
    return phrase[0].upper() + phrase[1:]
