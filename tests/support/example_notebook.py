"""A small notebook that keeps every rule, to be broken on purpose by the tests of the rules."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from store_outputs import normalise

HEADER = """# 02 · Example

**You will be able to**

- read this notebook
- break it
- see it complain

**Reading and exercises:** about 5 minutes  
**Running:** about 1.7 minutes on two CPU cores, at most 1.6 GB of memory  
**Stopping points:** [after 2B](#2B-One-half), [after 2C](#2C-The-other-half)  
**Prerequisites:** none  
**Neighbours:** 01 Before (planned) · 03 After (planned)
"""
ENDING = """## Paper and code

They agree.

## Recap

1. One.
2. Two.
3. Three.
4. Four.
5. Five.

## References

- Vaswani et al. 2017, [Attention is all you need](https://arxiv.org/abs/1706.03762)
"""


def _cells():
    yield new_markdown_cell(HEADER)
    yield new_code_cell("import math\n\nSEED = 0")
    yield new_markdown_cell("## 2A What is a half?")
    yield new_markdown_cell("## Recall\n\nThree questions.")
    yield new_code_cell("def recall(name, answer):\n    return None")
    yield new_code_cell("\n".join(f'recall("R2.{number}", None)' for number in (1, 2, 3)))
    yield new_markdown_cell("## 2B One half")
    yield new_code_cell("print(6 * 7)", outputs=[_stream("42\n")])
    yield new_markdown_cell("## 2C The other half")
    yield new_code_cell("def check(name, answer):\n    return None")
    for number in range(1, 8):
        yield new_markdown_cell(f"### Exercise 2.{number} · easy · Say {number}")
        yield new_code_cell(f'check("2.{number}", {number})')
    yield new_markdown_cell(ENDING)


def _stream(text):
    return new_output("stream", name="stdout", text=text)


def example():
    """The notebook, as nbformat has it."""
    book = normalise(new_notebook(cells=list(_cells())))
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        cell.execution_count = number
    return book


def write(book, folder, name="02_example.ipynb"):
    """Write `book` into `folder` and return the file's path."""
    path = folder / name
    nbformat.write(book, path)
    return path
