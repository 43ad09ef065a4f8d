"""Against a real PostgreSQL in a throw-away cluster: what a read-only transaction refuses is never called a read."""

import glob
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Action, Payload
from checkrail.readers import sql
from tests.readers.sql.postgres_programs import SCHEMA, program

COUNT = int(os.environ.get("CHECKRAIL_DIFFERENTIAL", "300"))
AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/w", cwd="/w")
BINARIES = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), "")
PSQL = shutil.which("psql")
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The folder of the socket of a cluster that ends with the test."""
    if not BINARIES or PSQL is None or (AS_NOBODY and shutil.which("setpriv") is None):
        pytest.skip("needs PostgreSQL's server and psql")
    with tempfile.TemporaryDirectory(prefix="pg") as folder:  # a socket's path must be short
        if AS_NOBODY:
            os.chown(folder, 65534, 65534)
        base, control = Path(folder) / "data", [*AS_NOBODY, f"{BINARIES}/pg_ctl", "-D", f"{folder}/data", "-w"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        subprocess.run(
            [*AS_NOBODY, f"{BINARIES}/initdb", "-D", str(base), "-A", "trust", "-U", "dev", "-N"], check=True, **quiet
        )  # type: ignore[call-overload]
        options = f"-c listen_addresses='' -k {folder} -c fsync=off"
        subprocess.run([*control, "-o", options, "-l", f"{folder}/log", "start"], check=True, **quiet)  # type: ignore[call-overload]
        try:
            _psql(folder, SCHEMA)
            yield folder
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=False, **quiet)  # type: ignore[call-overload]


def _psql(folder: str, text: str) -> str:
    """What psql says on standard error."""
    command = [str(PSQL), "-h", folder, "-U", "dev", "-X", "-q", "-At", "-v", "VERBOSITY=sqlstate", "postgres"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stderr


def _refused(folder: str, texts: list[str]) -> list[set[str]]:
    """The error codes of each text in a transaction that may only read."""
    script = "".join(f"\\warn @@{at}\nBEGIN READ ONLY;\n{text}\n;\nROLLBACK;\n" for at, text in enumerate(texts))
    found: list[set[str]] = [set() for _ in texts]
    at = -1
    for line in _psql(folder, script).splitlines():
        if line.startswith("@@"):
            at = int(line[2:])
        elif "ERROR:" in line:
            found[at].add(line.rpartition(" ")[2])
    return found


def _called_read(text: str, dialect: str) -> bool:
    found = sql.read(Payload(language="sql", text=text, cwd="/w", options=(("dialect", dialect),)), AROUND)
    return not found.unread and all(
        effect.action is Action.READ and effect.decision is None for effect in found.effects
    )


def test_nothing_that_postgres_refuses_is_called_a_read(cluster: str) -> None:
    """With the dialect known and unknown; of the reads that run, under 2 % are taken for more."""
    source = random.Random(20260404)
    programs = [program(source) for _ in range(COUNT)]
    refused = _refused(cluster, [text for text, _ in programs])
    reads = doubted = wrote = 0
    for (text, writes), codes in zip(programs, refused, strict=True):
        if writes or "25006" in codes:
            wrote += 1
            assert not _called_read(text, "postgres"), text
            assert not _called_read(text, ""), text
        elif not codes:
            reads += 1
            doubted += not _called_read(text, "postgres")
    print(f"{wrote} writes, {reads} reads, {doubted} of them doubted")
    assert wrote > COUNT // 4
    assert reads > COUNT // 5
    assert doubted <= reads * 0.02
