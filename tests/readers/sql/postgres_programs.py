"""Makes up SQL for PostgreSQL: reads of many shapes, and writes in disguise."""

import random

SCHEMA = """
CREATE TABLE items(id int PRIMARY KEY, name text, price numeric, deleted_at timestamptz, "update" text, tags text[], doc jsonb);
CREATE TABLE "order"(id int PRIMARY KEY, name text, price numeric, deleted_at timestamptz, "update" text, tags text[], doc jsonb);
CREATE SEQUENCE steps;
CREATE VIEW cheap AS SELECT * FROM items WHERE price < 5;
INSERT INTO items VALUES (1, 'a', 2.5, NULL, 'x', '{a,b}', '{"k": 1}');
"""
_TABLES = ("items", '"order"', "cheap", "public.items", "ONLY items", "(SELECT * FROM items) AS s")
_TEXTS = (
    "name", '"update"', "'it''s'", "'; DROP TABLE items; --'", "E'it\\'s; DELETE FROM items'", "$$; DROP TABLE items$$", "$a$ $$ ' $a$",
    "U&'d\\0061ta'", "'/*'", "'--'", "'a\\'", "upper(name)", "replace(name, 'a', 'b')", "doc ->> 'k'", "doc #>> '{k}'", "coalesce(name, 'x')",
    "concat_ws(',', name, id)", "format('%s', id)", "to_char(now(), 'YYYY')", "left(name, 2)", "split_part(name, ',', 1)", "name || 'x'",
    "CASE WHEN id > 1 THEN 'delete' ELSE 'insert' END", "id::text", "CAST(id AS text)", "substring(name FROM 1 FOR 2)", "trim(BOTH ' ' FROM name)",
    "(SELECT max(name) FROM items)", "array_to_string(tags, ',')", "tags[1]", "current_user::text", "extract(year FROM now())::text",
    "regexp_replace(name, 'a', 'b', 'g')", "md5(name)", "quote_ident(name)", "pg_typeof(id)::text", "jsonb_build_object('a', id)::text",
)  # fmt: skip
_NUMBERS = (
    "id",
    "price",
    "1",
    "1.5e3",
    "length(name)",
    "abs(price)",
    "round(price, 1)",
    "greatest(1, 2)",
    "coalesce(price, 0)",
    "(doc ->> 'k')::int",
    "cardinality(tags)",
)
_CONDITIONS = (
    "id = 1", "name LIKE '%; DROP%'", "name ~ '^a'", "id IN (1, 2)", "id = ANY (ARRAY[1, 2])", "EXISTS (SELECT 1 FROM items)", "deleted_at IS NULL",
    "price BETWEEN 1 AND 5", "doc @> '{\"k\": 1}'", "doc ? 'k'", "'a' = ANY (tags)", "name ILIKE 'a%'", "NOT (id > 1 AND price < 2)", "tags && '{a}'",
    "deleted_at > now() - interval '1 day'", "name IS DISTINCT FROM 'x'",
)  # fmt: skip
_COMMENTS = (
    "",
    "",
    "",
    "",
    "/* note */ ",
    "-- DELETE FROM items\n",
    "/* a /* b */ c */ ",
    "/**/ ",
    "/* ' */ ",
    "-- it's\n",
)


def _select(source: random.Random) -> str:
    columns = ", ".join(
        source.choice(_TEXTS + _NUMBERS) + source.choice(("", "", f" AS c{at}", f' AS "drop{at}"'))
        for at in range(source.randrange(1, 4))
    )
    text = f"SELECT {columns} FROM {source.choice(_TABLES)}"
    if source.random() < 0.6:
        text += f" WHERE {source.choice(_CONDITIONS)}" + source.choice(
            ("", f" AND {source.choice(_CONDITIONS)}", f" OR {source.choice(_CONDITIONS)}")
        )
    return text + source.choice(
        ("", " ORDER BY 1", " LIMIT 5", " ORDER BY 1 DESC NULLS LAST OFFSET 1", " FETCH FIRST 2 ROWS ONLY")
    )


def read(source: random.Random) -> str:
    """A statement that reads."""
    return source.choice(
        (
            *([_select(source)] * 6),
            f"WITH t AS ({_select(source)}) SELECT count(*) FROM t",
            f"WITH t(a) AS MATERIALIZED (SELECT id FROM items), u AS (TABLE t) SELECT * FROM u",  # noqa: F541
            "SELECT name, count(*), string_agg(name, ';' ORDER BY id), sum(price) FILTER (WHERE id > 1) FROM items GROUP BY ROLLUP (name) HAVING count(*) > 0",
            "SELECT id, row_number() OVER (PARTITION BY name ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM items",
            "SELECT i.id FROM items i LEFT JOIN LATERAL (SELECT * FROM items j WHERE j.id = i.id) k ON true CROSS JOIN generate_series(1, 2) g(n)",
            "SELECT * FROM jsonb_to_recordset('[{\"a\":1}]') AS x(a int)",
            "SELECT * FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS u(v, n)",
            "TABLE items",
            "VALUES (1, 'a'), (2, 'DELETE')",
            "SELECT 1 UNION ALL SELECT 2 EXCEPT SELECT 3",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
            f"EXPLAIN {_select(source)}",
            f"EXPLAIN (COSTS off, FORMAT json) {_select(source)}",
            f"EXPLAIN ANALYZE {_select(source)}",
            "EXPLAIN DELETE FROM items",
            "EXPLAIN (ANALYZE false) UPDATE items SET name = 'x'",
            f"COPY ({_select(source)}) TO STDOUT",
            "SHOW search_path",
            "SELECT pg_size_pretty(pg_total_relation_size('items'))",
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'items'",
            "SELECT current_setting('server_version'), version()",
            "SET statement_timeout = '5s'",
            "SELECT currval('steps') FROM items WHERE false",
        )
    )


def write(source: random.Random) -> str:
    """A statement that writes."""
    text = source.choice(_TEXTS[2:9])
    return source.choice(
        (
            f"DELETE FROM items WHERE {source.choice(_CONDITIONS)}",
            f"UPDATE items SET name = {text}",
            f"UPDATE ONLY items AS i SET name = {text} WHERE i.id = 1 RETURNING *",
            f"INSERT INTO items(id, name) VALUES (7, {text}) ON CONFLICT (id) DO UPDATE SET name = 'y'",
            "MERGE INTO items i USING items j ON i.id = j.id WHEN MATCHED THEN DELETE",
            f"WITH t AS (DELETE FROM items RETURNING *) {source.choice(('SELECT * FROM t', 'TABLE t'))}",
            "WITH t AS (SELECT 1) UPDATE items SET name = 'x'",
            "WITH t AS (SELECT 1), u AS (INSERT INTO items(id) SELECT 9 RETURNING id) SELECT * FROM t, u",
            f"EXPLAIN ANALYZE {source.choice(('DELETE FROM items', 'UPDATE items SET id = id'))}",
            "EXPLAIN (VERBOSE, ANALYZE on) DELETE FROM items",
            "EXPLAIN (ANALYZE) INSERT INTO items(id) VALUES (8)",
            "SELECT * INTO copied FROM items",
            "SELECT id FROM items FOR UPDATE",
            "SELECT id FROM items FOR NO KEY UPDATE SKIP LOCKED",
            "SELECT id FROM items FOR SHARE OF items",
            "SELECT nextval('steps')",
            "SELECT pg_catalog.setval('steps', 5)",
            "SELECT \"setval\"('steps', 5)",
            "SELECT U&\"\\0073etval\"('steps', 5)",
            "SELECT lo_create(0)",
            "SELECT lo_from_bytea(0, 'x')",
            "CREATE TABLE fresh(a int)",
            "CREATE TABLE fresh AS SELECT * FROM items",
            "CREATE OR REPLACE VIEW seen AS SELECT 1",
            "CREATE INDEX ON items(name)",
            "DROP TABLE IF EXISTS items CASCADE",
            "TRUNCATE items",
            "ALTER TABLE items ADD COLUMN more text",
            "COMMENT ON TABLE items IS 'x'",
            "GRANT SELECT ON items TO PUBLIC",
            "DO $$ BEGIN DELETE FROM items; END $$",
            "REFRESH MATERIALIZED VIEW none",
            "LOCK TABLE items",
            "NOTIFY x",
            "SELECT pg_notify('x', 'y')",
            "SELECT set_config('work_mem', '8MB', false)",
            "SELECT pg_advisory_lock(1), pg_advisory_unlock(1)",
            "COPY items FROM '/dev/null'",
            "REINDEX TABLE items",
            "PREPARE p AS DELETE FROM items",
        )
    )


def spaced(text: str, source: random.Random) -> str:
    """Comments and odd blanks before the statement and after its first word."""
    head, _, rest = text.partition(" ")
    head = "".join(source.choice((letter, letter.upper(), letter.lower())) for letter in head)
    return source.choice(_COMMENTS) + head + source.choice((" ", "\n", "\t", "  ")) + source.choice(_COMMENTS) + rest


def program(source: random.Random) -> tuple[str, bool]:
    """One or two statements, and whether one of them writes."""
    ways = source.choice(((read,), (read,), (write,), (read, write), (read, read)))
    return ";\n".join(spaced(way(source), source) for way in ways), write in ways
