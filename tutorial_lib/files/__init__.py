"""What is read from disk and written to it: whole files or none, weights, folders of a hub."""

from tutorial_lib.lazy import loading

_HOMES = {
    "ForeignNames": "foreign_names",
    "Unfilled": "weights",
    "check_fit": "weights",
    "load_into": "weights",
    "load_metadata": "weights",
    "load_tensors": "weights",
    "replacing": "atomic",
    "save_tensors": "weights",
    "write_text": "atomic",
}

__getattr__, __dir__ = loading(__name__, _HOMES)
