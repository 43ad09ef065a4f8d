"""Every way of installing keeps what its examples say."""

import pytest

from checkrail.knowledge.installs import Installer, Installs
from checkrail.knowledge.network import load
from checkrail.model import Decision
from tests.judging import judged

INSTALLERS = load("installs.toml", Installs).installers


@pytest.mark.parametrize("line", [line for one in INSTALLERS for line in one.hits])
def test_code_from_an_address_asks(line: str) -> None:
    """A repository, an archive, an index of one's own."""
    verdict = judged(line)
    assert verdict.decision is Decision.ASK
    assert any(finding.rule == "fetch.install" for finding in verdict.findings)


@pytest.mark.parametrize("line", [line for one in INSTALLERS for line in one.misses])
def test_registries_and_local_paths_do_not(line: str) -> None:
    """What a registry keeps, what a lock file names, what lies here, and what is an argument of the program that runs."""
    assert judged(line).decision is Decision.ALLOW


@pytest.mark.parametrize("installer", INSTALLERS, ids=lambda one: one.names[0])
def test_examples_on_both_sides(installer: Installer) -> None:
    """No entry without a near miss."""
    assert installer.hits
    assert installer.misses
