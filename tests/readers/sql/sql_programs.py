"""Makes up SQL for SQLite: reads of many shapes, writes in disguise, and damaged texts."""

import random

TABLES = ("items", "users", '"order"', "[select]", "`log`", "main.items")
SCHEMA = """
CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT, price REAL, deleted_at TEXT, "update" TEXT, created TEXT);
CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, price REAL, deleted_at TEXT, "update" TEXT, created TEXT);
CREATE TABLE "order"(id INTEGER PRIMARY KEY, name TEXT, price REAL, deleted_at TEXT, "update" TEXT, created TEXT);
CREATE TABLE "select"(id INTEGER PRIMARY KEY, name TEXT, price REAL, deleted_at TEXT, "update" TEXT, created TEXT);
CREATE TABLE log(id INTEGER PRIMARY KEY, name TEXT, price REAL, deleted_at TEXT, "update" TEXT, created TEXT);
CREATE INDEX by_name ON items(name);
INSERT INTO items VALUES (1, 'a', 2.5, NULL, 'x', '2024-01-01');
"""
_COLUMNS = ("id", "name", "price", "deleted_at", '"update"', "[update]", "`update`", "created")
_STRINGS = (
    "'a'",
    "'it''s'",
    "'; DROP TABLE items; --'",
    "'DELETE FROM users'",
    "'/*'",
    "'*/'",
    "'--'",
    "'\"'",
    "x'41'",
    "''",
    "'[`'",
    "'a\\'",
)
_FUNCTIONS = (
    "abs({})",
    "lower({})",
    "coalesce({}, 1)",
    "replace({}, 'a', 'b')",
    "substr({}, 1, 2)",
    "length({})",
    "date({})",
    "printf('%s', {})",
    "ifnull({}, 0)",
    "typeof({})",
)
_AGGREGATES = (
    "count(*)",
    "max(price)",
    "group_concat(name, ';')",
    "sum(price)",
    "total(price)",
    "json_group_array(name)",
)
_COMMENTS = (
    "",
    "",
    "",
    "",
    "/* note */",
    "-- DELETE FROM items\n",
    "/* ; DROP TABLE items */",
    "/**/",
    "/* ' */",
    "-- it's\n",
    '/* " */',
)


def _expression(source: random.Random, depth: int = 0) -> str:
    way = source.randrange(8 if depth < 3 else 3)
    if way == 0:
        return source.choice(_COLUMNS)
    if way == 1:
        return source.choice(_STRINGS)
    if way == 2:
        return str(source.randrange(100))
    if way == 3:
        return source.choice(_FUNCTIONS).format(_expression(source, depth + 1))
    if way == 4:
        return f"({_expression(source, depth + 1)} {source.choice(('+', '-', '||', '*', '<', '=', 'AND', 'OR', 'IS'))} {_expression(source, depth + 1)})"
    if way == 5:
        return f"CASE WHEN {_expression(source, depth + 1)} THEN {_expression(source, depth + 1)} ELSE {_expression(source, depth + 1)} END"
    if way == 6:
        return f"(SELECT {_expression(source, depth + 1)} FROM {source.choice(TABLES)} LIMIT 1)"
    return f"CAST({_expression(source, depth + 1)} AS TEXT)"


def _select(source: random.Random) -> str:
    what = ", ".join(
        _expression(source) + source.choice(("", "", " AS x", ' AS "drop"')) for _ in range(source.randrange(1, 4))
    )
    text = f"SELECT {source.choice(('', 'DISTINCT ', 'ALL '))}{what} FROM {source.choice(TABLES)}"
    if source.random() < 0.3:
        text += f" AS t LEFT JOIN {source.choice(TABLES)} AS u ON t.id = u.id"
        return text.replace(what, "t.id, u.name") + f" WHERE t.name = {source.choice(_STRINGS)}"
    if source.random() < 0.5:
        text += f" WHERE {_expression(source)} IN ({_expression(source)}, {_expression(source)})"
    if source.random() < 0.2:
        text += f" UNION ALL SELECT {', '.join(['1'] * (what.count(', ') + 1))} FROM items"
    return text + source.choice(("", " ORDER BY 1", " LIMIT 5", " ORDER BY 1 DESC LIMIT 2 OFFSET 1"))


def read(source: random.Random) -> str:
    """A statement that reads."""
    way = source.randrange(10)
    if way < 5:
        return _select(source)
    if way == 5:
        return f"WITH t AS ({_select(source)}) SELECT * FROM t"
    if way == 6:
        return f"SELECT {source.choice(_AGGREGATES)} FROM {source.choice(TABLES)} GROUP BY name HAVING count(*) > 1"
    if way == 7:
        return f"EXPLAIN {source.choice(('', 'QUERY PLAN '))}{source.choice((_select, write))(source)}"
    if way == 8:
        return f"VALUES ({_expression_plain(source)}), ({_expression_plain(source)})"
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n"


def _expression_plain(source: random.Random) -> str:
    return source.choice((*_STRINGS, "1", "NULL"))


def write(source: random.Random) -> str:
    """A statement that writes."""
    table = source.choice(TABLES)
    return source.choice(
        (
            f"DELETE FROM {table}",
            f"DELETE FROM {table} WHERE {_expression(source)}",
            f"UPDATE {table} SET name = {_expression(source)}",
            f"UPDATE OR REPLACE {table} SET price = 1 WHERE id = 1",
            f"INSERT INTO {table}(name) VALUES ({_expression_plain(source)})",
            f"REPLACE INTO {table}(id, name) VALUES (1, {_expression_plain(source)})",
            f"INSERT OR IGNORE INTO {table}(name) {_select_one(source)}",
            f"WITH t AS (SELECT 1) DELETE FROM {table} WHERE id IN (SELECT * FROM t)",
            f"WITH t AS (SELECT 1) UPDATE {table} SET name = 'x'",
            f"WITH t(a) AS (SELECT 1) INSERT INTO {table}(id) SELECT a + 1000 FROM t",
            "CREATE TABLE fresh(a)",
            "CREATE TABLE copied AS SELECT * FROM items",
            "CREATE TEMP TABLE passing(a)",
            "CREATE VIEW seen AS SELECT 1",
            "CREATE INDEX extra ON users(name)",
            "CREATE TRIGGER t AFTER INSERT ON items BEGIN DELETE FROM users; END",
            "DROP TABLE IF EXISTS items",
            "DROP INDEX by_name",
            "ALTER TABLE items ADD COLUMN more TEXT",
            "ALTER TABLE items RENAME TO moved",
            "REINDEX",
            "ANALYZE",
            "ATTACH ':memory:' AS other",
        )
    )


def _select_one(source: random.Random) -> str:
    return f"SELECT {_expression_plain(source)} FROM items"


def _spaced(text: str, source: random.Random) -> str:
    """Comments and odd blanks between words, letters in odd case."""
    parts = text.split(" ")
    out = [parts[0]]
    for part in parts[1:]:
        blank = (
            source.choice((" ", " ", " ", "\n", "\t", "  "))
            if source.random() < 0.9
            else f" {source.choice(_COMMENTS)} "
        )
        out.append(blank + part)
    return "".join(out)


def _damaged(text: str, source: random.Random) -> str:
    at = source.randrange(len(text) + 1)
    return (
        text[:at]
        + source.choice(("'", '"', "/*", "*/", "--", ";", "[", "]", "`", "(", ")", "\\", "#", "$$", "\x00", " "))
        + text[at:]
    )


def program(source: random.Random) -> str:
    """One to three statements, sometimes damaged."""
    ways = source.choice(
        ((read,), (read,), (read,), (write,), (read, write), (read, read), (write, read), (read, read, write))
    )
    text = source.choice(("", "", ";", "  ", "/* x */ ")) + source.choice((";", "; ", ";;\n")).join(
        _spaced(way(source), source) for way in ways
    )
    text += source.choice(("", "", ";", " ;"))
    if source.random() < 0.25:
        text = _damaged(text, source)
    return text
