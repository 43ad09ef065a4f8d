"""The daemon's tests share one fixture."""

from collections.abc import Iterator

import pytest

from tests.daemon.home import Home, homes


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home in a directory with a short name, since the path of a socket must be short."""
    yield from homes(tmp_path_factory.mktemp("d"))
