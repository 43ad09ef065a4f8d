"""Package managers that run things: scripts of package.json, programs of packages, programs inside an environment."""

import shlex
from typing import TYPE_CHECKING

import msgspec

from checkrail.knowledge.commands import commands
from checkrail.readers.shell import effects, flow, unlisted
from checkrail.readers.shell.state import Field, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

LEVELS = 6
"""Folders up in which a package.json is looked for."""

_IMPLIED = frozenset(("test", "t", "tst", "start", "stop", "restart"))
_FULL = {"t": "test", "tst": "test"}
_PROGRAMS = {
    "typescript": "tsc",
    "@anthropic-ai/claude-code": "claude",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini",
    "@angular/cli": "ng",
    "@nestjs/cli": "nest",
    "@vue/cli": "vue",
    "@playwright/test": "playwright",
    "aws-cdk": "cdk",
    "firebase-tools": "firebase",
    "netlify-cli": "netlify",
    "create-react-app": "create-react-app",
}
"""Packages whose program has another name."""


def package_script(entry: "Entry", call: "Call", path: str) -> None:
    """``npm run x``, ``npm test``, ``yarn x``: a script of package.json, or a program of a package."""
    effects.apply(entry, msgspec.structs.replace(call.parsed, operands=()), call, path)
    unlisted.carried(call, shells=False)
    operands = call.parsed.operands
    sub = path.rpartition(".")[2] if "." in path else ""
    spoken = next((field.text for field in call.arguments if field.text in entry.names), sub)
    if spoken in _IMPLIED:
        name, rest = _FULL.get(spoken, spoken), operands
    elif operands:
        name, rest = operands[0].text, operands[1:]
    else:
        _hand_on_install(call)
        return
    rest = tuple(field for field in rest if field.text != "--")
    if call.name == "bun" and (name.endswith((".ts", ".js", ".tsx", ".jsx", ".mjs")) or name == "-"):
        call.script("node", operands[0])
    elif not _hand_on_script(name, rest, call) and not sub and operands:
        _program(operands, call)
    call.run.opaque(f"runs local code {call.name} {name[:40]}")


def yarn_workspace(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``yarn workspace name command``."""
    if len(call.parsed.operands) > 1:
        call.invoke((Field("yarn", call.span), *call.parsed.operands[1:]))


def _hand_on_script(name: str, rest: tuple[Field, ...], call: "Call") -> bool:
    """Hand on the project's package.json with the script's name; whether there is such a script."""
    text = _package_file(call)
    if f'"{name}"' not in text:
        return False
    options = (("script", name), ("arguments", " ".join(shlex.quote(field.text) for field in rest)))
    call.run.hand_on("package-script", text, call.span, f"{call.name} {name}", options=options)
    return True


def package_install(entry: "Entry", call: "Call", path: str) -> None:
    """``npm install``: the project's own scripts run too."""
    effects.apply(entry, call.parsed, call, path)
    if not call.parsed.has(("--ignore-scripts",)):
        _hand_on_install(call)


def _hand_on_install(call: "Call") -> None:
    text = _package_file(call)
    if 'install"' in text or 'prepare"' in text or 'prepublish"' in text:
        call.run.hand_on("package-script", text, call.span, f"{call.name} install", options=(("script", "install"),))


def _package_file(call: "Call") -> str:
    run = call.run
    folder = run.state.cwd[0]
    for _ in range(LEVELS):
        path = f"{folder.rstrip('/')}/package.json"
        held = run.state.files.get(path)
        if held is not None:
            return held.text
        content = run.around.host.read(path, flow.SCRIPT_CAP) if not run.state.host and folder.startswith("/") else None
        if content is not None:
            return content.decode("utf-8", "replace")
        if folder in ("/", run.around.workspace):
            break
        folder = folder.rpartition("/")[0] or "/"
    return ""


def npx(entry: "Entry", call: "Call", path: str) -> None:
    """``npx [options] package[@version] argument ...``."""
    parsed = call.parsed
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    operands = tuple(field for index, field in enumerate(parsed.operands) if index or field.text != "--")
    if call.name in ("ni",):
        return
    call.run.opaque(f"runs a package's program {operands[0].text[:60]}" if operands else f"{call.name} code")
    if len(operands) == 1 and " " in operands[0].text.strip():
        call.run.shell(operands[0].text, operands[0].span, call.name)
    elif operands:
        _program(operands, call)


def _program(operands: tuple[Field, ...], call: "Call") -> None:
    """Judge a package's program where its name is known."""
    text = operands[0].text
    package = text[: text.index("@", 1)] if "@" in text[1:] else text
    name = _PROGRAMS.get(package, package)
    if name not in commands() and "/" in name:
        name = name.rpartition("/")[2]
    if name in commands() and name != call.name:
        call.invoke((msgspec.structs.replace(operands[0], text=name), *operands[1:]))


def rimraf(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``rimraf path ...`` is ``rm -rf``."""
    for field in call.parsed.operands:
        effects.path("delete", field, call, path, recursive=True)


def runner(entry: "Entry", call: "Call", path: str) -> None:
    """``uv run``, ``poetry run``, ``bundle exec``, ``cross-env``: the rest is a command, a script or a module."""
    parsed = call.parsed
    effects.apply(entry, msgspec.structs.replace(parsed, operands=()), call, path)
    operands = parsed.operands
    while operands and operands[0].text == "--":
        operands = operands[1:]
    while operands and "=" in operands[0].text and operands[0].text.partition("=")[0].isidentifier():
        call.assign(operands[0])
        operands = operands[1:]
    while operands and operands[0].text == "--":
        operands = operands[1:]
    if parsed.has(("-m", "--module")):
        module = parsed.value("-m", "--module")
        words = (module, *operands) if module is not None else operands
        call.invoke((Field("python", call.span), Field("-m", call.span), *words))
        return
    if not operands:
        return
    first = operands[0].text
    if (
        first == "-"
        or first.endswith(".py")
        or (first.startswith(("http://", "https://")) and "run" in entry.names)
        or parsed.has(("-s", "--script"))
    ):
        call.script("python", operands[0])
        known = commands().get(first.rpartition("/")[2])
        if known is not None and known.effect == "code":
            call.invoke((msgspec.structs.replace(operands[0], text=first.rpartition("/")[2]), *operands[1:]))
        return
    if first.startswith("-"):
        return
    if "@" in first[1:] and "tool" in path + call.name:
        operands = (msgspec.structs.replace(operands[0], text=first[: first.index("@", 1)]), *operands[1:])
    call.invoke(operands)


def rustup_run(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``rustup run toolchain command``."""
    call.run.opaque(f"runs local code {call.line[:80]}")
    if len(call.parsed.operands) > 1:
        call.invoke(call.parsed.operands[1:])


_BY_ITSELF = frozenset(
    ("preinstall", "install", "postinstall", "prepare", "prepublish", "preprepare", "postprepare", "dependencies")
)
"""Scripts of package.json that run without being asked for by name."""


def npm_pkg(entry: "Entry", call: "Call", path: str) -> None:
    """``npm pkg set scripts.NAME=LINE``: a line that the next install runs by itself is judged now."""
    effects.apply(entry, call.parsed, call, path)
    verb, *settings = call.parsed.operands or (Field(""),)
    for field in settings if verb.text == "set" else ():
        key, equals, line = field.text.partition("=")
        section, _, name = key.partition(".")
        if equals and section == "scripts" and name in _BY_ITSELF:
            call.run.shell(line, field.span, f"npm script {name}")


def own_shell(entry: "Entry", call: "Call", path: str) -> None:
    """Programs that take lines of a shell of their own where nothing else is asked of them."""
    effects.apply(entry, call.parsed, call, path)
    if not call.parsed.operands and not call.parsed.options:
        held = call.run.stdin
        lines = "\n".join(line[1:] for line in held.text.splitlines() if line.startswith("!"))
        text = Value(lines if held.known else held.text, held.tags)
        flow.run_code(entry.stdin, text, call, f"standard input of {call.name}")
