"""Takes an argument list apart as the command itself would, by what its entry says of its options."""

import msgspec

from checkrail.knowledge.schema import Entry
from checkrail.readers.shell.state import Field

INERT = "text"


class Given(msgspec.Struct, frozen=True, gc=False):
    """One option as given: its full name, its value (None for a flag) and the value's role."""

    name: str
    value: Field | None = None
    role: str = INERT


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """Options in order, operands in order, and the options that the entry does not know."""

    options: tuple[Given, ...] = ()
    operands: tuple[Field, ...] = ()
    strange: tuple[str, ...] = ()

    def has(self, names: tuple[str, ...]) -> bool:
        """Whether any of the options is given."""
        return any(option.name in names for option in self.options)

    def value(self, *names: str) -> Field | None:
        """The value of the last of these options that was given."""
        for option in reversed(self.options):
            if option.name in names and option.value is not None:
                return option.value
        return None


_FLAG, _VALUE, _ATTACHED = "flag", "value", "attached"
_Table = tuple[dict[str, tuple[str, str]], tuple[str, ...]]
_tables: dict[tuple[int, int], tuple[Entry, Entry | None, _Table]] = {}


def _table(entry: Entry, above: Entry | None) -> _Table:
    """Option name -> (kind, role), and the long names. Entries live as long as the knowledge, so ids are keys enough."""
    held = _tables.get((id(entry), id(above)))
    if held is not None and held[0] is entry and held[1] is above:
        return held[2]
    table: dict[str, tuple[str, str]] = dict(_table(above, None)[0]) if above is not None else {}
    for name in (*entry.flags, *entry.recursive, *entry.dry):
        table[name] = (_FLAG, INERT)
    for rule in entry.rule:
        for condition in (*rule.any, *rule.all, *rule.none):
            if "=" not in condition:
                table.setdefault(condition, (_FLAG, INERT))
    for name in entry.values:
        table[name] = (_VALUE, INERT)
    for name in entry.attached:
        table[name] = (_ATTACHED, INERT)
    for option in entry.option:
        for name in option.names:
            table[name] = (_ATTACHED if option.optional else _VALUE, option.role)
    for name in ("--help", "--version"):
        table.setdefault(name, (_FLAG, INERT))
    made = (table, tuple(sorted(name for name in table if name.startswith("--"))))
    _tables[(id(entry), id(above))] = (entry, above, made)
    return made


def parse(entry: Entry, arguments: tuple[Field, ...], above: Entry | None = None) -> Parsed:
    """Options and operands of ``arguments`` (the command word is not among them); ``above`` is the parent command."""
    table, longs = _table(entry, above)
    stop = entry.stop or bool(entry.sub)
    options: list[Given] = []
    operands: list[Field] = []
    strange: list[str] = []
    position, count = 0, len(arguments)
    while position < count:
        field = arguments[position]
        text = field.text
        position += 1
        if len(text) < 2 or text[0] != "-":
            operands.append(field)
            if stop:
                operands.extend(arguments[position:])
                break
            continue
        if text == "--":
            operands.extend(arguments[position:])
            break
        if text[1] == "-" or (entry.single and not text[1:2].isdigit()):
            name, equals, attached = text.partition("=")
            name, kind, role = _long(name, table, longs, exact=entry.exact)
            if kind is None and entry.single and text[1] != "-":
                position = _bundle(field, table, options, strange, arguments, position)
                continue
            if kind is None:
                strange.append(name)
                options.append(Given(name, field.tail(len(text) - len(attached)) if equals else None))
            elif equals:
                options.append(Given(name, field.tail(len(text) - len(attached)), role))
            elif kind == _VALUE and position < count:
                options.append(Given(name, arguments[position], role))
                position += 1
            else:
                options.append(Given(name))
            continue
        position = _bundle(field, table, options, strange, arguments, position)
    return Parsed(tuple(options), tuple(operands), tuple(strange))


def _long(
    name: str, table: dict[str, tuple[str, str]], longs: tuple[str, ...], *, exact: bool
) -> tuple[str, str | None, str]:
    found = table.get(name)
    if found is None and not exact and len(name) > 2:
        # Several candidates: real parsers refuse, unless all mean the same; one whose value matters is the stricter guess.
        candidates = sorted((long for long in longs if long.startswith(name)), key=lambda long: table[long][1] == INERT)
        if candidates:
            return candidates[0], *table[candidates[0]]
    return (name, None, INERT) if found is None else (name, *found)


def _bundle(
    field: Field,
    table: dict[str, tuple[str, str]],
    options: list[Given],
    strange: list[str],
    arguments: tuple[Field, ...],
    position: int,
) -> int:
    text = field.text
    index = 1
    while index < len(text):
        name = "-" + text[index]
        kind, role = table.get(name, (None, INERT))
        rest = index + 1
        if kind is None:
            strange.append(name)
            options.append(Given(name))
        elif kind == _FLAG:
            options.append(Given(name))
        elif rest < len(text):
            start = rest + 1 if text[rest] == "=" and kind == _ATTACHED else rest
            options.append(Given(name, field.tail(start), role))
            return position
        elif kind == _VALUE and position < len(arguments):
            options.append(Given(name, arguments[position], role))
            return position + 1
        else:
            options.append(Given(name))
        index = rest
    return position
