"""Source text that a Python program runs itself: read in place, with the variables it would see."""

import ast
import re
import warnings
from typing import Any

from checkrail.readers.locate import known
from checkrail.readers.python import effects
from checkrail.readers.python.state import Run, nodes, quoted
from checkrail.readers.python.values import UNKNOWN, Made, Name, PathValue, Unknown, each, owner

TEXT_LIMIT = 400_000
"""Characters of source read at once."""
NODE_LIMIT = 60_000
"""Nodes of a tree followed at once."""


class Unparsed(Exception):
    """Source that this reader cannot parse; the text says why."""


def parse(text: str) -> ast.Module:
    """The tree of a source text. Raises :class:`Unparsed` where it is too large, too deep or not Python 3."""
    if len(text) > TEXT_LIMIT:
        raise Unparsed("Python source that is too large to read")
    try:
        with warnings.catch_warnings():  # what a program is warned of would be said to our own stderr
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        raise Unparsed(f"Python source that does not parse ({error.msg})") from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Unparsed("Python source that does not parse") from error
    if nodes(tree, NODE_LIMIT) > NODE_LIMIT:
        raise Unparsed("Python source that is too large to follow")
    return tree


RISKY = re.compile(
    r"\b(?:os|posix|subprocess|shutil|pathlib|Path|open|file|exec\w*|eval|compile|getattr|setattr|globals|locals|vars|import_module|importlib|"
    r"socket\w*|urllib\w*|requests|https?|httpx|aiohttp|ctypes|pty|commands|popen\w*|write\w*|unlink|remove\w*|rmtree|rename|system|sqlite3|"
    r"pickle|marshal|environ|codecs|base64|io|runpy|code|builtins|__\w+__)\b|^\s*[!%]",
    re.MULTILINE,
)
"""Without one of these words a program can do nothing, whatever its grammar."""


def run_code(run: Run, value: Any, scope: int, name: str) -> Any:
    """Follow source or a code object that the program runs; the value of its last expression."""
    result: Any = UNKNOWN
    for option in map(owner, each(value)):
        if isinstance(option, Made) and option.kind == "code":
            option = option.fact("text", UNKNOWN)
        if isinstance(option, bytes):
            option = option.decode("utf-8", "replace")
        if isinstance(option, str) and known(option):
            result = _in_place(run, option, scope)
        elif isinstance(option, Unknown) and option.origin == "file" and option.source:
            run.nested("shell", quoted(["python3", option.source]), name)
        elif isinstance(option, (Unknown, str, PathValue, Made, Name)):
            if isinstance(option, Unknown) and option.origin == "remote":
                effects.remote_execute(run)
            run.note("Python code that is put together while it runs")
    return result


def _in_place(run: Run, text: str, scope: int) -> Any:
    run.depth += 6
    try:
        tree = parse(text.strip())
        run.trees.append(tree)
        run.tick(20)
        if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            return run.evaluate(run, tree.body[0].value, scope)
        run.block(run, tree.body, scope)
    except Unparsed as error:
        run.note(str(error))
    finally:
        run.depth -= 6
    return UNKNOWN
