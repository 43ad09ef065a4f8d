"""The token, and which addresses are this machine's own."""

from pathlib import Path

import pytest

from checkrail.places import PlacesError
from checkrail.proxy import door


def test_a_token_is_made_once(tmp_path: Path) -> None:
    """For the user alone, and the same for every proxy."""
    path = tmp_path / "state/proxy/token"
    made = door.token(path)
    assert len(made) >= 40 and door.token(path) == made
    assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0
    assert [entry.name for entry in path.parent.iterdir()] == ["token"]


def test_what_is_no_token_is_not_used(tmp_path: Path) -> None:
    """A short one could be guessed; a folder that others may write to could hold anybody's."""
    folder = tmp_path / "proxy"
    folder.mkdir(mode=0o700)
    (folder / "token").write_text("short\n")
    with pytest.raises(OSError, match="holds no token"):
        door.token(folder / "token")
    folder.chmod(0o777)
    with pytest.raises(PlacesError):
        door.token(folder / "token")


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost", True), ("127.0.0.1", True), ("127.8.0.1", True), ("::1", True), ("[::1]", True), ("0.0.0.0", False), ("::", False),
        ("", False), ("localhost.evil.example", False), ("127.0.0.1.evil.example", False), ("169.254.169.254", False), ("2130706433", False),
    ],
)  # fmt: skip
def test_addresses_of_this_machine(host: str, own: bool) -> None:
    """Only what nobody else can reach."""
    assert door.is_loopback(host) is own
