"""The daemon's numbers, each in one place."""

import os

import msgspec


def usual_workers() -> int:
    """Two at least, so that one stuck call leaves another worker; four at most, for memory."""
    return min(4, max(2, os.cpu_count() or 2))


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds, bytes and counts. Their sum per call stays below the shim's time for one try (3 s)."""

    workers: int = msgspec.field(default_factory=usual_workers)
    decide_s: float = 1.5  # for one decision; then the worker gives the late answer
    late_s: float = 0.4  # for the late answer; then a plain block
    grace_s: float = 0.6  # above both, before the supervisor kills the worker
    client_s: float = 0.5  # for a client to send its request, and to take its answer
    policy_check_s: float = 0.2  # at most so often is the policy on disk compared
    code_check_s: float = 0.5  # at most so often the package's files
    idle_s: float = 8 * 3600.0  # without a call: the daemon ends
    calls_per_worker: int = 20_000  # then a fresh process takes over, whatever has grown
    memory_bytes: int = 2 << 30  # address space of a worker

    @property
    def busy_limit_s(self) -> float:
        """A worker that is at one call for longer is stuck where no timer reaches it."""
        return self.decide_s + self.late_s + self.grace_s
