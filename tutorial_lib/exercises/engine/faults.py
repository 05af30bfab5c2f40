"""Read a learner's exception: an open stub, a misspelt forward, or an error with its line."""

import difflib
import functools
import inspect
import linecache
import sysconfig
import traceback
import types
from pathlib import Path

PACKAGE = str(Path(__file__).resolve().parents[2])
STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


def is_open_stub(error, answer):
    """Tell whether `error` is the untouched `raise NotImplementedError` of `answer` itself.

    torch raises NotImplementedError too (with a message), and so do other open stubs that the
    answer calls: neither counts.
    """
    if type(error) is not NotImplementedError or error.args:
        return False
    frames = list(traceback.walk_tb(error.__traceback__))
    return bool(frames) and frames[-1][0].f_code in codes(answer)


def explain(error, answer, task):
    """Put a learner's exception into one sentence, with the line of their code."""
    kind = type(error).__name__
    frames = list(traceback.walk_tb(error.__traceback__))
    if isinstance(error, NotImplementedError):
        if "forward" in str(error) and frames and "self" in frames[-1][0].f_locals:
            return _missing_forward(type(frames[-1][0].f_locals["self"]))
        if not error.args and frames:
            stub = frames[-1][0].f_code.co_qualname.replace("<locals>.", "")
            return f"it calls {stub}, which is still an open stub: write that one first"
    text = (str(error).strip().splitlines() or ["no message"])[0][:200]
    own = [(frame.f_code.co_filename, line) for frame, line in frames if _is_learners(frame)]
    if not own:
        text = f"{kind}: {text}"
        if isinstance(error, TypeError):
            text += f". check calls it like {task.name}{inspect.signature(task.solution)}"
        return text
    filename, line = own[-1]
    linecache.checkcache(filename)  # a file edited since is read again
    code = linecache.getline(filename, line).strip()
    return f"{kind} in line {line} of your code" + (f", `{code}`" if code else "") + f": {text}"


def codes(answer):
    """Collect the code objects of a function, of a class's methods, or of a callable object."""
    if isinstance(answer, functools.partial):
        return codes(answer.func)
    if isinstance(answer, types.MethodType):
        return codes(answer.__func__)
    if isinstance(answer, types.FunctionType):
        return _nested(inspect.unwrap(answer).__code__)
    if isinstance(answer, types.BuiltinFunctionType):
        return set()
    owner = answer if isinstance(answer, type) else type(answer)
    members = [getattr(member, "__func__", member) for member in vars(owner).values()]
    return set().union(*(codes(member) for member in members if inspect.isfunction(member)))


def _nested(code):
    inner = [_nested(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return {code}.union(*inner)


def _missing_forward(owner):
    own = [name for name in vars(owner) if inspect.isfunction(vars(owner)[name])]
    near = difflib.get_close_matches("forward", own, n=1, cutoff=0.6)
    hint = f": is `{near[0]}` misspelt?" if near else ""
    return f"class {owner.__name__} has no method `forward`{hint}"


def _is_learners(frame):
    filename = frame.f_code.co_filename
    foreign = (PACKAGE, STANDARD_LIBRARY, "<frozen", "<string>", "<__array")
    return not filename.startswith(foreign) and "site-packages" not in filename
