"""The shell reader: parse, evaluate, and take a second opinion."""

from checkrail.context import Surroundings
from checkrail.model import HOLE, Action, Decision, Effect, Payload, Reading, Span, Target, TargetKind, Unread
from checkrail.readers import rights
from checkrail.readers.shell import traps
from checkrail.readers.shell.evaluate import Evaluator
from checkrail.readers.shell.grammar import parser
from checkrail.readers.shell.grammar.tree import Parse
from checkrail.readers.shell.invoke import command
from checkrail.readers.shell.state import VARIABLE, Field, State, Value

TEXT_CAP = 1_000_000
"""Characters of a program that are read at all."""


def read(payload: Payload, around: Surroundings) -> Reading:
    """What a shell program would do."""
    if len(payload.text) > TEXT_CAP:
        return Reading(unread=(Unread(what=f"a shell text of over {TEXT_CAP} characters", via=payload.via),))
    text = _plain_newlines(payload.text)
    parse = parser.parse(text)
    run = Evaluator(payload, around, _state(payload, around))
    run.text = text
    output = run.script(parse.script)
    traps.at_end(run)
    for node in parse.unsupported:
        run.unread(node.what, node.span)
    if not payload.depth:
        _printed(output, run)
    second_opinion(text, parse, run)
    found = run.found
    effects = tuple(dict.fromkeys(found.effects)) if payload.depth == 0 else tuple(found.effects)
    if payload.depth:
        span = payload.span
        effects = tuple(_moved(effect, span) for effect in effects)
    return Reading(
        effects=effects,
        payloads=tuple(dict.fromkeys(found.payloads)),
        unread=tuple(dict.fromkeys(found.unread)),
        opaque=tuple(found.opaque),
        commands=tuple(found.commands),
        scripts=tuple(found.scripts),
        texts=tuple(found.texts),
    )


def _plain_newlines(text: str) -> str:
    """Hosts on Windows send CRLF; bash there takes it as a newline, bash here keeps the CR in the word. Judge it as a newline
    only where every line ends so."""
    return text.replace("\r\n", " \n") if "\r\n" in text and text.count("\r\n") == text.count("\n") else text


def _state(payload: Payload, around: Surroundings) -> State:
    state = State(payload.cwd, host=payload.host)
    state.variables["IFS"] = (Value(" \t\n"),)
    if not payload.host:
        state.variables["HOME"] = (Value(around.home),)
        folder = around.host.variable("TMPDIR")
        if folder:
            state.variables["TMPDIR"] = (Value(folder),)
    else:
        state.variables["HOME"] = (Value("~"),)
    for name, value in payload.variables:
        state.variables[name] = (Value(value),)
    options = dict(payload.options)
    state.privileged = rights.OPTION in options
    arguments = options.get("arguments")
    if arguments:
        state.arguments = tuple(Field(text, payload.span) for text in arguments.split("\0"))
    return state


def _printed(output: Value, run: Evaluator) -> None:
    """What reaches the transcript: the whole environment or the whole history is full of secrets."""
    for tag, what in (("environment", "the whole environment"), ("history", "the shell history")):
        if tag in output.tags:
            _shows(run, tag, f"prints {what}, secrets included, into the agent's transcript")
    for name in sorted(tag.removeprefix(VARIABLE) for tag in output.tags if tag.startswith(VARIABLE)):
        _shows(run, "secret", f"prints the value of {name} into the agent's transcript")


def _shows(run: Evaluator, what: str, reason: str) -> None:
    run.effect(
        Effect(
            action=Action.READ,
            target=Target(TargetKind.SECRET, what),
            rule=f"shell.prints-{what}",
            decision=Decision.ASK,
            reason=reason,
            safer="ask for the one variable you need, by name; of a secret, only whether it is set",
        )
    )


def second_opinion(text: str, parse: Parse, run: Evaluator) -> None:
    """Judge the commands that only the second parser sees."""
    from checkrail.readers.shell import second

    for words in second.differences(text, parse):
        fields = tuple(Field(word) for word in words if word) or (Field(HOLE),)
        command(fields, {}, run, Span())


def _moved(effect: Effect, span: Span) -> Effect:
    from msgspec.structs import replace

    return replace(effect, span=span)
