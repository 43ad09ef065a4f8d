"""How interpreters take their arguments: code, module, script, and what is left for the program that runs."""

import msgspec

from checkrail.readers.shell.state import Field


class Syntax(msgspec.Struct, frozen=True):
    """How an interpreter takes its arguments. ``attached`` options may have a value in the same word only."""

    language: str
    code: tuple[str, ...] = ("-e",)
    values: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()  # options that may have digits attached
    module: str = ""
    edits: str = ""
    files: tuple[str, ...] = ()  # options that make the operands files to work on
    shows: tuple[str, ...] = ()  # options that only show or check, without running anything
    opens: tuple[str, ...] = ()  # options that serve or test: the standard input is not code
    ends: bool = True  # nothing after the code is an option
    whole: bool = False  # an option with one dash is one word, never a bundle of letters


PYTHON = Syntax(
    "python",
    ("-c",),
    ("-W", "-X", "--check-hash-based-pycs"),
    module="-m",
    shows=("-V", "--version", "-h", "--help", "-?"),
)
NODE = Syntax(
    "node",
    ("-e", "--eval", "-p", "--print"),
    (
        "-r",
        "--require",
        "--import",
        "--loader",
        "--experimental-loader",
        "-C",
        "--conditions",
        "--env-file",
        "--title",
        "--config",
        "--import-map",
        "--cert",
        "--location",
        "--lock",
        "--preload",
        "--tsconfig",
        "-P",
        "--project",
    ),
    shows=("-v", "--version", "-h", "--help", "--check", "-c"),
    opens=("--test", "--run", "--watch-path", "--completion-bash", "--v8-options"),
    ends=False,
)
PERL = Syntax(
    "perl",
    ("-e", "-E"),
    ("-I",),
    ("-M", "-m", "-x", "-F", "-i", "-D", "-C", "-V"),
    numbers=("-0", "-l"),
    edits="-i",
    files=("-n", "-p"),
    shows=("-v", "-V"),
    ends=False,
)
RUBY = Syntax(
    "ruby",
    ("-e",),
    ("-r", "-I", "-C", "-E"),
    ("-i", "-F", "-K", "-x"),
    numbers=("-0", "-W", "-T"),
    edits="-i",
    files=("-n", "-p"),
    shows=("-v", "--version", "-c", "-h", "--help"),
    ends=False,
)
PHP = Syntax(
    "php",
    ("-r", "--run", "-B", "-R", "-E"),
    ("-d", "-c", "-t", "-z", "-S", "--define"),
    shows=("-v", "--version", "-m", "-l", "--syntax-check", "--ini", "-h", "--help", "-i", "--info"),
    opens=("-S",),
)
OTHER = Syntax(
    "",
    ("-e", "-E", "--eval", "-c", "-x", "--expression", "--batch-string"),
    ("-l", "-L", "-r", "-pa", "-S", "--file", "-Sdeps", "-cp"),
    shows=("--version", "-v", "-version", "--help", "-h"),
    ends=False,
)
ERLANG = Syntax(
    "",
    ("-eval", "-s", "-run"),
    ("-pa", "-pz", "-sname", "-name", "-config", "-setcookie"),
    shows=("-version", "-man"),
    ends=False,
    whole=True,
)
SYNTAX = {"erl": ERLANG, "python": PYTHON, "node": NODE, "run": NODE, "perl": PERL, "ruby": RUBY, "php": PHP}


class Given(msgspec.Struct):
    """The arguments taken apart; ``script`` is the program's first operand, ``rest`` what is handed to it."""

    codes: list[Field] = []
    flags: list[str] = []
    module: Field | None = None
    script: Field | None = None
    rest: tuple[Field, ...] = ()


def taken(arguments: tuple[Field, ...], syntax: Syntax) -> Given:
    """Take an interpreter's arguments apart."""
    given, position = Given(), 0
    while position < len(arguments):
        field = arguments[position]
        text = field.text
        if text == "--" or text == "-" or text[:1] != "-":
            position += text == "--"
            if given.codes:
                break
            if position < len(arguments):
                given.script = arguments[position]
                position += 1
            break
        position += 1
        following = arguments[position] if position < len(arguments) else None
        used = (
            _long(field, following, given, syntax)
            if text.startswith("--") or text in syntax.values or syntax.whole
            else _short(field, following, given, syntax)
        )
        position += used
        if given.module is not None or (given.codes and syntax.ends):
            break
    given.rest = arguments[position:]
    return given


def _long(field: Field, following: Field | None, given: Given, syntax: Syntax) -> int:
    name, equals, _ = field.text.partition("=")
    given.flags.append(name)
    if name in syntax.code:
        value = field.tail(len(name) + 1) if equals else following
        if value is not None:
            given.codes.append(value)
    return 0 if equals or name not in (*syntax.code, *syntax.values) else 1


def _short(field: Field, following: Field | None, given: Given, syntax: Syntax) -> int:
    text = field.text
    skip = 0
    for index in range(1, len(text)):
        if skip:
            skip -= 1
            continue
        name = f"-{text[index]}"
        more = index + 1 < len(text)
        given.flags.append(name)
        if name == "-p" and more and syntax is NODE:
            continue
        if name in syntax.code or name == syntax.module:
            value = field.tail(index + 1) if more else following
            if value is not None and name == syntax.module:
                given.module = value
            elif value is not None:
                given.codes.append(value)
            return 0 if more else 1
        if name in syntax.values:
            return 0 if more else 1
        if name in syntax.numbers:
            rest = text[index + 1 :]
            skip = len(rest) - len(rest.lstrip("x0123456789"))
            continue
        if name in syntax.attached:
            return 0
    return 0
