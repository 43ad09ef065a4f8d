"""The frame of SARIF documents."""

from checkrail import __version__, sarif


def test_one_run_of_checkrail() -> None:
    """Its rules, its results, and what else the caller says of the run."""
    found = sarif.document(iter([{"id": "a.b"}]), [{"ruleId": "a.b"}], columnKind="utf16CodeUnits")
    assert found["version"] == "2.1.0"
    (run,) = found["runs"]
    assert run["tool"]["driver"] == {"name": "checkrail", "version": __version__, "rules": [{"id": "a.b"}]}
    assert run["results"] == [{"ruleId": "a.b"}]
    assert run["columnKind"] == "utf16CodeUnits"
