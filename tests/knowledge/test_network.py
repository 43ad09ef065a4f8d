"""The tables of hosts, SQL and tools hold together."""

import ipaddress
from collections import Counter
from pathlib import Path

import pytest

from checkrail.knowledge import network
from checkrail.operations.names import ORDER


def test_every_network_is_one() -> None:
    """Ranges are written as such."""
    for group in network.hosts().classes:
        for entry in group.networks:
            ipaddress.ip_network(entry)


def test_names_are_plain() -> None:
    """Lower case, no dots at the ends, no wildcards."""
    for group in network.hosts().classes:
        for entry in (*group.names, *group.suffixes):
            assert entry == entry.lower().strip(".*"), entry


def test_a_verb_stands_in_one_class() -> None:
    """Otherwise the order of the file would decide."""
    counts = Counter(word for group in network.tools().classes for word in group.words)
    assert [word for word, count in counts.items() if count > 1] == []


def test_every_class_has_a_rank() -> None:
    """Classes, axes and objects speak of the same classes."""
    names = {group.name for group in network.tools().classes} | {"unknown", "secret"}
    assert names == set(ORDER)
    assert {row.name for row in network.tools().axes} <= names
    for row in network.tools().objects:
        assert {row.become, *row.classes} <= names


def test_argument_names_are_normal() -> None:
    """Lower case letters and digits, as keys are compared."""
    arguments = network.tools().arguments
    for field in arguments.__struct_fields__:
        for name in getattr(arguments, field):
            assert name.isalnum() and name == name.lower(), name


def test_statements_and_functions_do_not_contradict() -> None:
    """A first word reads or writes; a function with an effect is not pure."""
    table = network.sql()
    writes = [word for row in table.statements for word in row.words]
    assert len(writes) == len(set(writes))
    acting = {name for group in table.functions for name in group.names}
    assert not acting & set(table.pure.names)


def test_a_wrong_table_names_its_file(tmp_path: Path) -> None:
    """The error says which file and what is wrong."""
    (tmp_path / "hosts.toml").write_text("[known]\nlabels = 3\n")
    with pytest.raises(ValueError, match=r"hosts\.toml"):
        network.load("hosts.toml", network.Hosts, tmp_path)
