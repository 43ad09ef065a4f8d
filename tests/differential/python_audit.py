"""Runs Python snippets under an audit hook that records each effect and refuses it. A program of its own: standard library only.

Reads a JSON list of snippets from standard input, runs them in the current folder, writes for each the list of effects as
``[kind, value]``. The hook cannot be taken off, and it raises before anything happens.
"""

import builtins
import contextlib
import io
import json
import os
import shutil
import signal
import sys
import threading

sys.dont_write_bytecode = True
RESTORED = (json, os, shutil, builtins)
PATHS = {
    "os.remove": "delete", "os.rmdir": "delete", "os.mkdir": "create", "os.chmod": "mode", "os.chown": "mode", "os.truncate": "write",
    "os.utime": "mode", "os.setxattr": "mode", "os.removexattr": "mode", "sqlite3.connect": "read", "os.chflags": "mode",
}  # fmt: skip
PROGRAMS = frozenset(
    {"os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "pty.spawn", "os.spawn"}
)
NETWORK = frozenset(
    {"socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "urllib.Request", "http.client.connect"}
)


class Refused(Exception):
    """An effect that the hook did not let happen."""


class Watch:
    """What the hook does while a snippet runs."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[tuple[str, str]] = []
        self.folder = os.getcwd()

    def hook(self, event: str, arguments: tuple[object, ...]) -> None:
        """Record and refuse."""
        if not self.on:
            return
        found = self.effects(event, arguments)
        if found:
            self.seen.extend(found)
            raise Refused(event)

    def effects(self, event: str, arguments: tuple[object, ...]) -> list[tuple[str, str]]:
        """The effects that an event announces."""
        if event == "open":
            return self.opened(arguments)
        if event in PATHS:
            return [(PATHS[event], self.where(arguments[0]))]
        if event == "os.rename":
            return [("delete", self.where(arguments[0])), ("write", self.where(arguments[1]))]
        if event in ("os.link", "os.symlink"):
            return [("create", self.where(arguments[1]))]
        if event in PROGRAMS:
            return [("run", event)]
        if event in NETWORK:
            return [("send", event)]
        if event in ("os.kill", "os.killpg", "signal.pthread_kill"):
            return [("stop", str(arguments[0]))]
        if event in ("ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function"):
            return [("native", event)]
        return []

    def opened(self, arguments: tuple[object, ...]) -> list[tuple[str, str]]:
        """What an open announces; reading outside the folder is how imports work."""
        path, mode, flags = (*arguments, None, None)[:3]
        if isinstance(path, int):
            return []
        where = self.where(path)
        writes = (isinstance(mode, str) and any(sign in mode for sign in "wax+")) or (
            mode is None
            and isinstance(flags, int)
            and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
        )
        if where == "/dev/null" or not (writes or where.startswith(self.folder)):
            return []
        return [("write" if writes else "read", where)]

    def where(self, path: object) -> str:
        """A path made absolute."""
        text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else str(path)
        return os.path.normpath(os.path.join(os.getcwd(), text))


def run(watch: Watch, snippet: str) -> list[tuple[str, str]]:
    """The effects of one snippet. Everything it could change for the next is put back."""
    saved = [dict(vars(module)) for module in RESTORED]
    environment = dict(os.environ)
    watch.seen = []
    code = compile(snippet, "<snippet>", "exec")
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            watch.on = True
            try:
                exec(code, {"__name__": "__main__"})
            except BaseException:  # whatever a snippet raises, its effects are what counts
                pass
            for thread in threading.enumerate():
                if thread is not threading.current_thread():
                    thread.join(0.2)
    finally:
        watch.on = False
        signal.setitimer(signal.ITIMER_REAL, 0)
    for module, names in zip(RESTORED, saved, strict=True):
        for name in set(vars(module)) - set(names):
            delattr(module, name)
        vars(module).update(names)
    os.chdir(watch.folder)
    os.environ.clear()
    os.environ.update(environment)
    return watch.seen


def main() -> None:
    """Run all snippets."""
    snippets = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    watch = Watch()
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError()))
    sys.addaudithook(watch.hook)
    results = [run(watch, snippet) for snippet in snippets]
    json.dump(results, out)
    out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
