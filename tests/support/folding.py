"""Which parts of a notebook are folded when it is opened: derived from the cells' sources.

Folded are the imports, code that stands below `# folded: why`, the code of a figure that answers a
prediction (its title says too much), and whatever is stored between a prediction and its answer,
or below `# folded: why. Look first.`: JupyterLab shows an output again when its cell is run.
"""

import ast
import re

FOLDED = re.compile(r"# folded: \S")
SPOILS = re.compile(r"# folded: (?!.*your letter).* first\.")
SET_UP = re.compile(
    r"(?:torch\.manual_seed|(?:training\.)?set_seed)\([\w=]+\)"
    r"|SEED = \d+|device = (?:training\.)?get_device\(\)"
)
# What these cells print tells nothing of what comes.
ASKING = {"predict", "recall", "check"}


def folded(cells):
    """Return the folding of each cell, as its metadata "jupyter" has it: {} where all is open.

    cells: (kind, source, whether it stores outputs) of each.
    """
    found, open_predictions, first = [], set(), True
    for kind, source, has_outputs in cells:
        fold = {}
        if kind == "code":
            asked, revealed, asks = _calls(source)
            hides = bool(open_predictions) and (bool(revealed) or not asks)
            hides |= bool(SPOILS.match(source))
            set_up = first and is_set_up(source)
            answers = bool(open_predictions & revealed) and "figures.show(" in source
            if set_up or answers or FOLDED.match(source):
                fold["source_hidden"] = True
            if has_outputs and hides:
                fold["outputs_hidden"] = True
            open_predictions = (open_predictions | asked) - revealed
            first = False
        found.append(fold)
    return found


def is_set_up(source):
    """Whether a cell holds imports, seed and device, and nothing else."""
    return not list(besides_set_up(source)) and "import " in source


def besides_set_up(source):
    """Yield the statements of a cell that are no import, seed or device."""
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        text = ast.unparse(statement)
        if not SET_UP.fullmatch(text):
            yield text


def _calls(source):
    """The predictions that a cell asks for, those it reveals, and whether it asks anything."""
    asked, revealed, asks = set(), set(), False
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        asks |= name in ASKING
        if name in ("predict", "reveal") and node.args and isinstance(node.args[0], ast.Constant):
            (asked if name == "predict" else revealed).add(node.args[0].value)
    return asked, revealed, asks
