"""Random Python snippets: each reaches one library function by a random way and gives it a target that is spelled in a random way."""

import base64
import json
import random
from collections.abc import Iterator

OPERATIONS = (
    ("os", "remove", "{p}"), ("os", "unlink", "{p}"), ("os", "rmdir", "{p}"), ("os", "rename", "{p}, 'q'"), ("os", "replace", "{p}, 'q'"),
    ("os", "mkdir", "{p}"), ("os", "makedirs", "{p}"), ("os", "chmod", "{p}, 384"), ("os", "truncate", "{p}, 0"), ("os", "symlink", "'a', {p}"),
    ("os", "link", "'a', {p}"), ("os", "utime", "{p}"), ("os", "open", "{p}, 65"), ("os", "removedirs", "{p}"), ("os", "renames", "{p}, 'q'"),
    ("os", "system", "{c}"), ("os", "popen", "{c}"), ("os", "execv", "{c}, [{c}]"), ("os", "execlp", "{c}, {c}"), ("os", "spawnlp", "0, {c}, {c}"),
    ("os", "posix_spawn", "{c}, [{c}], dict()"), ("os", "kill", "4194303, 9"), ("subprocess", "run", "[{c}]"), ("subprocess", "call", "{c}"),
    ("subprocess", "check_output", "[{c}]"), ("subprocess", "Popen", "{c}, shell=True"), ("subprocess", "getoutput", "{c}"),
    ("shutil", "rmtree", "{p}"), ("shutil", "copy", "'a', {p}"), ("shutil", "move", "{p}, 'q'"), ("shutil", "copytree", "{d}, 'q'"),
    ("shutil", "make_archive", "{p}, 'zip', '.'"), ("builtins", "open", "{p}, 'w'"), ("builtins", "open", "{p}, mode='a'"), ("builtins", "open", "'a'"),
    ("io", "open", "{p}, 'x'"), ("codecs", "open", "{p}, 'w'"), ("gzip", "open", "{p}, 'wb'"), ("bz2", "open", "{p}, 'w'"), ("lzma", "open", "{p}, 'w'"),
    ("zipfile", "ZipFile", "{p}, 'w'"), ("tarfile", "open", "{p}, 'w'"), ("logging", "FileHandler", "{p}"), ("sqlite3", "connect", "{p}"),
    ("socket", "create_connection", "('192.0.2.1', 9), 1"), ("urllib.request", "urlopen", "'http://192.0.2.1/'"),
    ("urllib.request", "urlretrieve", "'http://192.0.2.1/', {p}"), ("http.server", "HTTPServer", "('127.0.0.1', 0), None"),
    ("smtplib", "SMTP", "'192.0.2.1'"), ("ftplib", "FTP", "'192.0.2.1'"), ("pathlib.Path", "unlink", "__import__('pathlib').Path({p})"),
    ("pathlib.Path", "write_text", "__import__('pathlib').Path({p}), 'x'"), ("pathlib.Path", "mkdir", "__import__('pathlib').Path({p})"),
    ("pathlib.Path", "touch", "__import__('pathlib').Path({p})"), ("pathlib.Path", "rename", "__import__('pathlib').Path({p}), 'q'"),
    ("pathlib.Path", "read_text", "__import__('pathlib').Path('a')"), ("pathlib.Path", "open", "__import__('pathlib').Path({p}), 'w'"),
    ("pathlib.Path", "chmod", "__import__('pathlib').Path({p}), 384"), ("fileinput", "input", "'a'"), ("shelve", "open", "{p}"), ("ctypes", "CDLL", "None"),
)  # fmt: skip


class Writer:
    """Makes snippets: ``lines`` come before the call."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.names = 0

    def name(self) -> str:
        """A new variable."""
        self.names += 1
        return f"v{self.names}"

    def text(self, value: str, depth: int = 2) -> str:
        """An expression that is worth a text."""
        way = self.choose.choice(TEXTS)
        if depth == 0 or way is None:
            return repr(value)
        return way(self, value, depth - 1)

    def snippet(self) -> str:
        """A snippet."""
        module, function, template = self.choose.choice(OPERATIONS)
        path = self.choose.choice(["a", "d/b", "./x", "new", "d"])
        arguments = template
        for key, value in (("{p}", path), ("{d}", "d"), ("{c}", "true")):
            while key in arguments:
                arguments = arguments.replace(key, self.text(value), 1)
        call = self.choose.choice(CALLS)(self, module, function, arguments)
        whole = "\n".join([*self.lines, call])
        for _ in range(self.choose.choice([0, 0, 1, 1, 2])):
            whole = self.choose.choice(WRAPS)(self, whole)
        return whole


def indented(text: str) -> str:
    """A block."""
    return "\n".join("    " + line for line in text.split("\n"))


def _split(w: Writer, value: str) -> tuple[str, str]:
    at = w.choose.randrange(len(value) + 1)
    return value[:at], value[at:]


def _concatenated(w: Writer, value: str, depth: int) -> str:
    one, other = _split(w, value)
    return f"({w.text(one, depth)} + {w.text(other, depth)})"


def _assigned(w: Writer, value: str, depth: int) -> str:
    name, text = w.name(), w.text(value, depth)
    w.lines.append(f"{name} = {text}")
    return name


def _formatted(w: Writer, value: str, depth: int) -> str:
    one, other = _split(w, value)
    return w.choose.choice(
        [
            f"'{one}%s' % {w.text(other, depth)}",
            f"'{one}{{}}'.format({w.text(other, depth)})",
            f"'%s%s' % ({one!r}, {other!r})",
            f"'{{a}}{other}'.format(a={one!r})",
        ]
    )


def _f_string(w: Writer, value: str, depth: int) -> str:
    one, other = _split(w, value)
    inner = _assigned(w, other, depth)
    return f"f'{one}{{{inner}}}'"


def _function(w: Writer, value: str, depth: int) -> str:
    name, text = w.name(), w.text(value, depth)
    form = w.choose.choice(
        [
            "def {n}():\n    return {t}",
            "{n} = lambda: {t}",
            "def {n}(a={t}):\n    return a",
            "async def x(): pass\ndef {n}(*a, **k):\n    return {t}",
        ]
    )
    w.lines.append(form.format(n=name, t=text))
    return f"{name}()"


def _class(w: Writer, value: str, depth: int) -> str:
    name, text = w.name(), w.text(value, depth)
    form = w.choose.choice(["class {n}:\n    x = {t}", "class {n}:\n    def __init__(self):\n        self.x = {t}\n{n} = {n}()", "import types\n{n} = types.SimpleNamespace(x={t})",
                            "class {n}:\n    @property\n    def x(self):\n        return {t}\n{n} = {n}()", "import collections\n{n} = collections.namedtuple('N', 'x')({t})"])  # fmt: skip
    w.lines.append(form.format(n=name, t=text))
    return f"{name}.x"


def _held(w: Writer, value: str, depth: int) -> str:
    text = w.text(value, depth)
    return w.choose.choice(
        [
            f"[{text}][0]",
            f"{{'k': {text}}}['k']",
            f"(0, {text})[-1]",
            f"dict(k={text}).get('k')",
            f"next(iter([{text}]))",
            f"[*[{text}]][0]",
            f"list(({text},)).pop()",
            f"max([{text}])",
        ]
    )


def _encoded(w: Writer, value: str, _depth: int) -> str:
    coded = base64.b64encode(value.encode())
    return w.choose.choice(
        [f"__import__('base64').b64decode({coded!r}).decode()", f"bytes.fromhex({value.encode().hex()!r}).decode()", f"''.join(map(chr, {[ord(c) for c in value]}))",
         f"''.join(chr(i) for i in {[ord(c) for c in value]})", f"{value[::-1]!r}[::-1]", f"{value.encode()!r}.decode()", f"__import__('codecs').decode({_rot(value)!r}, 'rot13')",
         f"{value.replace('a', 'Z')!r}.replace('Z', 'a')", f"{list(value)!r} and ''.join({list(value)!r})", f"__import__('json').loads({json.dumps(value)!r})",
         f"''.join(reversed({value[::-1]!r}))", f"{value.upper()!r}.lower()" if value.islower() else repr(value), f"str({value!r})", f"({value!r}, 'b')[False]"]
    )  # fmt: skip


def _rot(value: str) -> str:
    return "".join(chr((ord(c) - 97 + 13) % 26 + 97) if c.isalpha() else c for c in value)


def _branch(w: Writer, value: str, depth: int) -> str:
    name, text = w.name(), w.text(value, depth)
    form = w.choose.choice(["if 1:\n    {n} = {t}\nelse:\n    {n} = 'zz'", "try:\n    1 / 0\nexcept Exception:\n    {n} = {t}", "for {n} in [{t}]:\n    pass", "{n} = 'zz'\nwhile {n} == 'zz':\n    {n} = {t}",
                            "with open('/dev/null') as q:\n    {n} = {t}", "({n} := {t})", "{n} = ''\nfor c in {t}:\n    {n} += c", "try:\n    {n} = {t}\n    1 / 0\nexcept ZeroDivisionError:\n    pass",
                            "match 1:\n    case 1:\n        {n} = {t}", "{n}, _ = {t}, 1", "[{n}] = [{t}]", "*_, {n} = 1, {t}", "exec({r})", "globals()['{n}'] = {t}", "import builtins\nbuiltins.{n} = {t}"])  # fmt: skip
    w.lines.append(form.format(n=name, t=text, r=repr(f"{name} = {text}")))
    return name


TEXTS = (
    None,
    None,
    _concatenated,
    _assigned,
    _formatted,
    _f_string,
    _function,
    _class,
    _held,
    _encoded,
    _encoded,
    _branch,
    _branch,
)


def _plain(w: Writer, module: str, function: str, arguments: str) -> str:
    return w.choose.choice([
        f"import {_root(module)}\n{module}.{function}({arguments})", f"import {_root(module)} as m\n{_rest('m', module)}.{function}({arguments})",
        f"{_reached(module)}.{function}({arguments})", f"import importlib\nimportlib.import_module({_root(module)!r}){_tail(module)}.{function}({arguments})",
        f"import {_root(module)}\nf = {module}.{function}\nf({arguments})", f"import sys, {_root(module)}\nsys.modules[{_root(module)!r}]{_tail(module)}.{function}({arguments})",
        f"import {_root(module)}\nglobals()[{module.partition('.')[0]!r}]{_after_first(module)}.{function}({arguments})",
    ])  # fmt: skip


def _root(module: str) -> str:
    return "pathlib" if module == "pathlib.Path" else module


def _tail(module: str) -> str:
    return ".Path" if module == "pathlib.Path" else ""


def _rest(alias: str, module: str) -> str:
    return alias + _tail(module)


def _after_first(module: str) -> str:
    return module[len(module.partition(".")[0]) :]


def _reached(module: str) -> str:
    first = module.partition(".")[0]
    return f"__import__({_root(module)!r}){_after_first(module)}" if first != "importlib" else module


def _got(w: Writer, module: str, function: str) -> str:
    """An expression for the function itself."""
    owner = _reached(module)
    one, other = _split(w, function)
    return w.choose.choice([
        f"{owner}.{function}", f"getattr({owner}, {function!r})", f"getattr({owner}, {one!r} + {other!r})", f"getattr({owner}, {w.text(function, 1)})",
        f"vars({owner})[{function!r}]", f"{owner}.__dict__[{function!r}]", f"__import__('operator').attrgetter({function!r})({owner})",
        f"(lambda: {owner}.{function})()", f"[{owner}.{function}][0]", f"{{1: {owner}.{function}}}[1]", f"{owner}.__getattribute__({function!r})" if module not in ("pathlib.Path",) else f"{owner}.{function}",
        f"eval({f'{owner}.{function}'!r})", f"next(iter(({owner}.{function},)))", f"(0 or {owner}.{function})", f"({owner}.{function} if 1 else print)",
    ])  # fmt: skip


def _indirect(w: Writer, module: str, function: str, arguments: str) -> str:
    return f"({_got(w, module, function)})({arguments})"


def _handed(w: Writer, module: str, function: str, arguments: str) -> str:
    got = _got(w, module, function)
    return w.choose.choice([
        f"(lambda f: f({arguments}))({got})", f"def h(f, *a, **k):\n    return f(*a, **k)\nh({got}, {arguments})", f"import functools\nfunctools.partial({got}, {arguments})()",
        f"import threading\nt = threading.Thread(target=lambda: {got}({arguments}))\nt.start()", f"list(map(lambda _: {got}({arguments}), [1]))",
        f"[{got}({arguments}) for _ in range(1)]", f"any({got}({arguments}) for _ in [1])", f"sorted([1, 2], key=lambda _: {got}({arguments}))", f"a = ({arguments},)\n({got})(*a)" if "=" not in arguments.replace("==", "") else f"({got})({arguments})",
        f"k = dict(f={got})\nk['f']({arguments})", f"from contextlib import ExitStack\nwith ExitStack() as s:\n    s.callback(lambda: {got}({arguments}))",
        f"import re\nre.sub('a', lambda m: str({got}({arguments})), 'a')", f"import concurrent.futures as c\nwith c.ThreadPoolExecutor(1) as p:\n    p.submit(lambda: {got}({arguments}))",
        f"import json\njson.dumps = {got}\njson.dumps({arguments})", f"import json\nsetattr(json, 'zap', {got})\njson.zap({arguments})", f"import builtins\nbuiltins.zap = {got}\nzap({arguments})",
        f"import itertools\nlist(itertools.starmap(lambda: {got}({arguments}), [()]))", f"import atexit\nf = {got}\nf({arguments})", f"import asyncio\nasync def m():\n    {got}({arguments})\nasyncio.run(m())",
        f"import weakref\nf = {got}\nx = [f]\nx[-1]({arguments})", f"import collections\nd = collections.defaultdict(lambda: {got}({arguments}))\nd['x']", f"iter(lambda: {got}({arguments}), 1).__next__()",
        f"import functools\n@functools.lru_cache\ndef f():\n    return {got}({arguments})\nf()", f"import types\nn = types.SimpleNamespace(f={got})\nn.f({arguments})",
        f"exec({f'({got})({arguments})'!r})", f"eval(compile({f'({got})({arguments})'!r}, 'x', 'eval'))", f"f = g = {got}\ng({arguments})", f"def gen():\n    yield {got}({arguments})\nnext(gen())",
        f"import unittest.mock as u\nf = {got}\nu.Mock(side_effect=lambda: f({arguments}))()", f"import operator\noperator.call({got}, {arguments})", f"x = {{'a': {{'b': {got}}}}}\nx['a']['b']({arguments})",
    ])  # fmt: skip


def _dunder(w: Writer, module: str, function: str, arguments: str) -> str:
    call = f"({_got(w, module, function)})({arguments})"
    name, use = w.choose.choice([
        ("__init__(self)", "C()"), ("__call__(self)", "C()()"), ("__enter__(self)", "with C(): pass"), ("__getattr__(self, n)", "C().q"), ("__getitem__(self, n)", "C()[0]"), ("__str__(self)", "str(C())"),
        ("__repr__(self)", "repr(C())"), ("__add__(self, o)", "C() + 1"), ("__eq__(self, o)", "C() == 1"), ("__len__(self)", "len(C())"), ("__bool__(self)", "bool(C())"), ("__iter__(self)", "list(C())"),
        ("__contains__(self, o)", "1 in C()"), ("__hash__(self)", "hash(C())"), ("__format__(self, s)", "f'{C()}'"), ("__del__(self)", "C()"), ("__setattr__(self, n, v)", "C().x = 1"), ("__delitem__(self, n)", "del C()[0]"),
        ("__init_subclass__(cls)", "class D(C): pass"), ("__set_name__(self, o, n)", "class D:\n    x = C()"), ("__get__(self, o, t)", "class D:\n    x = C()\nD.x"), ("__new__(cls)", "C()"), ("__index__(self)", "[1][C()]"),
        ("go(self)", "C().go()"), ("go(self)", "f = C().go\nf()"), ("__neg__(self)", "-C()"), ("__lt__(self, o)", "sorted([C(), C()])"), ("__fspath__(self)", "open(C())"), ("__class_getitem__(cls, n)", "C[1]"),
        ("__missing__(self, n)", "class D(C, dict): pass\nD()['x']"), ("__reduce__(self)", "import pickle\npickle.dumps(C())"), ("__exit__(self, *a)", "class D(C):\n    def __enter__(self): pass\nwith D(): pass"),
    ])  # fmt: skip
    return f"class C:\n    def {name}:\n        {call}\n{use}"


def _stored(w: Writer, module: str, function: str, arguments: str) -> str:
    got = _got(w, module, function)
    return w.choose.choice([
        f"class C:\n    f = staticmethod({got})\nC.f({arguments})", f"class C:\n    def __init__(self, f):\n        self.f = f\nC({got}).f({arguments})", f"class B:\n    def go(self):\n        {got}({arguments})\nclass C(B): pass\nC().go()",
        f"class B:\n    def go(self):\n        {got}({arguments})\nclass C(B):\n    def go(self):\n        super().go()\nC().go()", f"C = type('C', (), {{'f': staticmethod({got})}})\nC.f({arguments})",
        f"class C:\n    @classmethod\n    def go(cls):\n        return {got}({arguments})\nC.go()", f"import enum\nclass E(enum.Enum):\n    A = ({got},)\nE.A.value[0]({arguments})", f"def outer():\n    f = {got}\n    def inner():\n        f({arguments})\n    return inner\nouter()()",
        f"def r(n):\n    if n: return r(n - 1)\n    {got}({arguments})\nr(3)", f"import dataclasses\n@dataclasses.dataclass\nclass C:\n    f: object = None\nC(f={got}).f({arguments})", f"def d(f):\n    {got}({arguments})\n    return f\n@d\ndef g(): pass",
        f"def d(f):\n    def w(*a):\n        return f(*a)\n    return w\n@d\ndef g():\n    {got}({arguments})\ng()", f"fs = []\nfs.append({got})\nfs[0]({arguments})", f"fs = {{}}\nfs['x'] = {got}\nfor f in fs.values():\n    f({arguments})",
        f"fs = {{}}\nfs.update(x={got})\nfs['x']({arguments})", f"fs = [print, {got}]\nfor f in fs:\n    try:\n        f({arguments})\n    except TypeError:\n        pass", f"f = None\ndef s():\n    global f\n    f = {got}\ns()\nf({arguments})",
        f"import pickle\nclass P:\n    def __reduce__(self):\n        return ({got}, ({arguments},))\npickle.loads(pickle.dumps(P()))" if "=" not in arguments else f"({got})({arguments})", f"fs = (print, {got})\nfs[len('a')]({arguments})", f"a, b = print, {got}\nb({arguments})",
        f"class M(type):\n    def __call__(cls):\n        return {got}({arguments})\nclass C(metaclass=M): pass\nC()", f"import functools\nclass C:\n    @functools.cached_property\n    def x(self):\n        return {got}({arguments})\nC().x",
        f"def f(a, *, b={got}):\n    return b({arguments})\nf(1)", f"import contextlib\n@contextlib.contextmanager\ndef c():\n    {got}({arguments})\n    yield\nwith c(): pass", f"x = [print]\ny = x\ny[0] = {got}\nx[0]({arguments})", f"import copy\nx = copy.copy([{got}])\nx[0]({arguments})",
    ])  # fmt: skip


def _from(w: Writer, module: str, function: str, arguments: str) -> str:
    if module == "pathlib.Path":
        return f"from pathlib import Path as P\nP.{function}({arguments})"
    return w.choose.choice(
        [
            f"from {module} import {function} as f\nf({arguments})",
            f"from {module} import {function}\n{function}({arguments})",
            f"from {module} import *\n{function}({arguments})" if module != "builtins" else f"{function}({arguments})",
        ]
    )


def _elsewhere(w: Writer, module: str, function: str, arguments: str) -> str:
    if module not in ("os", "shutil", "subprocess"):
        return _plain(w, module, function, arguments)
    hosts = {
        "os": ["shutil", "subprocess", "tempfile", "glob", "pathlib"],
        "shutil": ["tempfile", "zipfile"],
        "subprocess": ["pydoc", "multiprocessing.util"],
    }
    host = w.choose.choice(hosts[module])
    return (
        f"import {host}\nimport {module}\n{host}.{module}.{function}({arguments})"
        if host != "multiprocessing.util"
        else _plain(w, module, function, arguments)
    )


CALLS = (_plain, _plain, _indirect, _indirect, _handed, _handed, _dunder, _stored, _stored, _from, _elsewhere)


def _function_wrap(w: Writer, text: str) -> str:
    name = w.name()
    return (
        f"def {name}():\n{indented(text)}\n{name}()"
        if "global " not in text and "import *" not in text and "globals()" not in text and "exec(" not in text
        else text
    )


WRAPS = (
    _function_wrap,
    lambda _w, text: f"if True:\n{indented(text)}",
    lambda _w, text: f"for _ in range(2):\n{indented(text)}",
    lambda _w, text: f"try:\n{indented(text)}\nfinally:\n    pass",
    lambda _w, text: f"try:\n    raise ValueError\nexcept ValueError:\n{indented(text)}",
    lambda _w, text: f"while True:\n{indented(text)}\n    break",
    lambda _w, text: f"exec({text!r})",
    lambda _w, text: f"import base64\nexec(base64.b64decode({base64.b64encode(text.encode())!r}))",
    lambda _w, text: f"match 1:\n    case _:\n{indented(indented(text))}",
    lambda _w, text: f"x = 1\ndel x\n{text}",
)


def snippets(seed: int, count: int) -> Iterator[str]:
    """Random snippets that compile."""
    choose = random.Random(seed)
    made = 0
    while made < count:
        text = Writer(choose).snippet()
        try:
            compile(text, "<snippet>", "exec")
        except SyntaxError:
            continue
        made += 1
        yield text
