"""``checkrail status``: what it says of admission."""

import pytest

from checkrail.admission import pins
from checkrail.admission.records import Definition
from checkrail.cli import main
from checkrail.places import Places


def _said(capsys: pytest.CaptureFixture[str]) -> str:
    main(["status"])
    return next(line for line in capsys.readouterr().out.splitlines() if line.startswith("admission"))


def test_admission(where: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a lock the hint how to begin; else what is pinned and what is held back; a broken one is named."""
    assert _said(capsys) == "admission no lock; run: checkrail scan"
    lock = pins.with_pins(pins.Lock(), [Definition("s", {"name": "a"}), Definition("s", {"name": "p"}, kind="prompt")])
    pins.save(where.config / pins.NAME, pins.with_quarantined(lock, {"bad": "fmt: quarantine"}))
    assert _said(capsys) == "admission 2 definitions of 1 servers pinned, quarantined: bad"
    (where.config / pins.NAME).write_text("{")
    assert str(where.config / pins.NAME) in _said(capsys)
