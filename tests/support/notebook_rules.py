"""All rules that every notebook of the course keeps; CONTRIBUTING.md says what they ask for."""

from chapter_rules import (
    ends_well,
    enough_exercises,
    header_is_complete,
    numbered_in_order,
    recall_follows_the_hook,
)
from file_rules import (
    first_cell_is_set_up,
    headings_in_order,
    links_lead_somewhere,
    no_machine,
    no_set_up,
    no_stored_errors,
    normal_metadata,
    output_is_compared,
    pictures_have_alt_text,
    run_in_order,
    small_file,
)
from notebook_book import Book

RULES = (
    run_in_order,
    no_stored_errors,
    normal_metadata,
    pictures_have_alt_text,
    headings_in_order,
    small_file,
    no_machine,
    output_is_compared,
    no_set_up,
    first_cell_is_set_up,
    header_is_complete,
    recall_follows_the_hook,
    numbered_in_order,
    enough_exercises,
    ends_well,
    links_lead_somewhere,
)

__all__ = ["RULES", "Book"]
