"""Speeches of Shakespeare's plays, each said again in today's English.

The 24 speeches were drawn at random, by `random.Random(0).sample`, among the speeches with vectors
(recipe `speech-vectors`) that have 15 to 30 words, and none was left out. We wrote the paraphrases
before any search had seen them. A paraphrase shares no name and no content word with its speech,
only words such as *you* and *not*, so a search by words has little to go by.
"""

PARAPHRASES = {  # how the speech begins -> the same today
    "Ha! what has he sent?": (
        "Has he given me another present? He is always so generous. I'm in his debt, and how "
        "can I ever repay him?"
    ),
    "Strike him, Aumerle.": (
        "Hit him, my son! Oh dear child, you're stunned. Get out of here, you scoundrel, I "
        "don't want to look at you again."
    ),
    "Go thou: I'll fetch some flax": (
        "You leave, and I'll get a bandage and something soothing for his wounds. May God "
        "have mercy on him!"
    ),
    "Ay. You have some stain of soldier in you": (
        "Guys are always after a girl's innocence. You've served in the army, so tell us, how"
        " do we keep them out?"
    ),
    "What, what? first praise me": (
        "To begin with you flatter me, and then you take it back? My vanity didn't last. You "
        "mean I'm ugly? Poor me!"
    ),
    "Of all exploits since first I follow'd arms": (
        "In my whole career as a fighter no one has told me of a military operation as daring"
        " and reckless as this."
    ),
    "Well, she looked yesternight fairer": (
        "Last night she was more beautiful than I have known anyone to be, herself included."
    ),
    "Portia, forgive me this enforced wrong": (
        "I'm sorry, darling, I had no choice but to hurt you. With all our companions "
        "listening I give you my word, by your beautiful gaze, which is a mirror to me."
    ),
    "My lord, good morrow; good morrow, Catesby": (
        "Hello, gentlemen. Laugh all you want, but honestly, these separate meetings make me "
        "uneasy."
    ),
    "What tell'st thou me of robbing?": (
        "Why are you talking about thieves? We live in a city, not on some lonely farm in the"
        " countryside."
    ),
    "My father Capulet will have it so": (
        "Her dad wants it that way, and I'm happy to hurry along with him."
    ),
    "Buckingham, doth York intend no harm": (
        "Is the duke really planning nothing bad against me, when he walks here side by side "
        "with you?"
    ),
    "Not sick, my lord, unless it be in mind": (
        "He isn't ill, except in his thoughts, and he isn't fine either. What he writes "
        "explains how things are with him."
    ),
    "What craker is this same": (
        "Who is that loudmouth who hurts my hearing with so much needless talk?"
    ),
    "If that I could for weeping": (
        "If I weren't crying too much to speak, you'd have to listen. In fact you'll listen "
        "to a bit anyway. Are you leaving?"
    ),
    "Let them play. Play, sirs.": (
        "Go on with the music. Come here onto my lap, darling. That boastful coward ran away "
        "so fast that nobody could catch him."
    ),
    "I told him that your father was at Venice": (
        "I let him know that your dad is staying in another city, and that you expect him to "
        "arrive here before tonight."
    ),
    "I am all the daughters of my father's house": (
        "There are no other children in my family, no girls and no boys except me, though I "
        "can't be sure. Should I go and see the woman, boss?"
    ),
    "Who is there?\nTake this fellow in": (
        "Anybody there? Lead this man inside and have an officer fetch his employer "
        "immediately. Let's discuss it with His Majesty present."
    ),
    "I would exult, man": (
        "I'd be overjoyed. It was because of him that my mistress got angry with me, over "
        "some cruel animal show."
    ),
    "How do you, sir? Stand you not so amazed": (
        "Are you all right? You look stunned. Why don't you get comfortable on the pillows "
        "and sleep a little?"
    ),
    "Alas, I sent you money to redeem you": (
        "Oh no, I gave your servant cash to get you out of jail, and he hurried over to pick it up."
    ),
    "There lie thy bones, sweet Mutius": (
        "Rest here, dear brother, beside those you loved, until we decorate your grave with "
        "the spoils of war."
    ),
    "'Tis such another fitchew!": (
        "She's just like all those skunks, and this skunk reeks of roses. Why do you keep "
        "following me around?"
    ),
}


def paraphrased(speeches):
    """Return (index of the speech in speeches, paraphrase) for each of the PARAPHRASES.

    speeches: things with a `text`, such as `datasets.Speech`. Raises ValueError when an opening
    begins none of them, or several.

    >>> from tutorial_lib.datasets import load_shakespeare
    >>> speeches = load_shakespeare().speeches
    >>> index, today = paraphrased(speeches)[14]
    >>> speeches[index].text.splitlines()[0], today[:40]
    ('If that I could for weeping, you should hear,--', "If I weren't crying too much to speak, y")
    """
    found = []
    for opening, paraphrase in PARAPHRASES.items():
        fits = [n for n, speech in enumerate(speeches) if speech.text.startswith(opening)]
        if len(fits) != 1:
            raise ValueError(f"one speech should begin with {opening!r}, {len(fits)} do")
        found.append((fits[0], paraphrase))
    return found
