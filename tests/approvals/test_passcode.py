"""The passcode, and what trying costs."""

import os
from pathlib import Path

import pytest

from checkrail.approvals import passcode as module
from checkrail.approvals.passcode import FREE_TRIES, LONGEST_PAUSE_S, Passcode, PasscodeProblem


@pytest.fixture
def passcode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Passcode:
    """A cheap one."""
    monkeypatch.setattr(module, "N", 16)
    made = Passcode(str(tmp_path))
    made.put("right one")
    return made


def wrong(passcode: Passcode, now: float) -> str:
    """Why a wrong try fails."""
    with pytest.raises(PasscodeProblem) as found:
        passcode.check("wrong one", now=now)
    return str(found.value)


def test_only_the_right_one_passes(passcode: Passcode, tmp_path: Path) -> None:
    """And nothing of it lies on the disk."""
    passcode.check("right one")
    assert "not the passcode" in wrong(passcode, 0.0)
    assert b"right one" not in (tmp_path / "passcode").read_bytes()
    assert os.stat(tmp_path / "passcode").st_mode & 0o777 == 0o600


def test_tries_cost_longer_and_longer_pauses_that_outlive_the_process(passcode: Passcode, tmp_path: Path) -> None:
    """Even the right one is not looked at during a pause; a right one afterwards starts anew."""
    now, pauses = 0.0, []
    for _ in range(12):
        text = wrong(Passcode(str(tmp_path)), now)
        if text.startswith("too many"):
            with pytest.raises(PasscodeProblem, match="too many"):
                passcode.check("right one", now=now)
            pauses.append(float(text.split()[-2]))
            now += pauses[-1]
            wrong(passcode, now)
    assert pauses == sorted(pauses)
    assert pauses[0] >= 4
    assert max(pauses) <= LONGEST_PAUSE_S + 1
    passcode.check("right one", now=now + LONGEST_PAUSE_S + 1)
    for _ in range(FREE_TRIES):
        assert "not the passcode" in wrong(passcode, now)


def test_a_try_is_counted_before_it_is_made(passcode: Passcode, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that ending the process in the middle gives no free tries."""

    def killed(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_hashed", killed)
    for _ in range(FREE_TRIES):
        with pytest.raises(KeyboardInterrupt):
            passcode.check("x", now=0.0)
    assert wrong(passcode, 0.0).startswith("too many")


@pytest.mark.parametrize("content", [b"", b"{}", b'{"salt":"zz","hash":"00"}', b'{"salt":"00","hash":"00","n":3}'])
def test_a_broken_file_lets_nobody_through(passcode: Passcode, tmp_path: Path, content: bytes) -> None:
    """It counts as set."""
    (tmp_path / "passcode").write_bytes(content)
    assert passcode.is_set()
    with pytest.raises(PasscodeProblem):
        passcode.check("right one", now=0.0)


def test_broken_tries_are_many(passcode: Passcode, tmp_path: Path) -> None:
    """The next wrong one costs a pause."""
    (tmp_path / "passcode-tries").write_bytes(b"nonsense")
    wrong(passcode, 0.0)
    assert wrong(passcode, 1.0).startswith("too many")


def test_a_short_one_is_not_taken_and_a_cleared_one_is_gone(passcode: Passcode) -> None:
    """Near: one of the least length."""
    with pytest.raises(PasscodeProblem):
        passcode.put("123")
    passcode.put("1234")
    passcode.check("1234")
    passcode.clear()
    assert not passcode.is_set()
