"""Commands of database clients inside what is given to them."""

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Action, Payload, Reading, TargetKind
from checkrail.readers import sql

HOST = FrozenHost(files={"/work/app/wipe.sql": "DROP TABLE users"})
AROUND = Surroundings(host=HOST, home="/home/dev", workspace="/work/app", cwd="/work/app")


def read(text: str, client: str) -> Reading:
    """A reading of what a client is given."""
    dialect = {"psql": "postgres", "sqlite3": "sqlite", "mysql": "mysql"}[client]
    payload = Payload(language="sql", text=text, cwd="/work/app", options=(("client", client), ("dialect", dialect)))
    return sql.read(payload, AROUND)


@pytest.mark.parametrize(
    ("text", "client", "line"),
    [
        ("\\! rm -rf x", "psql", "rm -rf x"),
        ("SELECT 1;\n\\! id", "psql", "id"),
        ("SELECT 1 \\g |sh", "psql", "sh"),
        ("\\o |tee x", "psql", "tee x"),
        ("\\set x `id`", "psql", "id"),
        ("\\copy t to program 'cat > x'", "psql", "cat > x"),
        (".shell rm x", "sqlite3", "rm x"),
        (".system id", "sqlite3", "id"),
        (".output |sh", "sqlite3", "sh"),
        ('.import "|id" t', "sqlite3", "id"),
        (".read |id", "sqlite3", "id"),
        ("\\! id", "mysql", "id"),
        ("system id", "mysql", "id"),
        ("SELECT 1;\nsystem id", "mysql", "id"),
        ("pager sh", "mysql", "sh"),
    ],
)
def test_shells_are_payloads(text: str, client: str, line: str) -> None:
    """Whatever the client would hand to a shell is read as shell."""
    assert line in [payload.text for payload in read(text, client).payloads if payload.language == "shell"]


@pytest.mark.parametrize(
    ("text", "client", "action", "path"),
    [
        ("\\o out.txt", "psql", Action.WRITE, "/work/app/out.txt"),
        ("\\i wipe.sql", "psql", Action.READ, "/work/app/wipe.sql"),
        ("\\copy t to '/tmp/x.csv'", "psql", Action.WRITE, "/tmp/x.csv"),
        ("\\copy t from x.csv", "psql", Action.READ, "/work/app/x.csv"),
        (".output /etc/x", "sqlite3", Action.WRITE, "/etc/x"),
        (".backup main b.db", "sqlite3", Action.WRITE, "/work/app/b.db"),
        ("source wipe.sql", "mysql", Action.READ, "/work/app/wipe.sql"),
    ],
)
def test_files_are_paths(text: str, client: str, action: Action, path: str) -> None:
    """Files that the client reads or writes."""
    found = [
        (effect.action, effect.target.value)
        for effect in read(text, client).effects
        if effect.target.kind is TargetKind.PATH
    ]
    assert (action, path) in found


@pytest.mark.parametrize(
    ("text", "client"), [("\\i wipe.sql", "psql"), (".read wipe.sql", "sqlite3"), ("source wipe.sql", "mysql")]
)
def test_scripts_are_read(text: str, client: str) -> None:
    """The text of a script that is there comes back as SQL."""
    assert "DROP TABLE users" in [payload.text for payload in read(text, client).payloads]


@pytest.mark.parametrize(
    ("text", "client"),
    [
        ("\\dt", "psql"),
        ("\\d+ users", "psql"),
        ("\\timing\nSELECT 1", "psql"),
        ("SELECT 1 \\gx", "psql"),
        (".tables", "sqlite3"),
        (".mode json\nSELECT 1", "sqlite3"),
        (".dump", "sqlite3"),
        ("SELECT 1\\G", "mysql"),
        ("SELECT '\\! id'", "psql"),
    ],
)
def test_showing_commands_do_nothing_else(text: str, client: str) -> None:
    """Near misses: listings, formats, and a command inside a string."""
    reading = read(text, client)
    assert not reading.payloads
    assert all(effect.action is Action.READ for effect in reading.effects)


@pytest.mark.parametrize(
    ("text", "client"),
    [
        ("SELECT 'drop table t' \\gexec", "psql"),
        (".load ./x", "sqlite3"),
        (".restore x.db", "sqlite3"),
        (".import x.csv t", "sqlite3"),
        ("\\password bob", "psql"),
    ],
)
def test_changing_commands_are_changes(text: str, client: str) -> None:
    """They carry axes that ask."""
    assert any(effect.axes is not None for effect in read(text, client).effects)
