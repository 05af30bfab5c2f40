"""Read a learner's exception: an open stub, a misspelt forward, or an error with its line."""

import difflib
import functools
import inspect
import linecache
import os
import sysconfig
import traceback
import types

from tutorial_lib.exercises.engine.guard import TookTooLong

PACKAGE = os.path.realpath(os.path.join(__file__, *[os.pardir] * 3))
STANDARD_LIBRARY = os.path.realpath(sysconfig.get_paths()["stdlib"])


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
    text = said(error)
    own = [(frame.f_code.co_filename, line) for frame, line in frames if _is_learners(frame)]
    if isinstance(error, SystemExit):
        text = "it ends Python; a function ends with return, or by an error"
    if not own and isinstance(error, TookTooLong):
        return text
    if not own and "'NoneType' object is not" in text:
        return "it returned None: is a `return` missing?"
    if not own:
        text = f"{kind}: {text}"
        if isinstance(error, TypeError):
            text += f". check calls it like {task.name}{inspect.signature(task.solution)}"
        return text
    filename, line = own[-1]
    linecache.checkcache(filename)  # a file edited since is read again
    code = linecache.getline(filename, line).strip()
    where = f"in line {line} of your code" + (f", `{code}`" if code else "")
    if isinstance(error, TookTooLong):
        return f"{text}, and was {where}. Is there a loop without an end?"
    return f"{kind} {where}: {text}"


def said(error):
    """Return the first line of an error's message."""
    try:
        return (str(error).strip().splitlines() or ["no message"])[0][:200]
    except Exception:  # an error that cannot say what it is
        return "no message"


def codes(answer):
    """Collect the code objects of a function, of a class's methods, or of a callable object."""
    if isinstance(answer, functools.partial):
        return codes(answer.func)
    if isinstance(answer, types.MethodType):
        return codes(answer.__func__)
    if isinstance(answer, types.FunctionType):
        try:
            return _nested(inspect.unwrap(answer).__code__)
        except (ValueError, AttributeError):  # it wraps itself, or something without code
            return _nested(answer.__code__)
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
    if filename.startswith(("<frozen", "<string>", "<__array")):
        return False
    real = os.path.realpath(filename)  # the package may be imported through a link
    foreign = real.startswith((PACKAGE + os.sep, STANDARD_LIBRARY + os.sep))
    return not foreign and "site-packages" not in real
