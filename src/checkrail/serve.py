"""What the daemon runs: one server for the process, made from the process's own places."""

from collections.abc import Mapping

from checkrail import places
from checkrail.answering import Server
from checkrail.audit import Log
from checkrail.daemon.protocol import Answer
from checkrail.policy import Audit
from checkrail.policy.cache import PolicyCache, usual_layers


def own_places(where: places.Places) -> tuple[str, ...]:
    """What the floor protects: Checkrail's files, its code, its socket, and the settings that hold its hooks."""
    from checkrail.daemon.code import PACKAGE
    from checkrail.install import record

    known = record.load(where)
    settings = tuple(entry.path for entry in known.settings)
    mine = (where.config, where.data, where.state, where.socket.parent, PACKAGE)
    return tuple(dict.fromkeys((*map(str, mine), *settings, *filter(None, (known.hook,)))))


def usual_log(where: places.Places, limits: Audit = Audit()) -> Log:  # noqa: B008  # frozen
    """The user's log."""
    return Log(str(where.state / "audit"), max_bytes=limits.max_bytes, keep_days=limits.keep_days)


_server: Server | None = None


def server() -> Server:
    """The one server of this process, made on first use from the process's own places."""
    global _server
    if _server is None:
        where = places.find()
        policies = PolicyCache(usual_layers(where.config, where.state))
        log = usual_log(where, policies.current().policy.audit)
        asked, counted = str(where.state / "approvals"), str(where.state / "session")
        heard = str(where.state / "heard")
        _server = Server(
            policies, log, own=own_places(where), approvals=asked, counted=counted, heard=heard, remembered=counted
        )
    return _server


def answer(
    agent: str,
    event: str,
    cwd: str,
    raw: bytes,
    *,
    environment: Mapping[str, str],
    deadline: float = 0.0,  # noqa: ARG001
) -> Answer:
    """See :meth:`Server.answer`. ``deadline`` is enforced by the worker's timer."""
    return server().answer(agent, event, cwd, raw, environment=environment)


def late(agent: str, event: str, raw: bytes) -> Answer:
    """See :meth:`Server.late`."""
    return server().late(agent, event, raw)


def waits(number: int) -> bool:
    """See :meth:`Server.waits`."""
    return server().waits(number)


def digest() -> str:
    """Digest of the policy that lies on the disk now."""
    return server().policies.current().digest


def reload() -> None:
    """Takes up the policy that lies on the disk now, the audit limits with it."""
    global _server
    if _server is not None:
        _server.close()
    _server = None
    server()


def preload() -> None:
    """Imports and builds what every call needs, once, before workers are made, so that they share it."""
    server()
    from checkrail.warming import warmed

    warmed()
