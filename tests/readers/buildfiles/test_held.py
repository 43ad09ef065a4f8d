"""Commands inside build files, hook configurations and pipelines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.knowledge.build_files import build_files, example, kind_of, language_of
from checkrail.model import HOLE
from checkrail.readers.buildfiles import held as reader
from checkrail.readers.buildfiles.lines import added, gained


def texts(path: str, content: str) -> list[str]:
    """The commands of a file of this name."""
    kind = kind_of(path)
    assert kind is not None
    return [command.text.strip() for command in reader.commands(kind, content)]


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("/a/package.json", '{"scripts": {"test": "vitest"}, "husky": {"hooks": {"pre-commit": "id"}}}', ["vitest", "id"]),
        ("/a/package.json", '{"lint-staged": {"*.ts": ["eslint", "tsc"]}, "name": "x"}', ["eslint", "tsc"]),
        ("/a/.huskyrc.json", '{"hooks": {"pre-push": "id"}}', ["id"]),
        ("/a/composer.json", '{"scripts": {"post-install-cmd": ["id", "ls"]}}', ["id", "ls"]),
        ("/a/deno.jsonc", '// tasks\n{"tasks": {"dev": "deno run a.ts"}}', ["deno run a.ts"]),
        ("/a/.devcontainer/devcontainer.json", '{"postCreateCommand": ["npm", "ci"], "name": "x"}', ["npm ci"]),
        ("/a/pyproject.toml", '[tool.poe.tasks]\nx = "id"\ny = {cmd = "ls"}\n[project]\nname = "n"\n', ["id", "ls"]),
        ("/a/pyproject.toml", '[tool.hatch.envs.a.scripts]\nx = ["id", "ls"]\n', ["id", "ls"]),
        ("/a/Makefile", "all: x\n\t@echo $(A) $$B\n", [f"echo {HOLE} $B"]),
        ("/a/justfile", "x:\n    @rm {{a}}\n  # no\ny := 'z'\n", [f"rm {HOLE}"]),
        ("/a/Dockerfile", 'FROM x\nRUN --mount=type=cache a \\\n  b\nCMD ["c", "d e"]\nENV A=b\n', ["a \\\n  b", "c 'd e'"]),
        ("/a/.github/workflows/x.yml", "steps:\n- run: a # note\n- name: n\n  run: |\n    b\n    c ${{ d }}\n- uses: e\n", ["a", f"b\nc {HOLE}"]),
        ("/a/.gitlab-ci.yml", "j:\n  script:\n    - a\n    - 'b: c'\n    - |\n      d\n  image: e\n", ["a", "b: c", "d"]),
        ("/a/.gitlab-ci.yml", "j:\n  script: [a, b]\n", ["a b"]),
        ("/a/.circleci/config.yml", "steps:\n- run:\n    name: n\n    command: a\n", ["a"]),
        ("/a/.pre-commit-config.yaml", "hooks:\n- id: a\n  entry: b c\n", ["b c"]),
        ("/a/lefthook.yml", "pre-commit:\n  commands:\n    x:\n      run: a\n", ["a"]),
        ("/a/Taskfile.yml", "tasks:\n  x:\n    cmds:\n      - a\n      - cmd: b\n", ["b", "a"]),
        ("/a/tox.ini", "[testenv]\ndeps = x\ncommands =\n    a {posargs}\n    rm {env:HOME}\n", [f"a {HOLE}", "rm $HOME"]),
        ("/a/Procfile", "web: a b\nnote\n", ["a b"]),
        ("/a/x.service", "[Service]\nExecStart=-/bin/a %i\nUser=b\n", [f"/bin/a {HOLE}"]),
        ("/a/docker-compose.yml", "services:\n  x:\n    command: sh -c 'a'\n", ["sh -c 'a'"]),
    ],
)  # fmt: skip
def test_commands_by_form(path: str, content: str, expected: list[str]) -> None:
    """Where they stand, and nothing else."""
    assert sorted(texts(path, content)) == sorted(expected)


@pytest.mark.parametrize(
    ("path", "content", "itself"),
    [
        ("/a/package.json", '{"scripts": {"postinstall": "id"}}', True),
        ("/a/package.json", '{"scripts": {"test": "id"}}', False),
        ("/a/lefthook.yml", "x:\n  run: id\n", True),
        ("/a/Makefile", "x:\n\tid\n", False),
    ],
)
def test_what_runs_by_itself(path: str, content: str, itself: bool) -> None:
    """Hooks and installations run without being named."""
    kind = kind_of(path)
    assert kind is not None
    assert [command.itself for command in reader.commands(kind, content)] == [itself]


@pytest.mark.parametrize("path", ["/a/README.md", "/a/data.json", "/a/x.yml", "/a/src/run.py", "/a/makefile.md"])
def test_other_files_hold_no_commands(path: str) -> None:
    """By their name."""
    assert kind_of(path) is None


@given(st.sampled_from(build_files().files), st.text(max_size=300))
def test_any_text_is_answered(kind: object, text: str) -> None:
    """However broken."""
    reader.commands(kind, text)  # type: ignore[arg-type]


def test_languages_and_examples() -> None:
    """By ending, and by folder."""
    assert (language_of("/a/X.PY"), language_of("/a/x.mjs"), language_of("/a/x.go")) == ("python", "node", "")
    assert example("/a/tests/fixtures/x.sh")
    assert example("/a/docs/x.sh")
    assert not example("/a/tests/x.sh")
    assert not example("/a/fixtures")


def test_lines() -> None:
    """What is new, whole lines with their continuations; blocks of what stands together."""
    assert added("a\nb \\\n c\n", "a\n") == "b \\\n c\n"
    assert gained("a\nb\nc\nd\n", "a\nc\n") == ["b\n", "d\n"]
    assert gained("a\n", "a\n") == []
