"""Numbers in English words, the small task of chapters 02 and 03: read the hundreds digit."""

from collections import Counter, defaultdict
from dataclasses import dataclass

import torch

from tutorial_lib.datasets.in_words import number_in_words

PAD = "[PAD]"


def number_words(number):
    """Return a number from 0 to 999,999 as the list of its English words; hyphens separate words.

    Raises TypeError and ValueError as `number_in_words` does.

    >>> number_words(342)
    ['three', 'hundred', 'and', 'forty', 'two']
    """
    return number_in_words(number).replace("-", " ").split()


def bag_ceiling(numbers=range(100, 1000)):
    """Return the best share of hundreds digits that a reader blind to word order can get right.

    Numbers with the same bag of words (each word with its count) look the same to such a reader,
    so of each bag it can get only the most frequent digit right. Raises ValueError for no numbers.

    >>> bag_ceiling()
    0.64
    >>> bag_ceiling([203, 302])
    0.5
    """
    digits = defaultdict(Counter)
    for number in numbers:
        digits[frozenset(Counter(number_words(number)).items())][number // 100 % 10] += 1
    if not digits:
        raise ValueError("expected at least one number, got none")
    right = sum(max(counts.values()) for counts in digits.values())
    return right / sum(counts.total() for counts in digits.values())


@dataclass(frozen=True)
class Numbers:
    """A set of numbers in words, as tensors.

    values (B,) the numbers, ids (B, S) their words padded on the right, lengths (B,) the number of
    words, digits (B,) the hundreds digit, vocabulary the words in the order of their ids.
    """

    values: torch.Tensor
    ids: torch.Tensor
    lengths: torch.Tensor
    digits: torch.Tensor
    vocabulary: tuple[str, ...]

    def __len__(self):
        return len(self.values)

    def words(self, index):
        """The words of the number at `index`, without padding."""
        return [self.vocabulary[i] for i in self.ids[index, : self.lengths[index]].tolist()]

    def select(self, indices):
        """The subset at `indices` (N,), with the same vocabulary and width."""
        rows = (column[indices] for column in (self.values, self.ids, self.lengths, self.digits))
        return Numbers(*rows, self.vocabulary)

    def split(self, held_out=0.2, seed=0):
        """Split at random into a training set and a held-out set; the same seed, the same split.

        >>> [len(part) for part in numbers_in_words().split(held_out=0.2)]
        [720, 180]
        """
        if not 0 < held_out < 1:
            raise ValueError(f"held_out is a share between 0 and 1, got {held_out}")
        order = torch.randperm(len(self), generator=torch.Generator().manual_seed(seed))
        n_held_out = round(held_out * len(self))
        return self.select(order[n_held_out:]), self.select(order[:n_held_out])

    def batches(self, size, seed=0):
        """Yield shuffled batches (ids, lengths, digits) for ever, epoch after epoch."""
        generator = torch.Generator().manual_seed(seed)
        while True:
            for rows in torch.randperm(len(self), generator=generator).split(size):
                yield self.ids[rows], self.lengths[rows], self.digits[rows]


def numbers_in_words(numbers=range(100, 1000)):
    """Write numbers in words and turn them into padded tensors; raises ValueError for no numbers.

    >>> data = numbers_in_words()
    >>> data.ids.shape, len(data.vocabulary)
    (torch.Size([900, 5]), 30)
    >>> data.words(0)
    ['one', 'hundred']
    """
    values = list(numbers)
    if not values:
        raise ValueError("expected at least one number, got none")
    words = [number_words(value) for value in values]
    vocabulary = (PAD, *dict.fromkeys(word for number in words for word in number))
    index = {word: i for i, word in enumerate(vocabulary)}
    lengths = torch.tensor([len(number) for number in words])
    ids = torch.zeros(len(words), int(lengths.max()), dtype=torch.long)  # (B, S), 0 is [PAD]
    for row, number in zip(ids, words, strict=True):
        row[: len(number)] = torch.tensor([index[word] for word in number])
    value_tensor = torch.tensor(values)
    return Numbers(value_tensor, ids, lengths, value_tensor // 100 % 10, vocabulary)
