"""Addresses among arguments of which no role speaks: hits and near misses."""

import pytest

from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind, TargetKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from checkrail.readers.shell import addresses, environment


def verdict(command: str) -> Verdict:
    """The verdict on a command line."""
    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd="/work/app")
    return decide(event, host=FrozenHost(), policy=BUILT_IN)


METADATA = (
    "git clone http://169.254.169.254/x.git",
    "git clone git@169.254.169.254:x.git",
    "git remote add up http://2852039166/a.git",
    "git remote set-url origin http://169.254.169.254/a.git",
    "git fetch http://169.254.169.254/x main",
    "git ls-remote http://169.254.169.254/x",
    "git submodule add http://169.254.169.254/x vendor/x",
    "pip install --index-url http://169.254.169.254/simple x",
    "pip install 'git+http://169.254.169.254/x'",
    "pip install 'x @ http://169.254.169.254/x.whl'",
    "uv add --index http://169.254.169.254/ x",
    "npm install --registry=http://169.254.169.254/ x",
    "npm install http://169.254.169.254/x.tgz",
    "cargo install --git http://169.254.169.254/x",
    "gem install -s http://169.254.169.254 x",
    "helm repo add x http://169.254.169.254",
    "ffmpeg -i http://169.254.169.254/x out.mp4",
    "frobnicate http://169.254.169.254/latest",
    "frobnicate --from=http://169.254.169.254/latest",
)


@pytest.mark.parametrize("command", METADATA)
def test_any_program_that_is_given_the_metadata_address_is_stopped(command: str) -> None:
    """Repositories, indexes and unknown programs reach a host as curl does."""
    found = verdict(command)
    assert found.decision is Decision.DENY
    assert "fetch.metadata" in {finding.rule for finding in found.findings}


@pytest.mark.parametrize(
    "command",
    [
        "git clone https://github.com/a/b",
        "git clone git@github.com:a/b.git",
        "git clone ../other",
        "git fetch origin",
        "pip install -i https://pypi.org/simple x",
        "npm install --registry http://localhost:4873 x",
        "echo http://169.254.169.254/",
        "grep -rn http://169.254.169.254/ src",
        "printf '%s' http://169.254.169.254/",
        'git commit -m "fetch http://169.254.169.254/ is refused now"',
        'git clone "$REPO"',
        "frobnicate 'see http://169.254.169.254/ for more'",
        "psql postgres://app@10.0.0.5/app -c 'select 1'",
    ],
)
def test_ordinary_addresses_and_texts_ask_nothing(command: str) -> None:
    """A text that is shown, searched or stored names no address, nor does a part of one."""
    assert verdict(command).decision is Decision.ALLOW


INDEXES = list({held.names: held for held in environment.table()[0].values() if held.kind == "address"}.values())


@pytest.mark.parametrize("command", [text for held in INDEXES for text in held.hits])
def test_variables_that_name_where_packages_come_from(command: str) -> None:
    """The fetch gate judges the host that they name."""
    assert verdict(command).decision is not Decision.ALLOW


@pytest.mark.parametrize("command", [text for held in INDEXES for text in held.misses])
def test_ordinary_places_of_packages(command: str) -> None:
    """Public indexes and this machine."""
    assert verdict(command).decision is Decision.ALLOW


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("git+https://a.example/x", "https://a.example/x"),
        ("name @ https://a.example/x.whl", "https://a.example/x.whl"),
        ("name[extra]@ https://a.example/x.whl", "https://a.example/x.whl"),
        ("https://", ""),
        ("https://\ufffc/x", ""),
        ("postgres://a.example/x", ""),
        ("a https://a.example", ""),
        ("x" * 5000, ""),
    ],
)
def test_of(text: str, expected: str) -> None:
    """Only a whole argument of a scheme that is fetched counts."""
    assert addresses.of(text) == expected


def test_an_address_is_an_effect_on_a_host() -> None:
    """The fetch gate judges it as it judges curl's."""
    effects = verdict("git clone https://bit.ly/x").reading.effects
    assert any(effect.target.kind is TargetKind.URL and effect.target.host == "bit.ly" for effect in effects)
