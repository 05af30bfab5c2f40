"""The errors of the course: each names what was expected and what came."""


class TutorialError(Exception):
    """What all errors of this package have in common: `except TutorialError` catches each of them.

    Each is also the built-in error that comes nearest.

    >>> issubclass(ShapeError, TutorialError), issubclass(ShapeError, ValueError)
    (True, True)
    """


class ShapeError(TutorialError, ValueError):
    """A tensor has a shape or dtype that the function cannot use."""


class MaskError(TutorialError, ValueError):
    """A mask would hide every key from some query, so its softmax has nothing to share out."""


class VocabularyError(TutorialError, ValueError):
    """An id or token that the vocabulary does not hold, or a vocabulary that cannot be built."""


class MessageError(TutorialError, ValueError):
    """A message of a chat has an unknown role, comes out of order, or says nothing."""


class ContextError(TutorialError, ValueError):
    """A sequence is longer than the positions the model has."""


class MissingHeadError(TutorialError, ValueError):
    """A model was built without the head that is asked for; the message says how to add it."""


class DamagedFileError(TutorialError, ValueError):
    """A file is truncated, is not what its name says, or belongs to another model."""


class MissingDataError(TutorialError, FileNotFoundError):
    """A data wheel or a folder of weights is not installed; the message says how to get it."""
