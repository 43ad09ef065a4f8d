"""ssh, scp, rsync, nc and names that are looked up."""

import pytest

from checkrail.readers.shell.special.dns import carries
from checkrail.readers.shell.special.transfer import remote
from tests.readers.shell.evaluation import effects, payloads, reading, rules


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("h:x", "h"),
        ("u@h:x", "h"),
        ("h:", "h"),
        ("./h:x", ""),
        ("/a:b", ""),
        ("a/b:c", ""),
        ("rsync://h/m", "h"),
        ("h::m", "h"),
        ("plain", ""),
    ],
)
def test_what_is_remote(text: str, host: str) -> None:
    """A colon before any slash."""
    assert remote(text) == host


def test_the_command_runs_there() -> None:
    """What ssh is given is a shell line on that host."""
    found = [payload for payload in reading("ssh -p 22 dev@web1 rm -rf /srv").payloads if payload.language == "shell"]
    assert [(payload.text, payload.host, payload.cwd) for payload in found] == [("rm -rf /srv", "ssh:web1", None)]


@pytest.mark.parametrize(
    "option", ["-o ProxyCommand='rm x'", "-oProxyCommand='rm x'", "-o 'proxycommand rm x'", "-o LocalCommand='rm x'"]
)
def test_some_options_run_here(option: str) -> None:
    """Commands in options are lines of this machine's shell."""
    assert "shell: rm x" in payloads(f"ssh {option} web1 true")
    assert "shell: rm x" in payloads(f"scp {option} a web1:b")


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("ssh web1", True),
        ("ssh -T git@github.com", False),
        ("ssh -N -L 1:a:1 web1", False),
        ("ssh -G web1", False),
        ("ssh -V", False),
    ],
)
def test_an_open_shell_is_unwatched(line: str, asks: bool) -> None:
    """Without a command a shell is left open, except at code hosts and for tunnels."""
    assert ("flow.unwatched" in rules(line)) is asks


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("rsync -a --delete e/ d", "delete /work/app/d"),
        ("rsync -a --del e/ d", "delete /work/app/d"),
        ("rsync -a --remove-source-files s d", "delete /work/app/s"),
        ("rsync -a s h:d", "read /work/app/s"),
        ("rsync -a --log-file=l s d", "write /work/app/l"),
        ("scp h:x d", "write /work/app/d"),
        ("scp x h:d", "read /work/app/x"),
    ],
)
def test_what_copies_do(line: str, effect: str) -> None:
    """Deletions, reads and writes of this machine's files."""
    assert effect in effects(line)


def test_a_dry_run_copies_nothing() -> None:
    """``-n`` in any bundle."""
    assert not {effect for effect in effects("rsync -an --delete e/ d/") if effect.startswith(("delete", "write"))}


def test_deleting_elsewhere_is_shared() -> None:
    """A remote target loses what the source does not have."""
    assert "rsync.delete" in rules("rsync -a --delete d/ h:/srv")
    assert "rsync.delete" not in rules("rsync -a d/ h:/srv")


@pytest.mark.parametrize(
    "name",
    [
        "example.com",
        "@1.1.1.1",
        "a-very-long-name-of-a-load-balancer-1234567890.eu-west-1.elb.amazonaws.com",
        "\ufffc",
        "db.\ufffc",
        "localhost",
    ],
)
def test_plain_names_carry_nothing(name: str) -> None:
    """Ordinary names, and names that are unknown as a whole."""
    assert carries(name) == ""


@pytest.mark.parametrize(
    "name", ["\ufffc.evil.example", "x.\ufffb.evil.example", "a1b2" * 10 + ".evil.example", "x" * 160]
)
def test_names_with_data_are_found(name: str) -> None:
    """Parts that only running tells, and encoded ones."""
    assert carries(name) != ""


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("nc h 1 < f", True),
        ("cat f | nc h 1", True),
        ("nc localhost 1 < f", False),
        ("echo x | nc h 1", False),
        ("nc -zv h 1", False),
    ],
)
def test_a_file_that_leaves_through_a_raw_connection(line: str, asks: bool) -> None:
    """Files on the standard input of nc ask, unless they stay near."""
    assert ("nc.file" in rules(line)) is asks
