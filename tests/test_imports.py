"""Imports run downwards, and cousins reach one another only through a table."""

import ast
from collections.abc import Iterator
from pathlib import Path

import checkrail
from checkrail.gates import GATES
from checkrail.readers import READERS

ROOT = Path(checkrail.__file__).parent

LAYERS: tuple[tuple[str, ...], ...] = (
    ("model", "places", "__init__"),
    ("facts.host", "context"),
    ("knowledge", "sarif"),
    ("facts", "redaction", "jsonc"),
    ("readers",),
    ("policy", "bands", "workspace"),
    ("operations",),
    ("admission", "plugins.records", "plugins.declarations", "plugins.settings", "plugins.standing"),
    ("gates", "floor", "reading", "at_stake", "written"),
    ("session",),
    ("pipeline", "guidance"),
    ("agents", "audit", "heartbeat", "verdicts", "corpus", "daemon.protocol", "daemon.code", "daemon.shim"),
    ("approvals",),
    (
        "install.claude",
        "install.guard",
        "install.json_text",
        "install.record",
        "install.files",
        "install.json_hooks",
        "install.entries",
        "install.versions",
    ),
    ("plugins", "answering", "warming", "replay", "report"),
    ("serve",),
    ("daemon",),
    ("install", "client"),
    ("proxy",),
    ("cli", "__main__"),
)
"""From the bottom up; the longest prefix of a module's name decides."""


def modules() -> Iterator[tuple[str, Path]]:
    """Every module's dotted name below the package, and its file."""
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


def imported(path: Path) -> Iterator[str]:
    """Names below the package that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "checkrail":
            base = node.module.removeprefix("checkrail").removeprefix(".")
            for alias in node.names:
                inner = f"{base}.{alias.name}".strip(".")
                is_module = (ROOT / (inner.replace(".", "/") + ".py")).exists() or (
                    ROOT / inner.replace(".", "/")
                ).is_dir()
                yield inner if is_module else base or "__init__"
        elif isinstance(node, ast.Import):
            yield from (
                alias.name.removeprefix("checkrail.") for alias in node.names if alias.name.startswith("checkrail.")
            )


def layer(name: str) -> int:
    """The layer of a module. Raises LookupError for one that no layer names."""
    best = max(
        (
            (len(prefix), level)
            for level, prefixes in enumerate(LAYERS)
            for prefix in prefixes
            if f"{name}.".startswith(f"{prefix}.")
        ),
        default=None,
    )
    if best is None:
        raise LookupError(f"{name} stands in no layer; put it into LAYERS")
    return best[1]


def test_imports_run_downwards() -> None:
    """No module imports from a layer above its own."""
    wrong = [
        f"{name} imports {other}" for name, path in modules() for other in imported(path) if layer(other) > layer(name)
    ]
    assert wrong == []


def test_gates_do_not_know_one_another() -> None:
    """They meet in the tuple GATES."""
    families = {gate: f"gates.{gate}" for gate in GATES}
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        for other in imported(path)
        for gate, prefix in families.items()
        if name.startswith("gates.") and not name.startswith(prefix) and other.startswith(prefix)
    ]
    assert wrong == []


def test_readers_do_not_call_one_another() -> None:
    """Text inside text goes back to the queue."""
    mains = {module.removeprefix("checkrail.") for module in READERS.values()}
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        for other in imported(path)
        if name.startswith("readers.") and other in mains and not name.startswith(other)
    ]
    assert wrong == []


def test_only_the_second_opinion_imports_bashlex() -> None:
    """A parser that can hang stays behind its guard; heavy libraries load when they are first needed."""
    for name, path in modules():
        tree = ast.parse(path.read_text())
        top = {alias.name.split(".")[0] for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        top |= {(node.module or "").split(".")[0] for node in tree.body if isinstance(node, ast.ImportFrom)}
        assert not top & {"bashlex", "sqlglot", "tldextract", "asyncio", "rich", "yaml"}, name
        deep = {(node.module or "").split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        deep |= {
            alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        assert "bashlex" not in deep or name == "readers.shell.second", name


def test_modules_are_small() -> None:
    """None over 400 lines, the median under 150."""
    sizes = sorted((len(path.read_text().splitlines()), name) for name, path in modules())
    assert [pair for pair in sizes if pair[0] > 400] == []
    assert sizes[len(sizes) // 2][0] < 150
