"""``exec``, ``sh`` and the shell integrations, with a real daemon: what may run runs untouched, nothing else runs."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkrail.cli.sh import program_on_stdin
from tests.shells import Place, Terminal, places

HOOKS = Path(__file__).parents[2] / "hooks/shell"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """One daemon for all."""
    yield from places()


@pytest.fixture
def short() -> Iterator[Path]:
    """A directory with a short name, for the socket's sake."""
    root = Path(tempfile.mkdtemp(prefix="cr"))
    yield root
    shutil.rmtree(root, ignore_errors=True)


def test_an_allowed_command_is_untouched(place: Place) -> None:
    """Arguments, stdin, both outputs and exit code are its own."""
    done = place.run("exec", "--", "sh", "-c", 'cat; echo "$1" >&2; exit 7', "x", "a  b", input=b"in\0out")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"in\0out", b"a  b\n")
    assert place.run("exec", "ls", "/nowhere-at-all").returncode == 2
    assert place.run("exec", "--", "no-such-program-here").returncode == 127


def test_a_signal_reaches_the_command_itself(place: Place) -> None:
    """There is no process of ours between."""
    started = subprocess.Popen(place.words("exec", "--", "sleep", "60"), env=place.environment(), cwd=place.project)
    end = time.monotonic() + 30
    while b"sleep" not in Path(f"/proc/{started.pid}/cmdline").read_bytes().split(b"\0")[0] and time.monotonic() < end:
        time.sleep(0.05)
    started.send_signal(signal.SIGTERM)
    assert started.wait(10) == -signal.SIGTERM


def test_what_may_not_run_does_not(place: Place) -> None:
    """With the reason on stderr, and the number of a request where a person can say yes."""
    denied = place.run("exec", "--", "rm", "-rf", "/")
    assert (denied.returncode, denied.stdout) == (121, b"")
    assert b"floor.root" in denied.stderr
    asked = place.run("exec", "--", "git", "push", "--force", "origin", "main")
    assert asked.returncode == 120
    assert b"checkrail approve" in asked.stderr
    assert place.run("exec").returncode == 2


def test_without_a_daemon_that_can_start_nothing_runs(short: Path) -> None:
    """A file where its socket has to lie."""
    place = Place(short)
    (place.home / ".local/state/checkrail").mkdir(parents=True, mode=0o700)
    (place.home / ".local/state/checkrail/run").write_text("in the way")
    for words in (("exec", "--", "touch", "ran"), ("sh", "-c", "touch ran")):
        done = place.run(*words)
        assert done.returncode == 122
        assert done.stderr.startswith(b"checkrail: blocked: ")
    assert not (place.project / "ran").exists()


def test_a_shell_takes_what_agents_give_to_a_shell(place: Place) -> None:
    """A line with parameters, options before it, a script, a program on stdin."""
    done = place.run("sh", "-c", 'echo "$0 $1"; exit 3', "name", "a b")
    assert (done.returncode, done.stdout) == (3, b"name a b\n")
    assert place.run("sh", "-ec", "echo one; false; echo two").stdout == b"one\n"
    (place.project / "s.sh").write_text('echo "script $1"\n')
    assert place.run("sh", "s.sh", "x").stdout == b"script x\n"
    done = place.run("sh", input=b"read x\nthe rest\necho got $x\nexit 4\n")
    assert (done.returncode, done.stdout) == (4, b"got the rest\n")
    assert place.run("sh", "-s", "p", input=b"echo $1").stdout == b"p\n"
    for words, program in (
        (("-c", "rm -rf ~"), b""),
        (("-lc", "ls; rm -rf ~"), b""),
        ((), b"rm -rf ~\n"),
        (("-s",), b"rm -rf ~"),
    ):
        done = place.run("sh", *words, input=program)
        assert (done.returncode, done.stdout) == (121, b""), words
    assert place.run("sh", input=b"\xff\xfe").returncode == 122


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", True), ("-s", True), ("-es x", True), ("-", True), ("-l", True), ("-o pipefail", True), ("-eo pipefail", True),
        ("--norc --posix", True), ("--rcfile x", True), ("-c ls", False), ("-lc ls", False), ("x.sh", False), ("-e x.sh", False),
        ("-eo pipefail -c ls", False), ("-o errexit x.sh", False), ("+x -c ls", False),
    ],
)  # fmt: skip
def test_where_a_shell_finds_its_program(words: str, expected: bool) -> None:
    """As bash reads its own options."""
    assert program_on_stdin(words.split()) is expected


def test_judging_alone_runs_nothing(place: Place) -> None:
    """The exit code is the answer."""
    assert place.run("sh", "--judge-only", "touch x").returncode == 0
    assert place.run("sh", "--judge-only", "rm -rf ~").returncode == 121
    assert place.run("sh", "--judge", "git push -f origin main").returncode == 120
    assert not (place.project / "x").exists()


def test_the_integration_is_found(place: Place) -> None:
    """Wherever the package lies."""
    assert (
        Path(place.run("sh", "--where", "bash").stdout.decode().strip()).read_text().startswith("# Checkrail for bash")
    )


@pytest.mark.parametrize(("answer", "code"), [("y", 128), ("n", 120), ("", 120), ("yes please", 120)])
def test_a_person_is_asked_at_the_terminal(place: Place, answer: str, code: int) -> None:
    """What was typed ahead is no answer."""
    terminal = Terminal(place.words("exec", "--ask", "--", "git", "push", "--force", "nowhere", "main"), place)
    terminal.type("y\n")
    terminal.until("Run it? [y/N]")
    time.sleep(0.3)
    terminal.type(f"{answer}\n")
    assert terminal.end() == code  # 128: git itself, which finds no repository here


def bash(place: Place, name: str = "bash") -> Terminal:
    """An interactive bash with the integration."""
    if name == "session":
        return Terminal(place.words("sh", "-l"), place)
    rc = place.home / "rc"
    rc.write_text(f"PS1='ready> '\nsource {HOOKS}/bash\n")
    terminal = Terminal(["bash", "--noprofile", "--rcfile", str(rc), "-i"], place)
    terminal.until("ready> ")
    return terminal


def test_bash_judges_what_is_typed(place: Place) -> None:
    """Allowed lines run, a refused one does not, the next one runs again; a command of several lines is judged whole."""
    terminal = bash(place)
    terminal.type("echo one$((1 + 1))\r")
    terminal.until("one2")
    terminal.type("rm -rf ~; touch refused\r")
    terminal.until("floor.home")
    terminal.until("ready> ")
    terminal.type("for i in 1 2; do\recho loop$i$i\rdone\r")
    terminal.until("loop22")
    terminal.type("for i in 1 2; do\rrm -rf ~; touch refused\rdone\r")
    terminal.until("floor.home")
    terminal.type("\x03\recho after$((2 + 3))\r")
    terminal.until("after5")
    terminal.type("exit 5\r")
    assert terminal.end() == 5
    assert not (place.project / "refused").exists()


def test_bash_asks_before_a_line(place: Place) -> None:
    """And takes no for an answer."""
    terminal = bash(place)
    terminal.type("touch asked; git push --force nowhere main\r")
    terminal.until("Run it? [y/N]")
    time.sleep(0.3)
    terminal.type("n\r")
    terminal.until("ready> ")
    terminal.type("touch after\r")
    terminal.until("ready> ")
    terminal.type("touch agreed; git push --force nowhere main\r")
    terminal.until("Run it? [y/N]")
    time.sleep(0.3)
    terminal.type("y\r")
    terminal.until("ready> ")
    terminal.type("exit\r")
    terminal.end()
    assert [(place.project / name).exists() for name in ("asked", "after", "agreed")] == [False, True, True]


def test_a_session_of_the_shell_asks_nobody(place: Place) -> None:
    """Whoever holds its terminal may be an agent: a question names a request."""
    (place.home / ".bashrc").write_text("PS1='ready> '\n")
    terminal = bash(place, "session")
    terminal.until("ready> ")
    terminal.type("touch fine\r")
    terminal.until("ready> ")
    terminal.type("touch asked2; git push --force nowhere main\r")
    terminal.until("checkrail approve")
    terminal.until("ready> ")
    terminal.type("exit\r")
    terminal.end()
    assert (place.project / "fine").exists()
    assert not (place.project / "asked2").exists()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_parse_their_integration(shell: str) -> None:
    """Where they are installed."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [program, "-n", str(HOOKS / shell)], capture_output=True, timeout=30, check=False, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
