"""The errors of the course: each names what was expected and what came."""


class ShapeError(ValueError):
    """A tensor has a shape or dtype that the function cannot use."""


class MaskError(ValueError):
    """A mask would hide every key from some query, so its softmax has nothing to share out."""


class VocabularyError(ValueError):
    """An id or token that the vocabulary does not hold, or a vocabulary that cannot be built."""


class ContextError(ValueError):
    """A sequence is longer than the positions the model has."""


class DamagedFileError(ValueError):
    """A file is truncated, is not what its name says, or belongs to another model."""


class MissingDataError(FileNotFoundError):
    """A data wheel or a folder of weights is not installed; the message says how to get it."""
