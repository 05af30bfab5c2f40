"""The few cells of a notebook that some of its cells need, found by the names they use.

>>> cells = ["import math", "x = math.pi", "x = 1", "y = x + 1", "print(y)"]
>>> needed(cells, [4])
[2, 3, 4]

A name comes from the last cell before that binds it, or, when a function uses it that is only
called later, from the first one after. What a cell changes by a call (`list.append`, `fit(model)`)
is not followed: an explorer shows what its cells have made, trained or not.
"""

import ast
import symtable


def needed(sources, wanted):
    """The numbers, in order, of the cells to run so that the wanted ones run."""
    cells = [names(source) for source in sources]
    chosen, waiting = set(), list(wanted)
    while waiting:
        number = waiting.pop()
        if number in chosen:
            continue
        chosen.add(number)
        for name in cells[number][1]:
            makers = [place for place, (made, _) in enumerate(cells) if name in made]
            before = [place for place in makers if place < number]
            waiting += before[-1:] or [place for place in makers if place > number][:1]
    return sorted(chosen)


def names(source):
    """(the names that a cell binds, the names that it takes from elsewhere).

    >>> made, taken = names("import math\\ny = [z + k for z in data]\\nd['a'] = y\\nn += 1")
    >>> sorted(made), sorted(taken)
    (['d', 'math', 'n', 'y'], ['d', 'data', 'k', 'n'])
    >>> sorted(names("for k in data:\\n    d[k], e[k] = f(k)")[0])
    ['d', 'e', 'k']
    >>> sorted(names("for i in data:\\n    total = i\\n    print(total)")[1])
    ['data', 'print']
    """
    made, taken = set(), set()
    for statement in ast.parse(source).body:
        used, bound = set(), set()
        _collect(symtable.symtable(ast.unparse(statement), "cell", "exec"), used, bound)
        # From Python 3.12 on, the variable of a comprehension is listed outside it, too.
        inner = _comprehension_variables(statement)
        used, bound = used - inner, bound - inner
        if isinstance(statement, ast.AugAssign):
            used |= bound
        if hasattr(statement, "body"):  # a loop's own names, and what stands in its body
            used -= bound
        for node in ast.walk(statement):  # d["a"] = 1 changes d, also in a loop or beside others
            if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
                while isinstance(node, ast.Subscript | ast.Attribute):
                    node = node.value
                if isinstance(node, ast.Name):
                    bound.add(node.id)
        taken |= used - made
        made |= bound
    return made, taken


def _comprehension_variables(statement):
    """The names that comprehensions of a statement bind, and nothing else in it does."""
    targets = [part.target for part in ast.walk(statement) if isinstance(part, ast.comprehension)]
    inside = [node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    outside = {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in inside
    }
    return {node.id for node in inside} - outside


def _collect(table, used, bound):
    outermost = table.get_type() == "module"
    for symbol in table.get_symbols():
        if outermost and (symbol.is_assigned() or symbol.is_imported()):
            bound.add(symbol.get_name())
        if symbol.is_referenced() and (outermost or symbol.is_global()):
            used.add(symbol.get_name())
    for child in table.get_children():
        _collect(child, used, bound)
