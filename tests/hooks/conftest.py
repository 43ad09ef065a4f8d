"""The tests of the hook use the home of the daemon tests, once with the hook in Python and once with the one in C."""

from collections.abc import Iterator

import pytest

from tests.daemon.home import KINDS, Home, homes, skip_unless_it_compiles


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home in a directory with a short name, since the path of a socket must be short."""
    skip_unless_it_compiles(request.param)
    yield from homes(tmp_path_factory.mktemp("d"), kind=request.param)
