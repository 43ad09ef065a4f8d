"""What a make target, a package script or a recipe would run comes back as texts; what cannot be read is opaque, never certain."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.model import HOLE
from tests.readers.code_reading import lines, reading

MAKEFILE = """
# a comment
OUT ?= build
DEEP := $(OUT)/deep
SOURCES = a.c \\
  b.c
VERSION := $(shell git describe)
include config.mk

.PHONY: all clean
all: app
\t@echo done

app: a.o b.o
\t$(CC) -o $@ $^

%.o: %.c
\tcc -c $< -o $@

clean:
\t-rm -rf $(DEEP) \\
\t\t$(OUT)/x
\t@for f in *.o; do rm $$f; done
\t$(MAKE) -C sub clean

wipe: clean
\trm -rf $(UNSET)/

ifeq ($(OS),x)
odd: ; echo $(word 2,a b)
endif
"""


def ran(language: str, text: str, *options: tuple[str, str]) -> list[str]:
    """The texts that would run, and ``opaque``."""
    return [line.removeprefix("shell: ") for line in lines(reading(language, text, options=options))]


def make(target: str) -> list[str]:
    """What the Makefile above runs for a target, without the shell call at its head."""
    return [line for line in ran("makefile", MAKEFILE, ("target", target)) if line != "git describe"]


def test_a_recipe_is_expanded() -> None:
    """Variables are put in, ``$$`` is undone, prefixes go, continued lines stay together."""
    first, second, third = make("clean")
    assert first.replace("\\\n", "").split() == ["rm", "-rf", "build/deep", "build/x"]
    assert second == "for f in *.o; do rm $f; done"
    assert third == "make -C sub clean"


def test_shell_functions_run_at_the_head() -> None:
    """``$(shell …)`` in an assignment runs whatever the target is."""
    assert "git describe" in ran("makefile", MAKEFILE, ("target", "clean"))


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("$(shell touch x)", "touch x"),
        ("ifeq ($(shell touch x),)\nendif", "touch x"),
        ("other: $(shell touch x)", "touch x"),
        ("include $(shell touch x)", "touch x"),
        ("$(eval A := $(shell touch x))", "touch x"),
        ("$(file >out/y,text)", ": > out/y"),
        ("A := $(file >>'a b',text)", ": >> ''\"'\"'a b'\"'\"''"),
    ],
)
def test_functions_act_wherever_they_stand(line: str, command: str) -> None:
    """What make expands while it reads runs whatever the target is; in a comment nothing does."""
    assert command in ran("makefile", f"{line}\nall:\n\techo hi\n", ("target", "all"))
    assert command not in ran("makefile", f"# {line.partition(chr(10))[0]}\nall:\n\techo hi\n", ("target", "all"))


def test_prerequisites_run_first_by_rule_and_pattern() -> None:
    """A target runs what it needs, pattern rules included."""
    assert make("all") == ["cc -c a.c -o a.o", "cc -c b.c -o b.o", "cc -o app a.o b.o", "echo done"]
    assert make("") == make("all")


def test_a_variable_that_nothing_sets_is_empty_as_in_make() -> None:
    """It collapses the path it stands in, unless an included file may set it."""
    assert f"rm -rf {HOLE}/" in make("wipe")
    assert ran("makefile", "wipe:\n\trm -rf $(UNSET)/\n", ("target", "wipe")) == ["rm -rf /"]


def test_functions_leave_holes() -> None:
    """What make computes is not known; both branches of a condition count."""
    assert make("odd") == [f"echo {HOLE}"]


@pytest.mark.parametrize(
    ("language", "text", "option"),
    [
        ("makefile", "a:\n\tls\n", ("target", "missing")),
        ("makefile", ".RECIPEPREFIX = >\na:\n> rm x\n", ("target", "a")),
        ("package-script", "{", ("script", "test")),
        ("package-script", '{"scripts": {"a": 1}}', ("script", "a")),
        ("package-script", "[]", ("script", "a")),
        ("justfile", "a:\n  ls\n", ("recipe", "b")),
        ("justfile", "set shell := ['python3', '-c']\na:\n  ls\n", ("recipe", "a")),
    ],
)
def test_what_cannot_be_read_is_opaque(language: str, text: str, option: tuple[str, str]) -> None:
    """A missing target or a broken file gives no certainty."""
    assert ran(language, text, option) == ["opaque"]


PACKAGE = json.dumps(
    {"scripts": {"pretest": "tsc", "test": "jest", "posttest": "rm -rf out", "postinstall": "node x.js", "a": "b"}}
)


def test_a_package_script_runs_with_what_comes_before_and_after() -> None:
    """``pre`` and ``post`` scripts belong to it; arguments go to it alone."""
    assert ran("package-script", PACKAGE, ("script", "test"), ("arguments", "--ci")) == [
        "tsc",
        "jest --ci",
        "rm -rf out",
    ]
    assert ran("package-script", PACKAGE, ("script", "a")) == ["b"]
    assert ran("package-script", PACKAGE, ("script", "install")) == ["node x.js"]


JUSTFILE = """
out := 'build'
deep := out / 'x'
now := `date`
alias c := clean

# the default
default: build

build target='x': (test target)
    @echo {{target}} {{out}}

test t:
    pytest

clean:
    -rm -rf {{deep}}
    rm \\
      {{ out }}

script:
    #!/usr/bin/env python3
    import os
    os.remove('x')
"""


def just(name: str) -> list[str]:
    """What the justfile above runs for a recipe, without its backticks."""
    return [line for line in ran("justfile", JUSTFILE, ("recipe", name)) if line != "date"]


def test_a_recipe_of_just_is_expanded() -> None:
    """Variables and aliases are followed, prefixes go, parameters are holes, dependencies run first."""
    assert just("c") == ["rm -rf build/x", "rm  build"]
    assert just("") == ["pytest", f"echo {HOLE} build"]
    assert just("script") == ["python: import os\nos.remove('x')\n"]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([("makefile", "target"), ("package-script", "script"), ("justfile", "recipe")]),
    st.text(alphabet="a$(){}:=\n\t \\#%@<`'\"!+-,;|", max_size=80),
)
def test_any_text_is_answered(kind: tuple[str, str], text: str) -> None:
    """Arbitrary text never raises."""
    reading(kind[0], text, options=((kind[1], "a"),))


@pytest.mark.parametrize(
    "text",
    [
        "A = $(A)\na:\n\t$(A)\n",
        "A=$(B)$(B)\nB=$(C)$(C)\nC=" + "x" * 9999 + "\na:\n\t$(A)\n",
        "a: a\n\tx\n",
        "a:\n" + "\tx$@\n" * 999,
        "$(" * 999,
        "\\\n" * 9999,
    ],
)
def test_hostile_makefiles_are_answered(text: str) -> None:
    """Variables of themselves, explosions, loops and long recipes end in a reading."""
    reading("makefile", text, options=(("target", "a"),))
