"""What is read from disk and written to it: whole files or none, weights, folders of a hub."""

from typing import TYPE_CHECKING

from tutorial_lib.lazy import loading

if TYPE_CHECKING:
    from tutorial_lib.files.atomic import check_writable, replacing, write_text
    from tutorial_lib.files.foreign_names import ForeignNames
    from tutorial_lib.files.gguf_files import gguf_in, read_gguf
    from tutorial_lib.files.json_files import parse_json, read_json
    from tutorial_lib.files.weights import (
        Unfilled,
        check_fit,
        load_into,
        load_metadata,
        load_tensors,
        save_tensors,
    )

__getattr__, __dir__, __all__ = loading(__name__, __file__)
