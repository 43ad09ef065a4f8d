"""Where things lie, and which directories are refused."""

import os
from pathlib import Path

import pytest

from checkrail import places
from checkrail.places import SOCKET_PATH_LIMIT, PlacesError


def test_the_xdg_variables_are_followed(tmp_path: Path) -> None:
    """Each base directory gets a directory of ours."""
    found = places.find({f"XDG_{base}_HOME": str(tmp_path / base) for base in ("CONFIG", "DATA", "STATE")})
    assert found.config == tmp_path / "CONFIG" / "checkrail"
    assert found.data == tmp_path / "DATA" / "checkrail"
    assert found.log == tmp_path / "STATE" / "checkrail" / "daemon.log"


@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"])
def test_a_relative_base_is_refused(variable: str) -> None:
    """It would put policy or state into whatever project is at hand."""
    with pytest.raises(PlacesError, match=variable):
        places.find({variable: "here"})


def test_a_short_state_directory_holds_the_socket() -> None:
    """Up to the last byte that fits."""
    fits = Path("/" + "s" * (SOCKET_PATH_LIMIT - 1 - len("/run/daemon.sock")))
    assert places.socket_path(fits, {}) == fits / "run" / "daemon.sock"
    assert places.socket_path(Path(f"{fits}s"), {}) != Path(f"{fits}s") / "run" / "daemon.sock"


@pytest.mark.parametrize(
    ("runtime", "start"),
    [
        ("/run/user/1", "/run/user/1/checkrail/"),
        ("", f"/tmp/checkrail-{os.geteuid()}/"),
        ("relative", f"/tmp/checkrail-{os.geteuid()}/"),
        ("/" + "r" * 99, f"/tmp/checkrail-{os.geteuid()}/"),
    ],
)
def test_a_long_one_is_stood_for_by_a_short_path(runtime: str, start: str) -> None:
    """One for each state directory, in a directory of the user's own, always short enough; bytes count."""
    long = [Path("/" + "ü" * 60), Path("/" + "s" * 200)]
    found = [places.socket_path(state, {"XDG_RUNTIME_DIR": runtime}) for state in long]
    assert all(str(path).startswith(start) and len(os.fsencode(path)) <= SOCKET_PATH_LIMIT for path in found)
    assert found[0] != found[1]
    assert found == [places.socket_path(state, {"XDG_RUNTIME_DIR": runtime}) for state in long]


def test_a_missing_directory_is_made_private(tmp_path: Path) -> None:
    """With what lies above it, whatever the umask."""
    before = os.umask(0)
    try:
        path = places.secure_directory(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o710, 0o704])
def test_a_directory_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    """The message tells the mode and the cure."""
    path = tmp_path / "open"
    path.mkdir()
    path.chmod(mode)
    with pytest.raises(PlacesError, match=f"0{mode:o}.*chmod 700 {path}"):
        places.secure_directory(path)


def test_a_place_in_a_directory_open_to_everybody_is_refused(tmp_path: Path) -> None:
    """There others could move it away; with the sticky bit, as in /tmp, they cannot."""
    middle = tmp_path / "middle"
    places.secure_directory(middle / "own")
    middle.chmod(0o777)
    with pytest.raises(PlacesError, match=f"chmod o-w {middle}"):
        places.secure_directory(middle / "own")
    middle.chmod(0o1777)
    assert places.secure_directory(middle / "own")


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    """By name."""
    (tmp_path / "file").write_text("")
    with pytest.raises(PlacesError, match="file"):
        places.secure_directory(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """Even where it is closed to others."""
    path = tmp_path / "theirs"
    path.mkdir(mode=0o700)
    os.chown(path, 12345, 12345)
    with pytest.raises(PlacesError, match="belongs to user 12345"):
        places.secure_directory(path)


def test_a_link_to_a_private_directory_is_followed(tmp_path: Path) -> None:
    """Some keep their state on another disk; what counts is where it leads."""
    real = places.secure_directory(tmp_path / "real")
    (tmp_path / "link").symlink_to(real)
    assert places.secure_directory(tmp_path / "link")
    real.chmod(0o755)
    with pytest.raises(PlacesError):
        places.secure_directory(tmp_path / "link")
