"""Commands that print where a tool keeps its programs (``go env GOPATH``, ``npm bin``): what stands there is local code."""

from checkrail.model import HOLE
from checkrail.readers.shell.call import Call
from checkrail.readers.shell.state import PLACE, Value

PRINTERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "asdf": (("where",),),
    "bazel": (("info",),),
    "brew": (("--prefix",), ("--cellar",)),
    "bundle": (("show",), ("info",)),
    "cabal": (("list-bin",),),
    "conda": (("info", "--base"),),
    "gem": (("environment",), ("env",)),
    "go": (("env",),),
    "hatch": (("env", "find"),),
    "mise": (("where",),),
    "nix": (("path-info",),),
    "npm": (("bin",), ("root",), ("prefix",), ("config", "get", "prefix")),
    "opam": (("var",),),
    "pipenv": (("--venv",), ("--py",), ("--where",)),
    "pnpm": (("bin",), ("root",), ("store", "path")),
    "poetry": (("env", "info"),),
    "pyenv": (("root",), ("prefix",)),
    "rbenv": (("root",), ("prefix",)),
    "rustc": (("--print",),),
    "rustup": (("show", "home"),),
    "stack": (("path",),),
    "swift": (("build",),),
    "uv": (("python", "find"), ("tool", "dir")),
    "xcode-select": (("-p",), ("--print-path",)),
    "xcrun": (("--show-sdk-path",),),
    "yarn": (("bin",), ("global", "bin"), ("global", "dir")),
}
"""Program -> the words that a line begins with."""

WHICH: dict[str, tuple[tuple[str, ...], ...]] = {
    "asdf": (("which",),),
    "mise": (("which",),),
    "pyenv": (("which",),),
    "rbenv": (("which",),),
    "rustup": (("which",),),
    "xcrun": (("--find",), ("-f",)),
}
"""Program -> the words behind which a program is named, whose path is printed."""


def printed(call: Call) -> Value | None:
    """A folder or a program in it, where the line asks for one."""
    words = tuple(field.text for field in call.arguments)
    if any(words[: len(beginning)] == beginning for beginning in WHICH.get(call.name, ())):
        return Value(words[-1] + "\n", call.arguments[-1].tags)
    if any(words[: len(beginning)] == beginning for beginning in PRINTERS[call.name]):
        return Value(HOLE, frozenset((PLACE,)))
    return None
