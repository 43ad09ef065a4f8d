"""Libraries that stand for programs (``sh.rm("-rf", x)``, ``plumbum.cmd.rm``, ``pip.main``), for processes, and for templates."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from checkrail.knowledge import processes
from checkrail.model import Action, TargetKind
from checkrail.readers.python import effects
from checkrail.readers.python.arguments import Arguments
from checkrail.readers.python.state import Run, quoted
from checkrail.readers.python.values import UNKNOWN, Made, Table, text_of, texts

_HOLDERS = ("sh.", "plumbum.cmd.")
_NOT_PROGRAMS = frozenset(("Command", "ErrorReturnCode", "contrib", "pushd", "cd", "glob"))
ENDS = frozenset(("kill", "terminate", "send_signal", "suspend"))
"""What a process of ``psutil`` can be told so that it stops."""

_PICKED = re.compile(r"\.(?:name|cmdline|exe|info|cwd|ppid|connections|net_connections|children)\b|\.pid\s*==")
_QUOTED = re.compile(r"""[\"']([\w .-]{2,40})[\"']""")
_REACHES = re.compile(r"__\w+__|\blipsum\b|\bcycler\b|<%|\bimport\s")
"""What a template names when it leaves what it was given for Python itself."""


def named(name: str) -> Callable[..., Any] | None:
    """What calls a name that stands for a program; None for any other."""
    holder = next((one for one in _HOLDERS if name.startswith(one)), "")
    program = name[len(holder) :]
    if not holder or not program or "." in program or program in _NOT_PROGRAMS:
        return None
    return partial(_run, program.replace("_", "-"))


def _run(program: str, run: Run, arguments: Any, _scope: int) -> Any:
    values = [value for value in arguments.values if not isinstance(value, Table)]
    words = [program, *(text_of(value) for value in values)]
    effects.run_shell(run, program, quoted(words), Arguments())
    return UNKNOWN


def _pip(run: Run, arguments: Any, _scope: int) -> Any:
    for words in effects.words_of(run.content(arguments.get(0, "args", UNKNOWN))):
        effects.run_shell(run, "pip", quoted(["pip", *words]), Arguments())
    return UNKNOWN


def ended(run: Run, _arguments: Any) -> Any:
    """One of all processes is ended: free where the code picks it out by what it is, unless that is one others need."""
    source = run.payload.text
    name = next((name for name in _QUOTED.findall(source) if processes.vital(name)), "")
    if _PICKED.search(source) and not name:
        run.effect(Action.STOP, TargetKind.PROCESS, "a process", "python.kill")
        return UNKNOWN
    reason = (
        f"ends {name}, which the machine or others need" if name else "ends every process of the user or the machine"
    )
    run.effect(
        Action.STOP, TargetKind.PROCESS, name or "every process", "python.kill.all",
        axes=effects.VITAL, reason=reason, safer="name the one process",
    )  # fmt: skip
    return UNKNOWN


def _process(_run: Run, arguments: Any, _scope: int) -> Any:
    return Made("psutil.Process", (("pid", arguments.get(0, "pid", None)),))


def _end_process(run: Run, arguments: Any, _scope: int) -> Any:
    vital = arguments.get(0).fact("pid") == 1
    run.effect(
        Action.STOP, TargetKind.PROCESS, "1" if vital else "a process", "python.kill",
        axes=effects.VITAL if vital else None, reason="ends process 1, which the whole machine hangs on" if vital else "ends a process",
    )  # fmt: skip
    return UNKNOWN


def _template(run: Run, arguments: Any, _scope: int) -> Any:
    for text in (text for value in arguments.values for text in texts(value)):
        if _REACHES.search(text):
            run.note("a template that reaches into Python")
    return UNKNOWN


PROGRAMS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("pip.main", "pip._internal.main", "pip._internal.cli.main.main"), _pip),
    **dict.fromkeys((f"psutil.Process.{name}" for name in ENDS), _end_process),
    **dict.fromkeys(("jinja2.Template", "flask.render_template_string", "mako.template.Template"), _template),
    "psutil.Process": _process,
}
