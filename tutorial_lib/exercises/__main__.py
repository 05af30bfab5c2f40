"""Print the exercise table, or an exercise's notebook cells.

python -m tutorial_lib.exercises              the table of every chapter
python -m tutorial_lib.exercises 02           the table of one chapter
python -m tutorial_lib.exercises 02 --cells   its exercises as py:percent cells
"""

import argparse
import sys

from tutorial_lib.exercises.engine import registry
from tutorial_lib.exercises.engine.cells import percent_cells
from tutorial_lib.exercises.engine.table import table


def main(arguments=None):
    """Run the command; returns the number of answers with an unexpected verdict."""
    parser = argparse.ArgumentParser(prog="python -m tutorial_lib.exercises")
    parser.add_argument("chapters", nargs="*", help="such as 02; all when none is named")
    parser.add_argument("--cells", action="store_true", help="print notebook cells instead")
    chosen = parser.parse_args(arguments)
    wrong = 0
    for chapter in chosen.chapters or registry.chapters():
        tasks = registry.contents(chapter).values()
        if chosen.cells:
            print("\n".join(map(percent_cells, tasks)))
            continue
        text = table(tasks)
        wrong += text.count("<-- expected")
        print(text)
    return wrong


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # a console without ✓ still gets its table
    sys.exit(min(main(), 1))
