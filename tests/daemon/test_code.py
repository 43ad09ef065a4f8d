"""The version of the code changes with the code, and with nothing else."""

import os
from pathlib import Path

from checkrail import __version__
from checkrail.daemon import code


def test_it_follows_the_files_of_the_package(tmp_path: Path) -> None:
    """Content (by size or time), names and places count; caches do not."""
    (tmp_path / "deep" / "__pycache__").mkdir(parents=True)
    (tmp_path / "deep" / "a.py").write_text("1")
    (tmp_path / "rules.toml").write_text("1")
    seen = [code.version(tmp_path)]
    assert seen[0].startswith(f"{__version__}+")
    (tmp_path / "deep" / "__pycache__" / "a.cpython-311.pyc").write_text("x")
    (tmp_path / "deep" / "compiled.msgpack").write_text("x")
    assert code.version(tmp_path) == seen[0]
    for change in (
        lambda: (tmp_path / "rules.toml").write_text("12"),
        lambda: os.utime(tmp_path / "deep" / "a.py", (1, 1)),
        lambda: (tmp_path / "deep" / "a.py").rename(tmp_path / "a.py"),
        lambda: (tmp_path / "deep" / "b.py").write_text(""),
        lambda: (tmp_path / "a.py").unlink(),
    ):
        change()
        seen.append(code.version(tmp_path))
    assert len(set(seen)) == len(seen)


def test_an_installation_is_named_by_where_its_interpreter_lies() -> None:
    """Whatever the interpreter is called there."""
    assert code.installation("/v/bin/python") == code.installation("/v/bin/python3.11") == "/v/bin"
    assert code.installation("/w/bin/python") != code.installation("/v/bin/python")
