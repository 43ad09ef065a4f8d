"""Processes, timed jobs, units, the clock."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    "program",
    ["kill 4242", "kill -9 4242", "kill -s TERM 4242", "pkill -f vite", "killall node", "kill $!", "pkill -u dev vite"],
)
def test_an_ordinary_process_is_free(program: str) -> None:
    """It only stops."""
    assert {one.split()[0] for one in effects(program)} == {"stop"}
    assert not any(rule.endswith((".all", ".vital")) for rule in rules(program))


@pytest.mark.parametrize("program", ["kill -l", "kill --list", "killall -l", "kill -0 4242"])
def test_looking_stops_nothing(program: str) -> None:
    """Lists of signals, and the signal that does nothing."""
    assert not any(rule.endswith((".all", ".vital")) for rule in rules(program))


@pytest.mark.parametrize(
    ("program", "rule"),
    [
        ("kill 1", "kill.vital"),
        ("kill -9 1", "kill.vital"),
        ("kill -s KILL 1", "kill.vital"),
        ("kill -9 -1", "kill.all"),
        ("kill -- -1", "kill.all"),
        ("pkill -f .", "kill.all"),
        ("pkill -f '.*'", "kill.all"),
        ("pkill -u dev", "kill.all"),
        ("pkill -9 systemd", "kill.vital"),
        ("pkill -f 'foo|sshd'", "kill.vital"),
        ("killall5", "kill.all"),
    ],
)
def test_what_everything_hangs_on_is_not(program: str, rule: str) -> None:
    """Process 1, all processes, and those of the machine or its session."""
    assert rule in rules(program)


@pytest.mark.parametrize(
    "program",
    [
        "pkill checkrail",
        "pkill -f 'check[r]ail'",
        "pkill -f 'c.eckrail'",
        "pkill -f eckrai",
        "pkill -f 'check.*'",
        "killall -9 checkrail",
        "kill $(pgrep checkrail)",
        "pidof checkrail | xargs kill",
        "ps aux | grep checkrail | awk '{print $2}' | xargs kill",
        "kill $(cat ~/.local/state/checkrail/daemon.pid)",
    ],
)
def test_checkrail_is_named_as_such(program: str) -> None:
    """By pattern, by number, by the file that holds the number."""
    stopped = {one.removeprefix("stop ") for one in effects(program) if one.startswith("stop ")}
    assert any("heckrail" in one or one in "checkrail" for one in stopped)


def test_timed_jobs() -> None:
    """Installed ones ask and are read; removing them asks; looking does not."""
    assert "crontab.installs" in rules("echo '* * * * * rm -rf src' | crontab -")
    assert "shell: rm -rf src" in payloads("echo '* * * * * rm -rf src' | crontab -")
    assert "shell: rm -rf src" in payloads("echo '@daily rm -rf src' | crontab -")
    assert "crontab.removes" in rules("crontab -r")
    assert rules("crontab -l") == set()
    assert "shell: rm -rf src\n" in payloads("echo 'rm -rf src' | at now")


@pytest.mark.parametrize(
    "program",
    [
        "ps aux | grep sshd | awk '{print $2}' | xargs kill -9",
        "ps aux | grep '[s]shd' | awk '{print $2}' | xargs kill",
        "kill $(pgrep -x dockerd)",
        "for p in $(ps -eo pid,comm | awk '/cron/ {print $1}'); do kill $p; done",
    ],
)
def test_vital_processes_are_found_by_search(program: str) -> None:
    """The pattern of a search goes on with the numbers that it finds."""
    assert "kill.vital" in rules(program)


@pytest.mark.parametrize(
    "program",
    [
        "ps aux | grep node | grep -v sshd | awk '{print $2}' | xargs kill",
        "ps aux | awk '/vite/ {print $2}' | xargs kill",
        "kill $(pgrep vite)",
        "grep sshd /var/log/auth.log",
    ],
)
def test_ordinary_processes_are_found_by_search(program: str) -> None:
    """A search for another name, or for none of the vital ones, is none of it."""
    assert "kill.vital" not in rules(program)


def test_units() -> None:
    """Showing is free, starting ordinary units is noted, every other verb changes the machine."""
    for verb in ("status", "list-units", "show", "cat", "is-active"):
        assert rules(f"systemctl {verb} nginx") == set()
    for verb in ("start", "restart", "reload"):
        assert rules(f"systemctl {verb} nginx") == {f"systemctl.{verb}"}
        assert "systemctl" in rules(f"systemctl {verb} sshd")
        assert "systemctl" in rules(f"systemctl -H web1 {verb} nginx")
        assert "service" in rules(f"service networking {verb}")
        assert "service" not in rules(f"service nginx {verb}")
    for verb in ("stop", "enable", "mask", "edit", "set-property", "isolate", "no-such-verb"):
        assert "systemctl" in rules(f"systemctl {verb} nginx")
    assert "stop checkrail.service" in effects("systemctl --user disable checkrail.service")


@pytest.mark.parametrize("program", ["date -s 2020-01-01", "date --set=now", "date 010203042020"])
def test_the_clock_is_set(program: str) -> None:
    """By option, or by an operand that is no format."""
    assert "date.sets" in rules(program)


@pytest.mark.parametrize("program", ["date", "date +%s", "date -d yesterday", "date -j -f %s 0 +%F", "date -v-1d"])
def test_the_clock_is_read(program: str) -> None:
    """Everything else only shows it."""
    assert "date.sets" not in rules(program)
