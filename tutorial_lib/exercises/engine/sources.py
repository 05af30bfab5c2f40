"""Find the source of a function or class, a notebook's included, with what it stands on."""

import ast
import inspect
import linecache
import symtable
import sys
import textwrap
import types

CONSTANTS = (bool, int, float, complex, str, bytes, type(None), tuple, list, dict, set)
LONGEST = 2000  # characters of a constant that is written out


def source_of(code):
    """Return the source of a function or class, decorators included.

    A class defined in a notebook is found through the cell of its first method, where
    inspect.getsource gives up. Raises OSError when there is no source (built-in code, a lambda).
    """
    anchor = _a_function(code)
    if not inspect.isfunction(anchor) or code.__name__ == "<lambda>":
        raise OSError("no source")
    text = "".join(linecache.getlines(anchor.__code__.co_filename, anchor.__globals__))
    line = anchor.__code__.co_firstlineno
    for node in ast.walk(_parse(text)):
        named = isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == code.__name__
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) if named else 0
        if named and first <= line <= node.end_lineno:
            lines = text.splitlines(keepends=True)[first - 1 : node.end_lineno]
            return textwrap.dedent("".join(lines)).rstrip()
    raise OSError("no source")


def global_names(source):
    """Return the global names that a piece of source uses and does not define.

    >>> global_names("def area(r):\\n    return math.pi * r ** 2")
    ['math']
    """
    found = set()

    def visit(table):
        for symbol in table.get_symbols():
            free = table.get_type() == "module" and not symbol.is_assigned()
            if symbol.is_referenced() and (free or symbol.is_global()):
                found.add(symbol.get_name())
        for child in table.get_children():
            visit(child)

    top = symtable.symtable(source, "source", "exec")
    visit(top)
    defined = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    return sorted(found - defined)


def standing(code, known=()):
    """Return source that stands by itself, and the global names that could not be carried along.

    Imports come first, then constants and helper functions from the same notebook or module, then
    `code`. Names in `known` are taken as defined already. Raises OSError when there is no source.
    """
    imports, pieces, left = set(), [], set()
    home = code.__module__
    names = vars(sys.modules[home]) if home in sys.modules else {}
    names = names | getattr(_a_function(code), "__globals__", {}) | _enclosed(code)
    _collect(code, home, names, set(known), imports, pieces, left)
    ordered = sorted(line for line in imports if line.startswith("import"))
    ordered += sorted(line for line in imports if not line.startswith("import"))
    head = "\n".join(ordered) + "\n\n\n" if ordered else ""
    return head + "\n\n\n".join(pieces), sorted(left)


def import_line(name, value):
    """Return the line that imports `value` under `name`, None when no module gives it.

    >>> import math
    >>> import_line("m", math), import_line("sqrt", math.sqrt)
    ('import math as m', 'from math import sqrt')
    """
    if isinstance(value, types.ModuleType):
        module = value.__name__
        if name == module:
            return f"import {module}"
        if "." in module and module.rpartition(".")[2] == name:
            return f"from {module.rpartition('.')[0]} import {name}"
        return f"import {module} as {name}"
    module, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(own, str) or module == "__main__":
        return None
    for place in (module.partition(".")[0], module):  # the shorter, public address first
        if getattr(sys.modules.get(place), own, None) is value:
            return f"from {place} import {own}" + (f" as {name}" if name != own else "")
    return None


def _collect(code, home, names, known, imports, pieces, left):
    source = source_of(code)
    known.add(code.__name__)
    for name in global_names(source):
        if name in known or name not in names:
            continue
        known.add(name)
        value = names[name]
        if getattr(value, "__module__", None) == home and hasattr(value, "__name__"):
            try:
                _collect(value, home, names, known, imports, pieces, left)
            except OSError:
                left.add(name)
        elif _is_literal(value):
            pieces.append(f"{name} = {value!r}")
        elif line := import_line(name, value):
            imports.add(line)
        else:
            left.add(name)
    pieces.append(source)


def _enclosed(code):
    """Return what a function takes from the one it was written in, by name."""
    function = _a_function(code)
    cells = getattr(function, "__closure__", None) or ()
    names = function.__code__.co_freevars if cells else ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def _is_literal(value):
    """Tell a constant that Python reads back from what it prints, and that is not long."""
    if type(value) not in CONSTANTS or (hasattr(value, "__len__") and len(value) > LONGEST):
        return False
    text = repr(value)
    try:
        return len(text) <= LONGEST and ast.literal_eval(text) == value
    except (ValueError, SyntaxError, RuntimeError):  # RuntimeError: == of tensors inside
        return False


def _a_function(code):
    return _a_method(code) if isinstance(code, type) else inspect.unwrap(code)


def _a_method(owner):
    """Give a method written in the class itself: it knows the file and line of its class."""
    members = [inspect.unwrap(m) for m in vars(owner).values() if inspect.isfunction(m)]
    own = (m for m in members if m.__qualname__.startswith(f"{owner.__qualname__}."))
    return next(own, None)


def _parse(text):
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise OSError("no source") from error
