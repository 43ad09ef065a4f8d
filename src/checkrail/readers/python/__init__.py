"""Reads Python: what a program would delete, write, read, start, send and run, followed without running it.

The program is followed once, branch by branch, with the values that reading can know. A value that it cannot know
is a HOLE; source that is put together while the program runs, and constructs by which a program reaches what reading
cannot follow, are unread. Functions that nobody calls are followed as if called with anything.
"""

from checkrail.context import Surroundings
from checkrail.model import Payload, Reading, Unread
from checkrail.readers.python.arguments import Arguments
from checkrail.readers.python.calls import call_function, escape
from checkrail.readers.python.code import RISKY, TEXT_LIMIT, Unparsed, parse
from checkrail.readers.python.expressions import evaluate
from checkrail.readers.python.state import Exhausted, Run
from checkrail.readers.python.statements import block


def read(payload: Payload, around: Surroundings) -> Reading:
    """What a Python program would do."""
    try:
        tree = parse(payload.text)
    except Unparsed as error:
        if len(payload.text) < TEXT_LIMIT and not RISKY.search(payload.text):
            return Reading(opaque=(str(error),))
        return Reading(unread=(Unread(what=str(error), span=payload.span, via=payload.via),))
    run = Run(payload, around, evaluate, block)
    try:
        block(run, tree.body, 0)
        _uncalled(run)
    except (Exhausted, RecursionError):
        _unfollowed(run)
    return Reading(
        effects=tuple(run.effects), payloads=tuple(run.payloads), unread=run.unreads(), opaque=tuple(run.opaque)
    )


def _unfollowed(run: Run) -> None:
    """A file of the project that is too large runs local code; an inline program of that size hides something."""
    what = "Python code that is too large or too deep to follow"
    if "file" in dict(run.payload.options):
        run.opaque[what] = None
    else:
        run.note(what)


def _uncalled(run: Run) -> None:
    while run.pending:
        function = run.pending.pop()
        if id(function.node) not in run.inlined:
            escape(run, call_function(run, function, Arguments(open=True)))
