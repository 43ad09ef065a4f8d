"""Shells, of Unix and of Windows."""

import base64

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    "line",
    [
        "sh -c 'rm x'",
        "bash -lc 'rm x'",
        "bash -ec 'rm x'",
        "bash -c -e 'rm x'",
        "bash -euo pipefail -c 'rm x'",
        "bash -O extglob -c 'rm x'",
        "bash +x -c 'rm x'",
        "bash --norc --noprofile -c 'rm x'",
        "bash -c -- 'rm x'",
        "zsh -ic 'rm x'",
        "/bin/dash -c 'rm x'",
        "fish -c 'rm x'",
        "fish --command='rm x'",
        "printf 'rm x' | sh",
        "printf 'rm x' | bash -s -- a",
        "printf 'rm x' | bash -",
        "printf 'rm x' | bash /dev/stdin",
        "printf 'rm x' > /tmp/s; sh /tmp/s",
        "bash <(printf 'rm x')",
    ],
)
def test_the_text_is_handed_on(line: str) -> None:
    """By every spelling."""
    assert "shell: rm x" in payloads(line)


@pytest.mark.parametrize("line", ["bash -n s.sh", "bash --version", "bash s.sh -c 'rm x'"])
def test_what_runs_no_text(line: str) -> None:
    """Checks, versions, and arguments of a script."""
    assert "shell: rm x" not in payloads(line)
    assert not {"flow.unwatched", "flow.unknown-code"} & rules(line)


def test_arguments_go_along() -> None:
    """``$1`` of the text is the second word after it."""
    assert "delete /b" in effects("sh -c 'rm $2' _ /a /b")


def test_unknown_parts_do_not_ask_but_unknown_texts_do() -> None:
    """A hole inside a text stays a hole; a text that is one asks."""
    assert "flow.unknown-code" not in rules('bash -c "cd $D && make"')
    assert "flow.unknown-code" in rules('bash -c "$X"')
    assert "flow.unwatched" in rules("bash -l")


@pytest.mark.parametrize(
    "line",
    [
        "powershell -Command 'ri x'",
        "pwsh -c ri x",
        "powershell -NoP -EP Bypass -Comm 'ri x'",
        "powershell.exe /c 'ri x'",
        "powershell 'ri x'",
        f"pwsh -enc {base64.b64encode('ri x'.encode('utf-16-le')).decode()}",
        "echo -n 'ri x' | pwsh -",
    ],
)
def test_powershell_texts_are_handed_on(line: str) -> None:
    """Abbreviated options, the bare form, encoded texts."""
    assert any(text.strip() == "powershell: ri x" for text in payloads(line))


@pytest.mark.parametrize("line", ["cmd /c del x", "cmd /C 'del x'", "cmd /s /c del x", "cmd.exe /cdel x"])
def test_cmd_texts_are_handed_on(line: str) -> None:
    """Everything after /c."""
    assert "cmd: del x" in payloads(line)


def test_windows_shells_left_open_are_unwatched() -> None:
    """As any shell."""
    assert "flow.unwatched" in rules("pwsh") and "flow.unwatched" in rules("cmd") and "flow.unwatched" in rules("wsl")
    assert "flow.decoded-code" in rules("powershell -enc '*'")
