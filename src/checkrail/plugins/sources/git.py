"""A commit of a git repository as data: objects are fetched and read one by one, nothing is checked out.

So no hook, filter, attribute or submodule of the repository has any say, and the person's own git configuration has none either:
no credential helper is asked, which means public repositories and local ones only.
"""

import os
import re
import resource
import subprocess
import tempfile
from collections.abc import Iterator

from checkrail.plugins import unpack
from checkrail.plugins.unpack import File, Refused

COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9._~/+@%-]+")
_LOCAL = re.compile(r"(?:file://)?/[^\x00-\x1f\x7f]+")
SECONDS = 120
PACK = 4 * unpack.MOST_BYTES
"""Seconds that git may take, and bytes of one file that it may write."""
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.allow=never", "protocol.https.allow=always",
    "protocol.file.allow=always", "http.followRedirects=initial", "fetch.fsckObjects=true", "credential.helper=",
    "core.askPass=", "gc.auto=0", "maintenance.auto=false", "submodule.recurse=false",
)  # fmt: skip


def parsed(text: str) -> tuple[str, str]:
    """Address and commit of ``ADDRESS#COMMIT``. Raises :class:`Refused`."""
    address, _, commit = text.rpartition("#")
    if not address or not COMMIT.fullmatch(commit):
        raise Refused("a git source is pinned: ADDRESS#COMMIT, with all digits of the commit")
    if not (_ADDRESS.fullmatch(address) or _LOCAL.fullmatch(address)) or ".." in address.split("/"):
        raise Refused("a git source is an https address without a user, or a local path")
    return address, commit


def fetched(address: str, commit: str) -> dict[str, File]:
    """The files of a commit. Raises :class:`Refused`."""
    with tempfile.TemporaryDirectory(prefix="checkrail-git-") as folder:
        _git(folder, "init", "--quiet", "--bare", "--template=", folder)
        _git(folder, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", address, commit)
        found = _git(folder, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}").decode().strip()
        if found != commit:
            raise Refused("the repository gave another commit than the one that was asked for")
        return unpack.checked(_files(folder, commit))


def _files(folder: str, commit: str) -> Iterator[tuple[str, File]]:
    count = total = 0
    for line in _git(folder, "ls-tree", "-r", "-z", "-l", "--full-tree", commit).split(b"\0"):
        if not line:
            continue
        told, _, raw = line.partition(b"\t")
        mode, kind, identifier, size = told.split()
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("a name is not UTF-8") from None
        if kind != b"blob" or mode not in (b"100644", b"100755", b"100664"):
            raise Refused(f"{name[:120]!r} is a link or a submodule")
        count += 1
        total += int(size)
        if count > unpack.MOST_FILES or int(size) > unpack.LARGEST or total > unpack.MOST_BYTES:
            raise Refused("there are more files or bytes than are taken")
        content = _git(folder, "cat-file", "blob", identifier.decode("ascii"))
        yield name, File(content, mode == b"100755")


def _git(folder: str, *words: str) -> bytes:
    settings = [part for one in _SETTINGS for part in ("-c", one)]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "https:file",
        "GIT_CEILING_DIRECTORIES": folder, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_ASKPASS": "/bin/false", "LC_ALL": "C",
    }  # fmt: skip
    environment |= {name: os.environ[name] for name in _NETWORK if name in os.environ}
    try:
        done = subprocess.run(
            ["git", *settings, "--git-dir", folder, *words], env=environment, cwd=folder, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=SECONDS, check=False, preexec_fn=_bounded,
        )  # fmt: skip
    except FileNotFoundError:
        raise Refused("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise Refused(f"git took longer than {SECONDS} seconds") from None
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Refused(f"git {words[0]} failed: {told[-1][:200] if told else done.returncode}")
    return done.stdout


def _bounded() -> None:
    """No file that git writes, packs among them, grows without end."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (PACK, PACK))


_NETWORK = ("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "GIT_SSL_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR")
