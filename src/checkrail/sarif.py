"""The frame of a SARIF 2.1.0 document, for code scanning: who found something, by which rules, and the results."""

from collections.abc import Iterable
from typing import Any

from checkrail import __version__


def document(rules: Iterable[dict[str, Any]], results: list[dict[str, Any]], **run: Any) -> dict[str, Any]:
    """One run of Checkrail; ``rules`` are reporting descriptors (at least an ``id``), ``run`` further properties of the run."""
    driver = {"name": "checkrail", "version": __version__, "rules": list(rules)}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, **run, "results": results}],
    }
