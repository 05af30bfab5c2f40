"""A notebook goes on without a model: cells that would look inside it are left out, with a line.

So its cells need no `if`: they are written and read as if the model were always there.
"""

import ast
import dis
import sys
from types import CodeType

# What remains of a cell that is left out, where it can: later cells may need the names it makes.
_KEPT = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def leave_out(model_name, stand_ins, keep=()):
    """From the next cell of this notebook on, leave out what needs the model `model_name`.

    A cell is left out when it reads a name that holds one of `stand_ins`, or one that something
    left out would have made. It prints a line instead; its assignments, functions and imports
    that need no such name are made all the same. Where a call is handed a dict of several things,
    the others in it stay. A cell that uses one of the names `keep` runs as it is. What an earlier
    call left out is no longer left out; outside a notebook nothing is.
    """
    if shell := _shell():
        others = [one for one in shell.ast_transformers if not isinstance(one, _LeftOut)]
        shell.ast_transformers[:] = [*others, _LeftOut(model_name, stand_ins, keep, shell.user_ns)]


def _shell():
    ipython = sys.modules.get("IPython")
    return ipython and ipython.get_ipython()


class _LeftOut:
    """An IPython AST transformer: it changes each cell's syntax tree before the cell runs."""

    def __init__(self, model_name, stand_ins, keep, values):
        self.model_name, self.stand_ins, self.keep = model_name, stand_ins, set(keep)
        self.values = values  # of all the notebook's names
        self.missing = set()  # the names that hold a stand-in, or that were not made

    def visit(self, cell):
        """Return the tree of the cell without what needs the model."""
        try:
            return self._without(cell)
        except SyntaxError:  # such as a `return` outside a function: IPython says where
            return cell

    def _without(self, cell):
        if not cell.body:  # nothing but comments
            return cell
        if self.keep & {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(cell)}:
            return cell
        self.missing |= {
            name
            for name, value in self.values.items()
            if any(value is stand_in for stand_in in self.stand_ins)
        }
        could_run, changed = [], False
        for statement in cell.body:
            changed |= self._shortened(statement)
            read, made = _names(statement)
            if read & self.missing:
                self.missing |= made
            else:
                self.missing -= made
                could_run.append(statement)
        if len(could_run) < len(cell.body):
            changed = True
            for statement in could_run:
                if not isinstance(statement, _KEPT):
                    self.missing |= _names(statement)[1]
            could_run = [statement for statement in could_run if isinstance(statement, _KEPT)]
        if changed:
            print(f"Left out: what needs {self.model_name}.")
        # A `pass` where nothing is left: %timeit puts what it gets into a loop.
        return ast.Module(
            could_run or [ast.copy_location(ast.Pass(), cell.body[0])], cell.type_ignores
        )

    def _shortened(self, statement):
        """Take what is missing out of dicts that a call is handed; return if there was any."""
        found = False
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            for given in statement.value.args:
                if isinstance(given, ast.Dict):
                    pairs = list(zip(given.keys, given.values, strict=True))
                    there = [p for p in pairs if not _names(p[1])[0] & self.missing]
                    if 0 < len(there) < len(pairs):
                        given.keys, given.values = map(list, zip(*there, strict=True))
                        found = True
        return found


def _names(node):
    """(the names that a statement or an expression reads, the names that it makes)."""
    tree, mode = (
        (ast.Expression(node), "eval")
        if isinstance(node, ast.expr)
        else (ast.Module([node], []), "exec")
    )
    code = compile(tree, "cell", mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    read, made = set(), set()
    for step in dis.get_instructions(code):
        if step.opname == "STORE_NAME":
            made.add(step.argval)
        elif step.opname in ("LOAD_NAME", "DELETE_NAME") and step.argval not in made:
            read.add(step.argval)
    return read | (_globals(code) - made), made


def _globals(code):
    """The names that the functions and classes inside some code read from outside."""
    names = set()
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            steps = dis.get_instructions(inner)
            names |= {step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
            names |= _globals(inner)
    return names
