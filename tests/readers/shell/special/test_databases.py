"""Database clients: which text goes to which reader."""

import pytest

from tests.readers.shell.evaluation import payloads, reading, rules


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("psql -c 'drop table x'", "sql: drop table x"),
        ("psql -Atqc 'drop table x' db", "sql: drop table x"),
        ("psql --comm='drop table x'", "sql: drop table x"),
        ("psql db <<< 'drop table x'", "sql: drop table x\n"),
        ("echo 'drop table x' | psql db", "sql: drop table x\n"),
        ("psql db -f - <<E\ndrop table x\nE", "sql: drop table x\n"),
        ("echo 'drop table x' > /tmp/a.sql; psql -f /tmp/a.sql", "sql: drop table x\n"),
        ("mysql -uroot -psecret -e 'drop table x' db", "sql: drop table x"),
        ("sqlite3 a.db 'drop table x'", "sql: drop table x"),
        ("sqlite3 -readonly a.db 'select 1' .tables", "sql: .tables"),
        ("redis-cli -n 2 flushdb", "redis: flushdb"),
        ("mongosh db --eval 'db.dropDatabase()'", "mongo: db.dropDatabase()"),
        ("bq query --use_legacy_sql=false 'drop table x'", "sql: drop table x"),
        ('psql -c "delete from x where id = $ID"', "sql: delete from x where id = ?"),
    ],
)
def test_statements_are_handed_on(line: str, text: str) -> None:
    """From options, operands, files written in the line and the standard input."""
    assert text in payloads(line)


def test_the_client_and_its_database_are_named() -> None:
    """So that the client's own commands are read, and a private database is known."""
    options = dict(reading("sqlite3 :memory: '.tables'").payloads[0].options)
    assert (options["dialect"], options["client"], options["target"]) == ("sqlite", "sqlite3", ":memory:")


@pytest.mark.parametrize(
    "line", ["psql db -f a.sql", "mysql db < a.sql", "cat a.sql | sqlite3 a.db", "mongosh db a.js", 'psql -c "$X"']
)
def test_statements_that_are_not_shown_ask(line: str) -> None:
    """A file that is not there, and a text that only running tells."""
    assert "flow.unknown-code" in rules(line)


def test_a_file_that_is_there_is_read() -> None:
    """Small files of statements go to the reader like text on the line."""
    found = reading("psql db -f a.sql", files={"/work/app/a.sql": "select 1"})
    assert [payload.text for payload in found.payloads] == ["select 1"]


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("psql", True),
        ("psql -l", False),
        ("sqlite3 a.db", True),
        ("redis-cli", True),
        ("redis-cli --stat", False),
        ("mysql --version", False),
        ("manage.py shell", True),
    ],
)
def test_an_open_client_is_unwatched(line: str, asks: bool) -> None:
    """Without statements a prompt is left open."""
    assert ("flow.unwatched" in rules(line)) is asks


def test_answers_on_the_standard_input_confirm() -> None:
    """A command that asks before a reset does not when it is given answers."""
    assert "prisma.migrate.dev.confirmed" in rules("yes | prisma migrate dev")
    assert "prisma.migrate.dev.confirmed" not in rules("prisma migrate dev")
