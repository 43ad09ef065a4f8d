"""Names of processes that the machine or others need."""

import pytest

from checkrail.knowledge.processes import processes, vital


@pytest.mark.parametrize("pattern", ["sshd", "[s]shd", "^sshd$", "node|mysqld", "SYSTEMD"])
def test_needed(pattern: str) -> None:
    """As a name, a pattern, one of several."""
    assert vital(pattern)


@pytest.mark.parametrize("pattern", ["node", "vite", "my-sshd-test", "postgres-mcp", "", "a" * 100_000])
def test_free(pattern: str) -> None:
    """What a developer starts and ends."""
    assert not vital(pattern)


def test_a_web_server_is_free_by_its_exact_name_only() -> None:
    """A search through command lines may find more than the server."""
    assert not vital("nginx")
    assert vital("nginx", searched=True)


def test_every_name_is_in_one_list_and_in_lower_case() -> None:
    """The table compares folded names."""
    table = processes()
    names = [*table.vital, *table.services, *table.servers]
    assert len(names) == len(set(names))
    assert all(name == name.casefold() for name in names)
