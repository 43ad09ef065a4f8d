"""The table in the documentation is what the tests see today, and each of its columns stands on tests that exist."""

import ast
from pathlib import Path

from tests.agents import shown
from tests.agents.hosts import HOSTS
from tests.agents.test_table import shell

HERE = Path(__file__).parent


def named_in(module: Path) -> set[str]:
    """The names of the tests in a file, which need not be importable here."""
    return {node.name for node in ast.parse(module.read_text()).body if isinstance(node, ast.FunctionDef)}


def test_the_documentation_shows_what_the_tests_see() -> None:
    """If not: ``python -m tests.agents.shown``."""
    text = shown.DOCS.read_text()
    assert shown.written(text) == text


def test_every_column_stands_on_tests() -> None:
    """By recorded events for every agent, and with the real ones."""
    for column in shown.COLUMNS:
        for name, folder in ((column.recorded, HERE), (column.live, HERE / "live")):
            module, _, test = name.partition(".")
            assert test in named_in(folder / f"{module}.py"), name


def test_nothing_gets_past_but_where_the_table_says_so() -> None:
    """The one cell that is not as it should be is told: Cline understands nothing but JSON."""
    lost = {
        (agent, column.title)
        for agent in HOSTS
        for column in shown.COLUMNS
        if column.title != "no opinion"
        and not {"stopped", "asked"} >= set(column.look(agent, shell(agent)).split(" or "))
    }
    assert lost == {("cline", "denial beside a foreign line on stdout")}
