"""A daemon for all, and the examples by name."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.shells import Place, places

EXAMPLES = Path(__file__).parents[2] / "contrib/examples"


@pytest.fixture(scope="session")
def place() -> Iterator[Place]:
    """One daemon for all."""
    yield from places()


def example(name: str) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
