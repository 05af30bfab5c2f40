"""Wrong answers nobody has written out, alone and two mistakes at once, are named by properties."""

import math

import property_checks
import pytest
import torch

from tutorial_lib.exercises.chapter06_bert.rival import WORDS


def segments(first_own=0, second_own=1, padding=0, turned=False, cls=0):
    """Segment numbers counted token by token, with a choice of slips."""

    def answer(ids, sep_id):
        found = []
        for row in ids.tolist():
            passed, out = 0, []
            for token in row:
                own = token == sep_id
                number = [0, 1, padding][min(passed, 2)]
                if own and passed < 2:
                    number = (first_own, second_own)[passed]
                out.append(number)
                passed += own
            out[0] = cls
            found.append([1 - number for number in out] if turned else out)
        return torch.tensor(found)

    return answer


def masked_loss(
    mean="chosen", keep=True, log=torch.log, dim=-1, shift=0, spare=None, hide="chosen"
):
    """The loss at the chosen places, with a choice of slips."""

    def answer(model, ids, chosen, mask_id):
        hidden = {"chosen": chosen, "nothing": chosen & False, "others": ~chosen}[hide]
        logits = model(ids.masked_fill(hidden, mask_id))
        top = logits.amax(dim, keepdim=True)
        p = torch.exp(logits - top) / torch.exp(logits - top).sum(dim, keepdim=True)
        p = p.roll(shift, dims=1)
        counted = chosen if keep else ~chosen
        if spare is not None:
            counted = counted & (ids != spare)
        losses = -log(p.gather(-1, ids.unsqueeze(-1)).squeeze(-1)) * counted
        if mean == "rows":
            return (losses.sum(1) / counted.sum(1).clamp(min=1)).mean()
        return losses.sum() / {"chosen": counted.sum(), "all": ids.numel(), "none": 1}[mean]

    return answer


def masking(low=0.8, high=0.9, exchanged=False, everywhere=False, strict=True, rest=None):
    """80, 10 and 10, with a choice of slips."""

    def answer(ids, chosen, draw, random_ids, mask_id):
        result = []
        below = (lambda a, b: a < b) if strict else (lambda a, b: a <= b)
        for b, row in enumerate(ids.tolist()):
            result.append([])
            for t, token in enumerate(row):
                new, other = mask_id, int(random_ids[b, t])
                if exchanged:
                    new, other = other, new
                value = draw[b, t]
                if chosen[b, t] or everywhere:
                    if below(value, low):
                        token = new
                    elif below(value, high):
                        token = other
                    elif rest is not None:
                        token = rest
                result[-1].append(token)
        return torch.tensor(result)

    return answer


def logits(
    tokens=1,
    segments=1,
    first=0,
    norm="sum",
    layers="all",
    small=True,
    tied="T",
    bias=True,
    places="row",
    pair="own",
    end=None,
):
    """A BERT around its layers, with a choice of slips."""

    def answer(parts, ids, seg):
        rows = torch.arange(ids.size(1)) + first
        where = {"row": rows, "none": rows, "ids": ids, "segments": seg}[places]
        sentence = {"own": seg, "exchanged": 1 - seg, "first": 0 * seg}[pair]
        others = segments * parts.segments[sentence] + (places != "none") * parts.positions[where]
        x = (parts.tokens.size(1) ** 0.5 if tokens == "root" else tokens) * parts.tokens[ids]
        if norm in ("tokens", "twice"):
            x = parts.norm(x)
        x = x + others
        if norm in ("sum", "twice"):
            x = parts.norm(x)
        if small == "early":
            x = parts.small_layer(x)
        chosen = {"all": parts.layers, "none": [], "first": parts.layers[:1]}
        chosen |= {"backwards": parts.layers[::-1], "last": parts.layers[-1:]}
        chosen["residual"] = [lambda x, layer=layer: x + layer(x) for layer in parts.layers]
        for layer in chosen[layers]:
            x = layer(x)
        if norm == "last":
            x = parts.norm(x)
        x = parts.small_layer(x) if small is True else x
        table = {"T": parts.tokens.T, "positions": parts.positions[: len(parts.tokens)].T}[tied]
        found = x @ table + (parts.bias if bias else 0)
        return end(found) if end else found

    return answer


def batch(hide=True, labels="chosen", ignored=-100, hidden_label=False, place=0):
    """Inputs and labels of masked language modelling, with a choice of slips."""

    def answer(ids, chosen, mask_id):
        where = chosen.roll(place, dims=1)
        inputs = torch.where(where if hide else ~where, torch.full_like(ids, mask_id), ids)
        wanted = inputs if hidden_label else ids
        counted = {"chosen": chosen, "others": ~chosen, "all": torch.ones_like(chosen)}[labels]
        return inputs, torch.where(counted, wanted, torch.full_like(ids, ignored))

    return answer


def step(
    words=1,
    pairs=1,
    follows=True,
    read=True,
    parts=True,
    everywhere=False,
    zero=True,
    go=True,
    stop=None,
    all_follow=False,
    masked=True,
):
    """One step of pre-training, with a choice of slips."""

    def answer(model, optimizer, inputs, segments, mask, ids, chosen, is_next):
        hidden = model(
            inputs if read else ids, segments if parts else None, mask if masked else None
        )
        for_words = hidden.detach() if stop == "words" else hidden
        for_pairs = hidden.detach() if stop == "pairs" else hidden
        is_next = is_next | all_follow
        where = mask if everywhere else chosen
        log_p = model.mlm_logits(for_words).log_softmax(dim=-1).gather(-1, ids[..., None])[..., 0]
        of_words = -(log_p * where).sum() / where.sum()
        column = (~is_next if follows else is_next).long()[:, None]
        of_pairs = -model.nsp_logits(for_pairs).log_softmax(dim=-1).gather(1, column).mean()
        if zero:
            optimizer.zero_grad()
        (words * of_words + pairs * of_pairs).backward()
        if go:
            optimizer.step()
        return of_words.item(), of_pairs.item()

    return answer


def stretch(mean=False, sign=1, ahead=1, first=0, last=None, log=True):
    """The log-probability of texts, with a choice of slips."""

    def answer(model, texts):
        found = []
        for ids in texts:
            p = model(ids[None])[0].softmax(dim=-1)  # (T, V)
            terms = [p[t, ids[t + ahead]] for t in range(first, len(ids) - ahead)][:last]
            terms = [term.log() if log else term for term in terms]
            found.append(sign * sum(terms) / (len(terms) if mean else 1))
        return found

    return answer


def sense(cosines=True, collect=torch.mean, sign=1, name=True):
    """The closest sense, with a choice of slips."""

    def answer(new, known):
        found = []
        for vectors in known.values():
            scores = vectors @ new
            if cosines:
                scores = scores / (vectors.norm(dim=1) * new.norm())
            found.append(sign * float(collect(scores)))
        place = found.index(max(found))
        return list(known)[place] if name else place

    return answer


def surest(by="probability", rereads=True, first=max, anew=True, anywhere=False, stop=0, shift=0):
    """Gaps filled one at a time, with a choice of slips; first picks of (sure, place, word)."""

    def answer(model, ids, mask_id):
        text = ids.tolist()
        logits, order = model(ids), []
        while text.count(mask_id) > stop:
            if rereads:
                logits = model(torch.tensor(text))
            rows = {"logit": logits, "probability": logits.softmax(-1), "share": logits.softmax(0)}
            rows["entropy"] = rows["margin"] = rows["probability"]
            best = [(max(row), t, row.index(max(row))) for t, row in enumerate(rows[by].tolist())]
            if by == "entropy":
                best = [
                    (sum(p * math.log(p) for p in row), t, w)
                    for row, (_, t, w) in zip(rows[by].tolist(), best, strict=True)
                ]
            if by == "margin":
                best = [
                    (p - sorted(row)[-2], t, w)
                    for row, (p, t, w) in zip(rows[by].tolist(), best, strict=True)
                ]
            gaps = [one for one in best if anywhere or text[one[1]] == mask_id]
            order = order or sorted(gaps)
            place = (first(gaps) if anew else order.pop())[1]
            text[place] = best[(place + shift) % len(text)][2]
        return torch.tensor(text)

    return answer


def leftmost(gaps):
    return min(gaps, key=lambda one: one[1])


def rightmost(gaps):
    return max(gaps, key=lambda one: one[1])


def rival(swapped=False, to=str, skip=False, other=None):
    """A rival that knows a dictionary, with a choice of slips."""

    def answer(words, gap):
        cut = words.index("[SEP]")
        english, german = words[1:cut], words[cut + 1 : -1]
        above = (gap < cut) != swapped
        here, there = (english, german) if above else (german, english)
        dictionary = {b: a for a, b in WORDS} if above else dict(WORDS)
        found = [dictionary[word] for word in there if word in dictionary]
        missing = found if skip else [word for word in found if word not in here]
        return to(other or (missing[0] if missing else "und"))

    return answer


SETS = {
    "6.1": (
        masked_loss(),
        {
            "nothing hidden": (
                masked_loss(hide="nothing"),
                ["This lets the model read the chosen"],
            ),
            "others hidden": (masked_loss(hide="others"), ["It hides all tokens but the chosen"]),
            "others": (masked_loss(keep=False), ["Everything counts but what is marked"]),
            "by all": (masked_loss(mean="all"), ["This divides by all B · T places"]),
            "rows": (masked_loss(mean="rows"), ["This takes the mean of each text first"]),
            "shifted": (masked_loss(shift=1), ["It reads the logits one place before"]),
            "shifted, bits": (
                masked_loss(shift=1, log=torch.log2),
                ["It reads the logits one place before", "It is in bits: nats take the natural"],
            ),
            "sum of p": (
                masked_loss(mean="none", log=lambda p: p),
                ["It is the sum: the mean is asked for.", "It averages probabilities: the"],
            ),
            "nothing hidden, rows": (
                masked_loss(hide="nothing", mean="rows"),
                ["It lets the model read the chosen", "A chosen place counts for more in a row"],
            ),
            "token 0 spared": (masked_loss(spare=0), ["Token 0 is left out where it is marked"]),
            "token 0 spared, rows": (
                masked_loss(spare=0, mean="rows"),
                [
                    "Token 0 is left out where it is marked",
                    "A chosen place counts for more in a row",
                ],
            ),
            "over the batch": (masked_loss(dim=0), ["It matters how high all logits of a"]),
        },
    ),
    "6.2": (
        segments(),
        {
            "first [SEP] in the second": (
                segments(first_own=1),
                ["The first [SEP], which closes the first"],
            ),
            "padding 1": (segments(padding=1), ["The padding gets 1: it must be 0."]),
            "first [SEP] and padding": (
                segments(first_own=1, padding=1),
                ["The first [SEP], which closes the first", "The padding gets 1: it must be 0."],
            ),
            "second [SEP] 0": (segments(second_own=0), ["The second [SEP], which closes the"]),
            "both [SEP]": (
                segments(1, 0),
                ["The first [SEP], which closes the first", "The second [SEP], which closes the"],
            ),
            "turned": (
                segments(turned=True),
                ["It is the other way round: the first", "The padding gets 1: it must be 0."],
            ),
            "padding 2": (segments(padding=2), ["The padding gets 2: it must be 0."]),
            "[CLS] 1, padding 1": (
                segments(cls=1, padding=1),
                ["A token of the first sentence, or", "The padding gets 1: it must be 0."],
            ),
        },
    ),
    "6.4": (
        masking(),
        {
            "everywhere": (masking(everywhere=True), ["A token that is not chosen, with the"]),
            "exchanged": (
                masking(exchanged=True),
                ["A chosen token with the draw 0.03", "A chosen token with the draw 0.81"],
            ),
            "0.8 hidden": (masking(strict=False), ["A chosen token with the draw 0.8"]),
            "everywhere, 0.8": (
                masking(everywhere=True, strict=False),
                ["A token that is not chosen, with the", "A chosen token with the draw 0.8"],
            ),
            "0.1 and 0.2": (
                masking(low=0.1, high=0.2),
                ["A chosen token with the draw 0.31", "A chosen token with the draw 0.81"],
            ),
            "rest hidden": (masking(rest=0), ["A chosen token with the draw 0.95"]),
            "everywhere, exchanged": (
                masking(everywhere=True, exchanged=True),
                [
                    "A token that is not chosen, with the",
                    "A chosen token with the draw 0.03",
                    "A chosen token with the draw 0.81",
                ],
            ),
            "up to 1": (masking(high=1), ["A chosen token with the draw 0.95"]),
        },
    ),
    "6.3": (
        logits(),
        {
            "another table at the end": (
                logits(tied="positions"),
                ["With layers that do nothing, each logit is the dot"],
            ),
            "three times the tokens": (
                logits(tokens=3),
                ["With layers that do nothing, each logit is the dot"],
            ),
            "the small layer first": (
                logits(small="early"),
                ["It puts `small_layer` before the layers"],
            ),
            "norm of the tokens, no bias": (
                logits(norm="tokens", bias=False),
                ["It normalises the tokens alone", "It adds no bias"],
            ),
            "segments exchanged": (logits(pair="exchanged"), ["It exchanges the two segments"]),
            "positions by id": (
                logits(places="ids"),
                ["It looks the positions up by the token's id"],
            ),
            "positions by segment": (
                logits(places="segments"),
                ["It looks the positions up by the segment"],
            ),
            "first sentence alone": (logits(pair="first"), ["It takes all tokens for the first"]),
            "no positions, no bias": (
                logits(places="none", bias=False),
                ["It adds no positions", "It adds no bias"],
            ),
            "one position": (
                logits(end=lambda found: found[:, 0]),
                ["It answers for one position"],
            ),
            "√D, no bias": (
                logits(tokens="root", bias=False),
                ["It multiplies the token's vector"],
            ),
            "probabilities, no bias": (
                logits(end=lambda found: found.softmax(-1), bias=False),
                ["It returns probabilities"],
            ),
            "logarithms, no bias": (
                logits(end=lambda found: found.log_softmax(-1), bias=False),
                ["It returns logarithms of probabilities"],
            ),
            "residual, no bias": (
                logits(layers="residual", bias=False),
                ["It adds what a layer reads to what it returns"],
            ),
            "last layer alone, no bias": (
                logits(layers="last", bias=False),
                ["It gives each layer the first vectors, or"],
            ),
            "positions from 2": (logits(first=2), ["The position that is added is not row t"]),
            "normalised twice": (logits(norm="twice"), ["The LayerNorm must read the sum"]),
            "norm at the end": (logits(norm="last"), ["It normalises after the layers"]),
            "first layer alone": (logits(layers="first"), ["It uses the first layer alone"]),
            "segments taken away": (logits(segments=-1), ["The segment that is added is not"]),
            "no layers, no bias": (
                logits(layers="none", bias=False),
                ["It leaves the layers out"],
            ),
            "no norm, layers backwards": (
                logits(norm="none", layers="backwards"),
                ["It leaves the LayerNorm of the sum out", "from the last to the first"],
            ),
            "no segments, no small layer": (
                logits(segments=0, small=False),
                ["It adds no segments", "It leaves `small_layer` out"],
            ),
            "positions from 1, no bias": (
                logits(first=1, bias=False),
                ["It counts the positions from 1", "It adds no bias"],
            ),
        },
    ),
    "6.6": (
        step(),
        {
            "nothing learned from the words": (
                step(words=0),
                ["It does not learn from the words"],
            ),
            "no step": (step(go=False), ["No weight changes: `optimizer.step()`"]),
            "gradients kept": (step(zero=False), ["This adds the gradients of the steps before"]),
            "no words, classes exchanged": (
                step(words=0, follows=False),
                ["It does not learn from the words", "It exchanges the two classes"],
            ),
            "words stop at their head, classes exchanged": (
                step(stop="words", follows=False),
                ["The loss of the words does not reach", "It exchanges the two classes"],
            ),
            "pairs stop at their head, classes exchanged": (
                step(stop="pairs", follows=False),
                ["The loss of the pairs does not reach", "It exchanges the two classes"],
            ),
            "padding read, classes exchanged": (
                step(masked=False, follows=False),
                ["It exchanges the two classes", "It reads the padding"],
            ),
            "each pair follows": (step(all_follow=True), ["It makes no use of `is_next`"]),
            "reads the answers, no segments": (
                step(read=False, parts=False),
                ["It makes no use of `segments`", "It lets the model read the answers"],
            ),
            "everywhere, classes exchanged": (
                step(everywhere=True, follows=False),
                ["It exchanges the two classes", "It asks for tokens that were not chosen"],
            ),
        },
    ),
    "6.8": (
        rival(),
        {
            "index": (rival(to=len), ["return a word, a string."]),
            "always thousand": (rival(other="thousand"), ["It says the same word at each gap"]),
            "languages exchanged": (rival(swapped=True), ["It answers in the wrong language"]),
            "the first word": (rival(skip=True), ["of the gaps, and 0.6 is asked for. In “[CLS]"]),
            "[MASK]": (rival(other="[MASK]"), ["It returns [MASK]: return the word"]),
        },
    ),
    "6.10": (
        stretch(),
        {
            "a loss": (stretch(sign=-1), ["This has the sign of a loss"]),
            "one too few": (stretch(first=1), ["One token too few counts"]),
            "probabilities": (stretch(log=False), ["or is no logarithm"]),
            "two ahead": (
                stretch(ahead=2),
                ["It asks each position for the token after the next", "One token too few counts"],
            ),
            "the first term alone": (
                stretch(last=1),
                ["It is a mean, or one token alone", "What comes later in the text does not"],
            ),
            "not shifted, a mean": (
                stretch(ahead=0, mean=True),
                ["the token that it has just read", "It is a mean, or one token alone"],
            ),
        },
    ),
    "6.11": (
        sense(),
        {
            "a place": (sense(name=False), ["The name of a sense is asked for"]),
            "the farthest": (sense(sign=-1), ["It does not name the sense that is closest"]),
            "lengths": (sense(cosines=False), ["Longer vectors count for more"]),
            "the sum": (sense(collect=torch.sum), ["A sense with more sentences wins"]),
            "one sentence": (sense(collect=torch.amax), ["One sentence decides alone"]),
            "lengths, the sum": (
                sense(cosines=False, collect=torch.sum),
                ["Longer vectors count for more", "A sense with more sentences wins"],
            ),
        },
    ),
    "6.9": (
        surest(),
        {
            "one alone": (surest(stop=4), ["It leaves gaps: go on until none"]),
            "from the left": (surest(first=leftmost), ["This goes from left to right"]),
            "from the right": (surest(first=rightmost), ["This goes from right to left"]),
            "the least sure": (surest(first=min), ["This begins with the word that it is least"]),
            "logits": (surest(by="logit"), ["This compares logits"]),
            "softmax over the positions": (surest(by="share"), ["This takes the softmax over the"]),
            "the lowest entropy": (surest(by="entropy"), ["It compares something else than the"]),
            "the largest lead": (surest(by="margin"), ["It compares something else than the"]),
            "one order": (surest(anew=False), ["It settles the order in the first pass"]),
            "one reading": (surest(rereads=False), ["This fills all gaps from one pass"]),
            "the next gap's word": (surest(shift=1), ["A gap gets the word of another position"]),
            "one order, the next gap's word": (
                surest(anew=False, shift=1),
                ["It settles the order in the first pass", "A gap gets the word of another"],
            ),
        },
    ),
    "6.7": (
        batch(),
        {
            "labels hidden": (batch(hidden_label=True), ["This takes the labels from the changed"]),
            "ignored 0": (batch(ignored=0), ["The label of a place that was not"]),
            "hides the others": (
                batch(hide=False),
                [
                    "A chosen token is not hidden: `mask_id`",
                    "A token that was not chosen is hidden",
                ],
            ),
            "ignored 0, hides others": (
                batch(hide=False, ignored=0),
                [
                    "A chosen token is not hidden: `mask_id`",
                    "A token that was not chosen is hidden",
                    "The label of a place that was not",
                ],
            ),
            "one to the right": (
                batch(place=1),
                [
                    "A chosen token is not hidden: `mask_id`",
                    "A token that was not chosen is hidden",
                ],
            ),
        },
    ),
}

WRONG = {id: answers for id, (_, answers) in SETS.items()}


@pytest.mark.parametrize(("id", "answer", "sentences"), property_checks.rows(WRONG))
def test_each_mistake_is_named_in_order(id, answer, sentences):
    property_checks.assert_named(id, answer, sentences)


@pytest.mark.parametrize("id", SETS)
def test_without_slips_an_answer_is_right(id):
    property_checks.assert_right(id, SETS[id][0])
