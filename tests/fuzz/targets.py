"""What is fuzzed, from which seeds, and what must hold."""

import ast
import contextlib
import functools
import json
import os
import socket
import tomllib
import warnings
from pathlib import Path

from checkrail.agents import AGENTS, answered, hear
from checkrail.agents.samples import sample
from checkrail.daemon.protocol import (
    Answer,
    ProtocolError,
    Request,
    decode_answer,
    encode_answer,
    encode_request,
    receive_request,
)
from checkrail.model import Decision, Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from checkrail.policy.files import PolicyError, decoded, parse, parse_project
from checkrail.policy.layers import expanded, over
from tests.fuzz import file_targets
from tests.fuzz.target import HOST, ROOM, Broken, Target, judged, seeds, sound, stopped

CASES = Path(__file__).parent.parent.parent / "regression_cases"


@functools.cache
def _commands() -> tuple[str, ...]:
    found = [case.get("command") for path in sorted(CASES.glob("*.toml")) for case in tomllib.loads(path.read_text())["case"]]  # fmt: skip
    return tuple(text for text in found if isinstance(text, str) and len(text) < 2000)


def shell(text: str) -> None:
    """A shell runs the lines before the one that it cannot read."""
    judged("Bash", {"command": text})
    stopped(judged("Bash", {"command": f"rm -rf /\n{text}"}), "a deletion before the text")
    if "\0" not in text:
        stopped(judged("Bash", {"command": f"sh -c 'rm -rf ~\n' ; {text}"}), "a deletion in a shell before the text")


def python(text: str) -> None:
    """Python runs nothing of what it cannot read whole."""
    deletion = f"import shutil\nshutil.rmtree('/')\n{text}"
    line = "python3 - <<'A-WORD-THAT-ENDS-IT'\n{}\nA-WORD-THAT-ENDS-IT\n"
    judged("Bash", {"command": line.format(text)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(deletion)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    if "A-WORD" not in text:
        stopped(judged("Bash", {"command": line.format(deletion)}), "a deletion before the program")


def sql(text: str) -> None:
    """A server may take one statement after the other."""
    judged("mcp__postgres__execute_sql", {"query": text})
    stopped(judged("mcp__postgres__execute_sql", {"query": f"DROP DATABASE prod;\n{text}"}), "a dropped database before the text")  # fmt: skip


def url(text: str) -> None:
    """What follows the host does not change it; what stands before an @ does not hide it."""
    judged("WebFetch", {"url": text, "prompt": "p"})
    stopped(judged("WebFetch", {"url": f"http://169.254.169.254/{text}", "prompt": "p"}), "a metadata address")
    plain = "".join(character for character in text if character.isalnum() and character.isascii())
    stopped(judged("WebFetch", {"url": f"http://{plain}@169.254.169.254/", "prompt": "p"}), "a metadata address with a user")  # fmt: skip
    judged("Bash", {"command": "curl -s '" + text.replace("'", "'\\''") + "'"})


def policy(text: str) -> None:
    """A file is refused or kept in bounds: the floor holds by every policy that is taken."""
    for read in (parse, parse_project):
        with contextlib.suppress(PolicyError):
            read(decoded("/p/policy.toml", text.encode(errors="surrogatepass")), "/p/policy.toml")
    with contextlib.suppress(PolicyError, UnicodeError):
        text.encode()
        taken = over(BUILT_IN, expanded(parse(text, "/p/policy.toml"), HOST.home))
        event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": "rm -rf /"}, cwd=ROOM)
        if decide(event, host=HOST, policy=taken).decision is not Decision.DENY:
            raise Broken("a policy opens the floor")


def agents(text: str) -> None:
    """Every dialect: understood or said to be broken, judged and answered; an event that was not understood never passes."""
    name, _, said = text.partition("\n")
    raw = said.encode(errors="surrogatepass")
    event = hear(name, raw, cwd=ROOM, event="", environment={"HOME": "/home/dev"})
    verdict = sound(decide(event, host=HOST, policy=BUILT_IN))
    if event.fault and event.kind is EventKind.PRE and verdict.decision is Decision.ALLOW:
        raise Broken(f"allowed though not understood: {event.fault}")
    answered(event, verdict, explicit_allow="reads")


def frames(text: str) -> None:
    """Bytes that are a frame, or a ProtocolError; never anything else, and no bytes are added or lost."""
    data = text.encode("latin-1", errors="replace")
    with contextlib.suppress(ProtocolError):
        answer = decode_answer(data)
        if encode_answer(answer) != data:
            raise Broken("an answer that is encoded otherwise")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ProtocolError):
            request = receive_request(theirs, seconds=1)
            if request is not None and receive_request_again(request) != request:
                raise Broken("a request that is read otherwise the second time")


def receive_request_again(request: Request) -> Request | None:
    """A request that was read, sent anew."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(encode_request(request))
        ours.shutdown(socket.SHUT_WR)
        return receive_request(theirs, seconds=1)


def _frames() -> tuple[str, ...]:
    request = Request(
        agent="claude", event="pre", cwd="/a", environment={"HOME": "/h", "A": "b=c"}, raw=b'{"a": 1}', patience=7
    )
    answer = Answer(2, b"out", b"err")
    return tuple(
        data.decode("latin-1") for data in (encode_request(request), encode_request(Request()), encode_answer(answer))
    )


def _events() -> tuple[str, ...]:
    samples = [f"{name}\n{sample(name, 'ls -la; rm -rf build', ROOM).decode()}" for name in AGENTS if name != "generic"]
    generic = {"tool": "Bash", "input": {"command": "ls"}, "cwd": ROOM, "event": "pre", "session": "s"}
    return (*samples, f"generic\n{json.dumps(generic)}")


SHELL = (
    "$(", ")", "${", "}", "`", "<<E\n", "\nE\n", "<<<", "<(", ">(", "((", "))", "[[ ", " ]]", "case x in ", ";;", "esac", "if ", "then ", "fi",
    "for i in ", "do ", "done", "while ", "{ ", "; }", "function f ", "f() ", "&&", "||", "|&", ">&2", "&>", "$'", '$"', "\\x72", "eval ", "exec ",
    "sh -c ", "xargs ", "find . -exec ", "env -S ", "alias a=", "trap ", "source ", "sudo ", "rm -rf ", "/", "~", "*", "{a,b}", "$IFS", "${x:-y}",
    "${!x}", "${x//a/b}", "$((", "!", "#", "coproc ", "select ", "time ", "declare -n ", "export ", "set -- ", "\n", ";", "&", "git -c a=", "python3 -c ",
)  # fmt: skip
PYTHON = (
    "(", ")", "[", "]", "{", "}", ":", "\n", "\n    ", "def f():", "class A:", "lambda: ", "f'{", "}'", '"""', "b''", "import os\n", "os.system(", "eval(",
    "exec(", "getattr(", "__import__(", "subprocess.run(", "open(", "'w'", "shutil.rmtree(", "for x in ", "if ", "else:", "try:", "except:", "with ", "async ",
    "await ", "yield ", "match x:\n case ", "@", "*", "**", "->", ":=", "\\", "0x", "1e999", "'\\N{DASH}'", "del ", "global ", "/",
)  # fmt: skip
SQL = (
    "SELECT ", "FROM ", "DROP TABLE ", "DELETE FROM ", "UPDATE ", "SET ", "WHERE ", "1=1", ";", "--", "/*", "*/", "'", '"', "`", "$$", "$a$", "(", ")", "WITH a AS ",
    "UNION ", "EXPLAIN ANALYZE ", "COPY ", "TO PROGRAM ", "DO ", "BEGIN;", "EXECUTE ", "CREATE FUNCTION ", "TRUNCATE ", "ALTER ", "E'\\", "\\! ", "\\c ", "GO\n", "DELIMITER ",
)  # fmt: skip
URL = (
    "http://", "https://", "file://", "//", "@", ":", "/", "?", "#", "%2e", "..", "[::1]", "127.1", "0x7f.1", "2130706433", "xn--", "localhost", ".", "\\", "*",
    "169.254.169.254", "user:pw@", "%00", ":99999", "[::ffff:7f00:1]", "data:,", "javascript:", "ftp://", "&a=", "。", "①", "０", "api.github.com", "ghp_" + "a" * 36,
)  # fmt: skip
POLICY = (
    "[[rule]]\n", "[hosts]\n", 'id = "*"\n', 'decision = "allow"\n', 'path = "/**"\n', "[[agent]]\n", "[[tool]]\n", "[[spend]]\n", "[approvals]\n", 'profile = "permissive"\n',
    'explicit-allow = "auto"\n', "allow = [", "]", '"', "'", "=", "\n", "#", "{", "}", '"*"', "wait = 9", "999999999999999999999", "-1", "nan", "true", "1979-05-27", '"""',
    'scratch = ["/"]\n', 'scratch = ["~/"]\n', 'why = "x"\n', 'command = "rm"\n',
)  # fmt: skip
EVENT = (
    "{", "}", "[", "]", '"', ":", ",", "null", "true", "1e999", "-0", '""', '"\\ud800"', '"\\u0000"', '"tool_name"', '"tool_input"', '"command"', '"Bash"', '"hook_event_name"',
    '"PreToolUse"', '"cwd"', '"session_id"', "{}", "[[[[", '"a":', "\n", '"file_path"', '"content"', '"rm -rf /"',
)  # fmt: skip
FRAME = (
    "CKR1",
    "CKA1",
    "\0",
    "\0\0\0\5",
    "\xff\xff\xff\xff",
    "call",
    "status",
    "stop",
    "CHECKRAIL_WAIT=",
    "=",
    "9" * 30,
    "\x80",
    "²",
)


_OF_LANGUAGES = (
    Target("frames", frames, _frames, FRAME),
    Target("agents", agents, _events, EVENT),
    Target("shell", shell, _commands, SHELL),
    Target(
        "python",
        python,
        seeds(
            "import os\nfor p in os.listdir('.'):\n    print(p)\n",
            "import subprocess\nsubprocess.run(['ls', '-la'], check=True)\n",
            "from pathlib import Path\nPath('a').write_text(f'{1+1!r:>{10}}')\n",
            "def f(a, *b, c=1, **d):\n    return getattr(__import__('os'), 'system')('ls')\n",
            "x = [i for i in range(9) if (y := i)]\nmatch x:\n    case [1, *_]: pass\n",
        ),
        PYTHON,
    ),
    Target(
        "sql",
        sql,
        seeds(
            "SELECT id, name FROM users WHERE id = 1",
            "WITH a AS (SELECT * FROM o) DELETE FROM b USING a WHERE b.id = a.id",
            "DO $$ BEGIN EXECUTE 'DROP TABLE x'; END $$;",
            "UPDATE a SET b = 'c' WHERE d IN (SELECT 1);",
            "COPY a TO PROGRAM 'ls'",
            "INSERT INTO a VALUES (1, 'x''y', E'\\n', $b$c$b$) ON CONFLICT DO NOTHING",
        ),
        SQL,
    ),
    Target(
        "url",
        url,
        seeds(
            "https://docs.python.org/3/library/os.html?n=1#a",
            "http://user:pw@example.com:8080/a/../b",
            "http://[::1]:80/",
            "https://xn--mnchen-3ya.de/",
            "http://0x7f.1/",
        ),
        URL,
    ),
    Target(
        "policy",
        policy,
        seeds(
            'profile = "balanced"\nscratch = ["~/tmp/build"]\n[hosts]\nallow = ["*.internal.example"]\nblock = ["paste.example"]\n',
            '[[rule]]\nid = "git.push.*"\nbranch = "dev/*"\ndecision = "allow"\nwhy = "ours"\n[[rule]]\npath = "/srv/**"\ndecision = "ask"\n',
            '[[agent]]\nname = "reviewer"\nallowed = ["Read"]\n[[tool]]\nglob = "mcp__a__*"\nrisk = "low"\n',
            '[[spend]]\ncurrency = "EUR"\nper-call = 20\nper-day = "50.00"\n[approvals]\nwait = 5\nexpires = 60\n[audit]\nkeep-days = 3\n',
        ),
        POLICY,
    ),
)
TARGETS: tuple[Target, ...] = (*_OF_LANGUAGES, *file_targets.TARGETS)
BY_NAME = {target.name: target for target in TARGETS}
os.environ.setdefault("HOME", "/home/dev")
