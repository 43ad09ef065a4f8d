"""Compiling the hook in C."""

import subprocess
from pathlib import Path

import pytest

from checkrail.daemon import compiler, shim
from checkrail.daemon.compiler import CompileError
from checkrail.daemon.shim import ShimError

COMPILER = pytest.mark.skipif(not compiler.candidates(), reason="no C compiler: the hook in C is not tested")


@COMPILER
@pytest.mark.parametrize("text", ["/s p/ü'\"/so\\ck", "??=%s\n\t", "12", "\x01" + "7" * 3, "\udcff"])
def test_any_text_is_written_into_it(text: str, tmp_path: Path) -> None:
    """Quotes, backslashes, trigraphs, digits after an escape and bytes that are no UTF-8 arrive as they are."""
    own = shim.c_source(socket=Path(f"/{text}"), daemon=(text, "b")).partition("#ifdef")[0]
    show = '#include <stdio.h>\nstatic const char *all[] = {CHECKRAIL_SOCKET + 1, CHECKRAIL_DAEMON};\nint main(void) { int n; for (n = 0; n < 3; n++) printf("%s|", all[n]); return 0; }\n'
    program = tmp_path / "show"
    program.write_bytes(compiler.compiled(own + show, bare=False))
    program.chmod(0o700)
    said = subprocess.run((str(program),), capture_output=True, check=True).stdout
    assert said == f"{text}|{text}|b|".encode(errors="surrogateescape")


def test_a_text_that_c_cannot_hold_is_refused() -> None:
    """It would end where the NUL is."""
    with pytest.raises(ShimError, match="cannot be written"):
        shim.c_source(socket=Path("/s"), daemon=("a\0b",))


def test_both_hooks_pass_the_same_variables() -> None:
    """And have the same limits."""
    python, c = shim.source(), shim.source("checkrail-hook.c")
    names = python.partition('PASSED = b"""')[2].partition('"""')[0].split()
    listed = c.partition("passed[] = {")[2].partition("};")[0]
    assert [word.strip('",') for word in listed.split() if word.startswith('"')] == names
    for constant in ("0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0", "8 << 20", "CHECKRAIL_WAIT"):
        assert constant in python and constant in c


@COMPILER
def test_what_fails_its_trial_gives_way_to_the_next() -> None:
    """A program that compiles and does not run is none; the complaint of the last is told."""
    tried: list[bytes] = []

    def first_fails(program: bytes) -> None:
        tried.append(program)
        if len(tried) == 1:
            raise CompileError("it does not run")

    found = compiler.compiled("int main(void) { return 0; }", bare=False, trial=first_fails)
    assert tried[-1] == found and len(tried) == 2

    def all_fail(_program: bytes) -> None:
        raise CompileError("it does not run either")

    with pytest.raises(CompileError, match="not run either"):
        compiler.compiled("int main(void) { return 0; }", trial=all_fail)


def test_no_compiler_is_said(tmp_path: Path) -> None:
    """So that the hook in Python is taken."""
    with pytest.raises(CompileError, match="there is no C compiler"):
        compiler.compiled("", search=str(tmp_path))


@COMPILER
def test_what_the_compiler_complains_of_is_said() -> None:
    """The first lines of it."""
    with pytest.raises(CompileError, match="error"):
        compiler.compiled("int main(void) { return }")


def test_a_compiler_that_writes_nothing_is_none(tmp_path: Path) -> None:
    """Its exit code alone is not believed."""
    (tmp_path / "cc").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "cc").chmod(0o700)
    with pytest.raises(CompileError, match="it wrote nothing"):
        compiler.compiled("int main(void) { return 0; }", search=str(tmp_path))
