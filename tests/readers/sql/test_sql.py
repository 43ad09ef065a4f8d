"""SQL, statement by statement: what reads, what writes, what reaches outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.bands import band
from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import HOLE, Action, Band, Decision, Payload, Reading, TargetKind
from checkrail.readers import sql

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/work/app", cwd="/work/app")


def read(text: str, dialect: str = "", **options: str) -> Reading:
    """A reading under a dialect."""
    given_options = (("dialect", dialect), *options.items())
    return sql.read(Payload(language="sql", text=text, cwd="/work/app", options=given_options), AROUND)


def asks(reading: Reading) -> bool:
    """Whether anything in the reading needs a person."""
    stated = any(effect.decision is Decision.ASK for effect in reading.effects)
    return (
        bool(reading.unread)
        or stated
        or any(effect.axes and band(effect.axes) is Band.ESCALATE for effect in reading.effects)
    )


READS = (
    ("SELECT 1", ""),
    ("select id, name from users where id in (select user_id from orders) order by 1 limit 5", ""),
    ("WITH t AS (SELECT 1) SELECT * FROM t", ""),
    ("with t(a, b) as (select 1, 2) select a from t", ""),
    ("TABLE users", ""),
    ("VALUES (1), (2)", ""),
    ("SHOW TABLES", "mysql"),
    ("DESCRIBE users", ""),
    ("EXPLAIN SELECT 1", ""),
    ("EXPLAIN DELETE FROM orders", ""),
    ("EXPLAIN (ANALYZE false) DELETE FROM orders", "postgres"),
    ("EXPLAIN ANALYZE SELECT count(*) FROM orders", "postgres"),
    ("EXPLAIN QUERY PLAN DELETE FROM t", "sqlite"),
    ("EXPLAIN FORMAT=JSON SELECT 1", "mysql"),
    ("BEGIN; SELECT 1; ROLLBACK", ""),
    ("START TRANSACTION READ ONLY; SELECT 1; COMMIT", ""),
    ("SET statement_timeout = 5000; SELECT 1", "postgres"),
    ("PRAGMA table_info(users)", "sqlite"),
    ("PRAGMA busy_timeout = 5000", "sqlite"),
    ("PRAGMA journal_mode", "sqlite"),
    ("COPY (SELECT 1) TO STDOUT", "postgres"),
    ("COPY users TO STDOUT WITH CSV", "postgres"),
    ("SELECT deleted_at, updated_at, is_dropped FROM users", ""),
    ("SELECT 1 AS truncate_count", ""),
    ("SELECT t.update, t.delete FROM t", ""),
    ('SELECT "drop", "update" FROM events', ""),
    ("SELECT replace(name, 'a', 'b'), TRUNCATE(price, 2) FROM t", ""),
    ("SELECT 'x; DROP TABLE users' AS txt", ""),
    ("SELECT 'it''s' -- DELETE FROM users", ""),
    ("SELECT /* DROP TABLE t; */ 1", ""),
    ("SELECT a #> '{b}' FROM t", "postgres"),
    ("SELECT $$; DROP TABLE t$$", "postgres"),
    ("SELECT E'it\\'s; DROP TABLE t'", "postgres"),
    ("SELECT 'it\\'s; DROP TABLE t'", "mysql"),
    ("SELECT `update` FROM `order`", "mysql"),
    ("SELECT [update] FROM [order]", "tsql"),
    ("SELECT TOP 5 * FROM users WITH (NOLOCK)", "tsql"),
    ("SELECT x INTO @total FROM t", "mysql"),
    ("SELECT count(*) FILTER (WHERE a), sum(b) OVER (PARTITION BY c) FROM t", "postgres"),
    ("SELECT pg_size_pretty(pg_total_relation_size('t'))", "postgres"),
    ("FROM 'data.parquet' SELECT *", "duckdb"),
    ("SUMMARIZE t", "duckdb"),
    ("PREPARE p AS SELECT 1", "postgres"),
    ("SELECT a IS DISTINCT FROM 'x' FROM t", ""),
    ("SELECT * FROM 'items'", "sqlite"),
)


@pytest.mark.parametrize(("text", "dialect"), READS)
def test_reads_only_read(text: str, dialect: str) -> None:
    """Read effects, nothing unread, nothing that asks."""
    reading = read(text, dialect)
    assert not asks(reading), reading
    assert all(effect.action is Action.READ for effect in reading.effects)


WRITES = (
    ("DELETE FROM items", "", "sql.delete"),
    ("UPDATE users SET plan = 'free' WHERE 1=1", "", "sql.update"),
    ("INSERT INTO t VALUES (1)", "", "sql.insert"),
    ("REPLACE INTO t VALUES (1)", "mysql", "sql.replace"),
    ("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE", "", "sql.merge"),
    ("DROP TABLE users", "", "sql.drop"),
    ("dRoP/**/TaBlE users", "", "sql.drop"),
    ("DROP OWNED BY app", "postgres", "sql.drop"),
    (";;; TRUNCATE sessions", "", "sql.truncate"),
    ("/* note */ UPDATE accounts SET a = 1", "", "sql.update"),
    ("/* a /* b */ c */ DROP TABLE t", "", "sql.drop"),
    ("(/**/ DELETE FROM t WHERE id > 0)", "", "sql.delete"),
    ("WITH x AS (SELECT 1) UPDATE a SET b = 1", "", "sql.update"),
    ("WITH t AS (DELETE FROM users RETURNING *) SELECT * FROM t", "", "sql.delete"),
    ("EXPLAIN ANALYZE DELETE FROM orders", "", "sql.delete"),
    ("explain (verbose, analyze on) insert into t select 1", "", "sql.insert"),
    ("EXPLAIN (ANALYZE) UPDATE t SET a = 1", "", "sql.update"),
    ("SELECT * INTO copy FROM users", "", "sql.into"),
    ("SELECT 1 INTO/**/OUTFILE '/tmp/x'", "mysql", "sql.file"),
    ("SELECT 1 INTO DUMPFILE '/x'", "mysql", "sql.file"),
    ("SELECT * FROM t FOR UPDATE", "", "sql.lock"),
    ("SELECT * FROM t FOR NO KEY UPDATE SKIP LOCKED", "", "sql.lock"),
    ("SELECT * FROM t LOCK IN SHARE MODE", "mysql", "sql.lock"),
    ("/*!50000 DROP TABLE t */", "mysql", "sql.drop"),
    ("SELECT 1 /*! ; DELETE FROM t */", "", "sql.delete"),
    ("/*M!100000 DROP TABLE t */", "mysql", "sql.drop"),
    ("SELECT [it's];DROP TABLE s;--'", "tsql", "sql.drop"),
    ("SELECT 'a\\'; DROP TABLE t; --'", "postgres", "sql.drop"),
    ("SELECT 'a\\'; DROP TABLE t; --'", "", "sql.drop"),
    ("SELECT 1 --1; DROP TABLE t", "mysql", "sql.drop"),
    ("SELECT 1 # ; DROP TABLE t", "postgres", "sql.drop"),
    ("SELECT $a$ $$; DROP TABLE t; --$a$", "mysql", "sql.drop"),
    ("SELECT 1;\u00a0DELETE FROM users", "", "sql.delete"),
    ("SELECT 1 DROP TABLE users", "tsql", "sql.drop"),
    ("SELECT 1 EXEC xp_cmdshell 'dir'", "tsql", "sql.exec"),
    ("BEGIN DELETE FROM t; END", "tsql", "sql.delete"),
    ("COMMIT; DROP SCHEMA public CASCADE", "", "sql.drop"),
    ("SET TRANSACTION READ WRITE", "", "sql.set"),
    ("SET ROLE admin", "postgres", "sql.set"),
    ("SET SESSION AUTHORIZATION admin", "postgres", "sql.set"),
    ("SET GLOBAL general_log_file = '/x.php'", "mysql", "sql.set"),
    ("SET @@global.read_only = 0", "mysql", "sql.set"),
    ("USE ROLE ACCOUNTADMIN", "snowflake", "sql.set"),
    ("PRAGMA writable_schema = 1", "sqlite", "sql.pragma"),
    ("PRAGMA journal_mode = DELETE", "sqlite", "sql.pragma"),
    ("PRAGMA wal_checkpoint", "sqlite", "sql.pragma"),
    ("ATTACH 'x.db' AS y", "sqlite", "sql.attach"),
    ("VACUUM INTO '/tmp/x'", "sqlite", "sql.file"),
    ("COPY users FROM '/x'", "postgres", "sql.copy"),
    ("COPY (SELECT 1) TO '/x'", "postgres", "sql.copy"),
    ("COPY users TO PROGRAM 'cat'", "postgres", "sql.program"),
    ("LOAD DATA INFILE '/x' INTO TABLE t", "mysql", "sql.load"),
    ("DO $$ BEGIN EXECUTE 'DROP TABLE users'; END $$", "", "sql.do"),
    ("CALL cleanup()", "", "sql.call"),
    ("EXECUTE p", "", "sql.execute"),
    ("GRANT ALL ON users TO bob", "", "sql.grant"),
    ("CREATE TABLE t(a int)", "", "sql.create"),
    ("CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM t $$ LANGUAGE sql", "", "sql.create"),
    ("ALTER TABLE users DROP COLUMN email", "", "sql.alter"),
    ("NOTIFY x", "postgres", "sql.notify"),
    ("LOCK TABLE t", "postgres", "sql.lock"),
    ("KILL 5", "mysql", "sql.kill"),
    ("RESET MASTER", "mysql", "sql.set"),
    ("COMMIT PREPARED 'x'", "postgres", "sql.transaction"),
    ("PREPARE p FROM 'DROP TABLE t'", "mysql", "sql.prepare"),
    ("PREPARE p AS DELETE FROM t", "postgres", "sql.delete"),
    ("SELECT setval('s', 1)", "", "sql.function"),
    ("SELECT nextval('s')", "", "sql.function"),
    ("SELECT pg_catalog.setval('s', 1)", "", "sql.function"),
    ("SELECT \"setval\"('s', 1)", "postgres", "sql.function"),
    ("SELECT U&\"\\0073etval\"('s', 1)", "postgres", "sql.function"),
    ("SELECT U&\"!0073etval\" UESCAPE '!' ('s', 1)", "postgres", "sql.function"),
    ("SELECT setval /* x */ ('s', 1)", "", "sql.function"),
    ("SELECT pg_terminate_backend(1)", "", "sql.function"),
    ("SELECT pg_sleep(600)", "", "sql.function"),
    ("SELECT dblink_exec('', 'DELETE FROM t')", "", "sql.function"),
    ("SELECT * FROM dblink('', 'DELETE FROM t') AS t(a int)", "", "sql.function"),
    ("SELECT query_to_xml('delete from t', true, true, '')", "", "sql.function"),
    ("SELECT lo_export(1, '/x')", "", "sql.function"),
    ("SELECT load_extension('x')", "sqlite", "sql.function"),
    ("SELECT writefile('/x', 'y')", "sqlite", "sql.function"),
    ("SELECT LOAD_FILE('/etc/passwd')", "mysql", "sql.function"),
    ("SELECT GET_LOCK('a', 1)", "mysql", "sql.function"),
    ("SELECT app.delete_old_rows()", "", "sql.function"),
    ("SELECT purge_all()", "", "sql.function"),
    ("SELECT SYSTEM$CANCEL_ALL_QUERIES(1)", "snowflake", "sql.function"),
)


@pytest.mark.parametrize(("text", "dialect", "rule"), WRITES)
def test_what_writes_asks(text: str, dialect: str, rule: str) -> None:
    """Each by its rule, in its dialect."""
    reading = read(text, dialect)
    assert rule in {effect.rule for effect in reading.effects}
    assert asks(reading)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        ";;",
        "frobnicate the table",
        "SELECT 'open",
        "SELECT (1",
        "SELECT 1 /* open",
        "\\! rm x",
        ".shell rm x",
        HOLE,
        f"{HOLE} FROM t",
    ],
)
def test_what_cannot_be_read_is_said(text: str) -> None:
    """Unparsable text is unread; no text at all does nothing."""
    reading = read(text, "postgres")
    assert bool(reading.unread) == bool(text.strip(" ;"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DELETE FROM items", "every row"),
        ("UPDATE items SET a = 1", "every row"),
        ("DELETE FROM items WHERE true", "always true"),
        ("DROP TABLE a, b", "a, b"),
        ("TRUNCATE app.sessions, tokens", "app.sessions, tokens"),
        ("DROP DATABASE IF EXISTS orders", "orders"),
        ("GRANT SELECT ON salaries TO bob", "salaries"),
    ],
)
def test_the_reason_names_what_is_lost(text: str, reason: str) -> None:
    """Table names, and that no row is spared."""
    assert reason in read(text).effects[0].reason


def test_a_condition_is_not_every_row() -> None:
    """A WHERE in a subquery is not one of the statement."""
    assert "every row" not in read("DELETE FROM t WHERE id = 1").effects[0].reason
    assert "every row" in read("UPDATE t SET a = (SELECT b FROM s WHERE s.id = 1)").effects[0].reason


def test_spans_point_at_the_statement() -> None:
    """The span of a write in the middle is its first word."""
    text = "SELECT 1; DROP TABLE users"
    payload = Payload(language="sql", text=text, cwd=None)
    effect = sql.read(msgspec_span(payload, text), AROUND).effects[0]
    assert text[effect.span.start : effect.span.end] == "DROP"


def msgspec_span(payload: Payload, text: str) -> Payload:
    """The payload with a span over its whole text."""
    import msgspec

    from checkrail.model import Span

    return msgspec.structs.replace(payload, span=Span(0, len(text)))


def test_a_database_in_memory_is_nobodys() -> None:
    """Writes there are free, what leaves it is not."""
    assert not asks(read("CREATE TABLE t(a); DROP TABLE t", "sqlite", target=":memory:"))
    assert asks(read("SELECT load_extension('x')", "sqlite", target=":memory:"))


@pytest.mark.parametrize(
    ("options", "free"),
    [
        ({"target": "/tmp/scratch.db"}, True),
        ({"database": "/tmp/scratch.db"}, True),
        ({"target": "file::memory:?cache=shared"}, True),
        ({"client": "sqlite3"}, True),
        ({}, False),
        ({"target": "app.db"}, False),
        ({"target": "/tmp/../work/app/app.db"}, False),
        ({"target": f"{HOLE}/x.db"}, False),
    ],
)
def test_only_a_scratch_database_is_free(options: dict[str, str], free: bool) -> None:
    """A file among temporary ones is; one in the workspace, or not known, is not."""
    assert asks(read("DELETE FROM t", "sqlite", **options)) is not free


def test_temporary_tables_are_free() -> None:
    """They end with the session."""
    assert not asks(read("CREATE TEMP TABLE t AS SELECT 1", "postgres"))
    assert asks(read("CREATE TABLE temp AS SELECT 1", "postgres"))


@pytest.mark.parametrize(
    "text",
    ["SELECT * FROM 'orders.csv'", "SELECT * FROM read_parquet('orders.parquet')", "COPY (SELECT 1) TO 'out.csv'"],
)
def test_files_of_a_local_engine_are_paths(text: str) -> None:
    """DuckDB opens files by itself."""
    reading = read(text, "duckdb")
    assert not asks(reading)
    assert any(
        effect.target.kind is TargetKind.PATH and effect.target.value.startswith("/work/app/")
        for effect in reading.effects
    )


def test_other_files_ask_and_addresses_are_urls() -> None:
    """A password file is no table; an address is fetched."""
    assert asks(read("SELECT * FROM '/etc/passwd'", "duckdb"))
    (payload,) = read("SELECT * FROM 'https://example.com/x.csv'", "duckdb").payloads
    assert payload.language == "url"


def test_an_unknown_function_gives_no_opinion() -> None:
    """It may do anything, so the read is not understood; named like a deed it asks."""
    reading = read("SELECT my_score(id) FROM t")
    assert reading.opaque and not asks(reading)


def test_a_part_that_is_not_known_gives_no_opinion() -> None:
    """A hole in a value leaves the statement a read, but not an understood one."""
    reading = read(f"SELECT * FROM t WHERE id = {HOLE}")
    assert reading.opaque and not asks(reading)


@given(
    st.text(max_size=300),
    st.sampled_from(["", "postgres", "mysql", "sqlite", "tsql", "duckdb", "snowflake", "bigquery", "clickhouse"]),
)
def test_any_text_is_read(text: str, dialect: str) -> None:
    """No text raises, and what has words is a read or asks."""
    read(text, dialect)
    read("SELECT " + text, dialect)


@pytest.mark.parametrize(
    "text",
    [
        "/*" * 60_000 + "*/" * 60_000,
        "(" * 100_000,
        "'" * 100_001,
        "select " * 30_000,
        "$a$" * 50_000,
        "\\'" * 60_000,
        "a." * 60_000,
        "--\n" * 60_000,
        ";" * 200_000,
    ],
)
def test_hostile_texts_end(text: str) -> None:
    """Deep and repeated openings are read in linear time."""
    for dialect in ("postgres", "mysql", ""):
        read(text, dialect)
