"""The one recogniser of calls that move money, over what a call was read to be: tools, command lines, requests.

A call that moves money always becomes a :class:`Move`; what it moves is read only where that is beyond doubt.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from posixpath import normpath
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from checkrail.knowledge import spend as knowledge
from checkrail.knowledge.spend import CommandRow, RequestRow, Row, Unit
from checkrail.model import Action, Effect, Event, Operation, Payload, Reading, TargetKind
from checkrail.operations.names import words
from checkrail.session.spend.fields import Field, Unclear, of_arguments, of_form, of_text, of_words
from checkrail.session.spend.lines import Line, lines
from checkrail.session.spend.price import Price, price, recurring

_READS = frozenset({"mcp.read", "mcp.compute", "mcp.local", "mcp.carried", "mcp.secret"})
_SHAPED = frozenset({"mcp.send", "mcp.merge", "mcp.execute", "mcp.unknown", "mcp.create", "mcp.update", "mcp.publish"})
_HELP = ("--help", "-h", "help", "--dry-run", "--dryrun")


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """One move of money. ``rules`` and ``target`` name the findings that say no more than that money moves.

    ``doubt`` says why the price cannot be read. ``sure``: where the call fails, nothing was moved.
    """

    what: str
    target: str
    rules: frozenset[str]
    price: Price | None = None
    doubt: str = ""
    recurring: bool = False
    sure: bool = False


def moves(event: Event, operation: Operation, reading: Reading) -> tuple[Move, ...]:
    """Every move of money in a call."""
    return (*_by_tool(event, reading), *_by_command(operation, reading), *_by_request(event, operation, reading))


def _written(effect: Effect) -> bool:
    """Text that is only written into a file moves nothing yet."""
    return any(step.startswith("written to ") for step in effect.via)


# Tools ---------------------------------------------------------------------------------------------------------------


def _by_tool(event: Event, reading: Reading) -> Iterator[Move]:
    calls = [effect for effect in reading.effects if effect.target.kind is TargetKind.TOOL and not _written(effect)]
    verbs = [effect for effect in calls if effect.decision is None and effect.rule.startswith("mcp.")]
    for effect in verbs:
        if effect.rule not in _READS and (move := _tool(event, effect)) is not None:
            yield move


def _tool(event: Event, effect: Effect) -> Move | None:
    said = words(effect.target.value)
    try:
        fields, doubt = tuple(of_arguments(event.input)), ""
    except Unclear as unclear:
        fields, doubt = (), str(unclear)
    known = knowledge.spend()
    row = next(
        (row for row in known.tools if row.words and all(not group.isdisjoint(said) for group in row.words)), None
    )
    pays = effect.rule == "mcp.pay" and known.demanding.words.isdisjoint(words(effect.target.value.rpartition("/")[2]))
    if row is None and not pays and not _shaped(effect, fields):
        return None
    lasting = (row is not None and row.recurring) or recurring(fields) or not known.recurring.words.isdisjoint(said)
    unit: Unit = next((entry.unit for entry in known.providers if not entry.words.isdisjoint(said)), "major")
    told, unclear_why = _priced(fields, unit, row.currency if row else "")
    return Move(
        what=effect.target.value,
        target=effect.target.value,
        rules=frozenset((effect.rule,)),
        price=None if doubt else told,
        doubt=doubt or unclear_why,
        recurring=lasting,
        sure=True,
    )


def _shaped(effect: Effect, fields: Sequence[Field]) -> bool:
    """Whether the arguments alone say it: an amount, its currency and who pays or is paid; or the budget of a campaign."""
    known = knowledge.spend().fields
    keys = {field.key for field in fields if field.value not in (None, "")}
    names = {step for field in fields for step in field.way}
    if effect.rule not in _SHAPED:
        return False
    paid = not (known.major | known.minor | known.micros).isdisjoint(names) and not known.payee.isdisjoint(names)
    return (paid and not known.currency.isdisjoint(keys)) or not known.budgets.isdisjoint(keys)


def _priced(fields: Sequence[Field], unit: Unit, currency: str) -> tuple[Price | None, str]:
    try:
        return price(fields, unit=unit, currency=currency), ""
    except Unclear as unclear:
        return None, str(unclear)


# Commands ------------------------------------------------------------------------------------------------------------


def _row_of(said: Sequence[str]) -> CommandRow | None:
    """The row that takes a command line for a move of money."""
    rows = knowledge.programs().get(said[0].rpartition("/")[2], ()) if said else ()
    return next((row for row in rows if _follows(said, row.words)), None)


def _follows(said: Sequence[str], groups: Sequence[Sequence[str]]) -> bool:
    """Whether words of the line meet the groups in order."""
    left = list(groups)
    for word in said[1:]:
        if left and word[:1] != "-" and any(fnmatchcase(word, glob) for glob in left[0]):
            left.pop(0)
    return not left


def _harmless(said: Sequence[str]) -> bool:
    """Whether the line asks for help or a dry run; a word behind a bare option may be that option's value."""
    return any(
        word in _HELP and (before[:1] != "-" or "=" in before)
        for before, word in pairwise(said)
        if word[:1] == "-" or said[-1] == word
    )


def _by_command(operation: Operation, reading: Reading) -> Iterator[Move]:
    told = [line for line in reading.commands if _row_of(line.split())]
    if not told:
        return
    plain, doubt = _counted(operation, reading)
    asks_help = {" ".join(line.words) for line in plain if _harmless(line.words) and not line.loose}
    plain = tuple(line for line in plain if not _harmless(line.words) or line.loose)
    told = [line for line in told if line not in asks_help or line in {" ".join(other.words) for other in plain}]
    if not told:
        return
    spending = [(line, row) for line in plain if (row := _row_of(line.words)) is not None]
    if not doubt and {" ".join(line.words) for line, _ in spending} != set(told):
        doubt = "nobody can tell how often the command runs, or with what"
    if not doubt and _hidden(plain, [line for line, _ in spending]):
        doubt = "another command may run it once more"
    if doubt:
        rows = [(line, _row_of(line.split())) for line in told]
        yield from (_command(line, row, reading, doubt=doubt) for line, row in rows if row)
        return
    for line, row in spending:
        yield _command(" ".join(line.words), row, reading, words=line, sure=len(plain) == 1)


def _command(
    line: str, row: Row, reading: Reading, *, words: Line | None = None, doubt: str = "", sure: bool = False
) -> Move:
    fields: tuple[Field, ...] = ()
    if words is not None:
        try:
            fields = tuple(of_words(words.words))
            doubt = "an unquoted value may be more than one word" if words.loose else ""
        except Unclear as unclear:
            doubt = str(unclear)
    told, why = _priced(fields, row.unit, row.currency)
    return Move(
        what=" ".join(line.split()[:4]),
        target=line,
        rules=frozenset(effect.rule for effect in reading.effects if effect.target.value == line),
        price=None if doubt else told,
        doubt=doubt or why,
        recurring=row.recurring or recurring(fields),
        sure=sure,
    )


def _counted(operation: Operation, reading: Reading) -> tuple[tuple[Line, ...], str]:
    """The commands of the call's own shell text, each of which runs at most once; or why nobody can tell."""
    texts = [payload for payload in reading.payloads if payload.language != "url"]
    if len(texts) != 1 or texts[0].language != "shell" or texts[0] not in operation.payloads or reading.texts:
        return (), "it runs inside another text, so nobody can tell how often"
    found = lines(texts[0].text)
    return (found, "") if found is not None else ((), "nobody can tell how often it runs")


def _hidden(plain: Sequence[Line], spending: Sequence[Line]) -> bool:
    """Whether a command beside the spending ones names such a program, or holds words that are not known."""
    programs = knowledge.programs()
    beside = [line for line in plain if line not in spending]
    return any(line.loose or any(word.rpartition("/")[2] in programs for word in line.words) for line in beside)


# Requests ------------------------------------------------------------------------------------------------------------

_CLIENTS = frozenset({"curl", "http", "https", "xh", "xhs", "wget"})
_REPEATING = ("--retry", "--parallel", "--next", "--config", "--tries", "--input-file", "--post-file", "--body-file")
_OPTION = re.compile(r"--[\w-]+=|-[A-Za-z]+")
_REPEATING_LETTERS = frozenset("ZK:ti")
"""Options of clients that repeat a request, send another, or take more from a file."""


def _split(address: str) -> SplitResult:
    """The parts of an address; none of one that is no address at all, such as ``[``."""
    try:
        parts = urlsplit(address)
        parts.hostname  # noqa: B018  # where brackets are looked at
        return parts
    except ValueError:
        return SplitResult("", "", "", "", "")


def _request_row(effect: Effect) -> RequestRow | None:
    parts = _split(effect.target.value)
    host = (effect.target.host or parts.hostname or "").lower().rstrip(".")
    rows = [row for row in knowledge.spend().requests if any(fnmatchcase(host, glob) for glob in row.hosts)]
    if not rows:
        return None
    path = normpath("/" + unquote(parts.path).lower().lstrip("/"))
    query = unquote(parts.query).lower()
    return next((row for row in rows if _requested(row, path, query, sends=effect.action is Action.SEND)), None)


def _requested(row: RequestRow, path: str, query: str, *, sends: bool) -> bool:
    if not any(fnmatchcase(path, glob) for glob in row.paths):
        return False
    return any(fnmatchcase(query, glob) for glob in row.query) if row.query else sends


def _by_request(event: Event, operation: Operation, reading: Reading) -> Iterator[Move]:
    urls = [
        effect
        for effect in reading.effects
        if effect.target.kind is TargetKind.URL
        and effect.action in (Action.SEND, Action.RECEIVE)
        and not _written(effect)
    ]
    found = [(effect, row) for effect in urls if (row := _request_row(effect)) is not None]
    if not found:
        return
    doubt = _repeated(event, operation, reading, [effect for effect, _ in found])
    for effect, row in found:
        fields, unclear = _of_request(event, effect, reading)
        told, why = _priced(fields, row.unit, row.currency)
        yield Move(
            what=effect.target.value.partition("?")[0],
            target=effect.target.value,
            rules=frozenset(("fetch.send",)),
            price=None if doubt or unclear else told,
            doubt=doubt or unclear or why,
            recurring=row.recurring or recurring(fields),
        )


def _of_request(event: Event, effect: Effect, reading: Reading) -> tuple[tuple[Field, ...], str]:
    """The fields of query and body, of a tool's call those of all its arguments."""
    try:
        query = tuple(of_form(_split(effect.target.value).query))
        if not _of_shell(reading):
            return (*query, *of_arguments(event.input)), ""
        bodies = {dict(payload.options).get("body", "") for payload in _payloads(effect, reading)}
        return (*query, *(field for body in sorted(bodies) for field in of_text(body))), ""
    except Unclear as unclear:
        return (), str(unclear)


def _of_shell(reading: Reading) -> bool:
    return any(payload.language == "shell" for payload in reading.payloads)


def _payloads(effect: Effect, reading: Reading) -> list[Payload]:
    return [payload for payload in reading.payloads if payload.language == "url" and payload.span == effect.span]


def _repeated(event: Event, operation: Operation, reading: Reading, found: Sequence[Effect]) -> str:
    """Why nobody can tell how often the requests are made; empty where each is made just once."""
    hosts = {_split(effect.target.value).hostname or "" for effect in found}
    if not _of_shell(reading):
        others = [payload for payload in reading.payloads if payload.language != "url"]
        texts = [str(field.value) for field in of_arguments(event.input) if isinstance(field.value, str)]
        named = sum(text.lower().count(host) for text in texts for host in hosts)
        return "nobody can tell how often the request is made" if others or named != len(found) else ""
    plain, doubt = _counted(operation, reading)
    if doubt:
        return doubt
    asking = [line for line in plain if any(host in word.lower() for word in line.words for host in hosts)]
    named = sum(word.lower().count(host) for line in asking for word in line.words for host in hosts)
    odd = any(line.loose or line.words[0].rpartition("/")[2] not in _CLIENTS for line in asking)
    again = any(_repeats(word, hosts) or _from_file(word) for line in asking for word in line.words)
    unknown = any(line.loose for line in plain)
    return "nobody can tell how often the request is made" if odd or again or unknown or named != len(found) else ""


def _repeats(word: str, hosts: set[str]) -> bool:
    """Whether an option repeats the request, or curl makes several addresses of one."""
    letters = word[1:] if word[:1] == "-" and word[:2] != "--" else ""
    several = any(host in word.lower() for host in hosts) and not frozenset("[]{}").isdisjoint(word)
    return several or word.startswith(_REPEATING) or not _REPEATING_LETTERS.isdisjoint(letters)


def _from_file(word: str) -> bool:
    """Whether a word takes data from a file: ``@f``, ``-d@f``, ``name=@f``, ``name=<f``, ``name@f``."""
    value = _OPTION.sub("", word, count=1)
    name, found, _ = value.partition("@")
    bare = bool(found) and word[:1] != "-" and re.fullmatch(r"\w*", name) is not None
    return value[:1] in ("@", "<") or "=@" in word or "=<" in word or bare
