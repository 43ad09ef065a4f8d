"""What a daemon does with a call: the port between the machinery here and the deciding code."""

from typing import Protocol

from checkrail.daemon.protocol import Answer, Request


class Service(Protocol):
    """Decides calls. All but ``preload`` run in the workers, under their deadline."""

    def preload(self) -> None:
        """Imports and builds what every call needs; runs once, before the workers are made."""

    def answer(self, request: Request) -> Answer:
        """The answer to a call."""

    def late(self, request: Request) -> Answer:
        """The answer to a call that took too long: quick, and never an allow."""

    def waits(self, number: int) -> bool:
        """Whether a request waits for a person's answer still."""

    def digest(self) -> str:
        """Digest of the policy that lies on the disk now."""

    def reload(self) -> None:
        """Takes up that policy."""


class Checkrail:
    """The service of the product: :mod:`checkrail.serve`, imported when the daemon starts."""

    def __init__(self) -> None:
        from checkrail import serve

        self._serve = serve

    def preload(self) -> None:
        """See :class:`Service`."""
        self._serve.preload()

    def answer(self, request: Request) -> Answer:
        """See :class:`Service`."""
        return self._serve.answer(
            request.agent,
            request.event,
            request.cwd,
            request.raw,
            environment=request.environment,
            deadline=request.deadline,
        )

    def late(self, request: Request) -> Answer:
        """See :class:`Service`."""
        return self._serve.late(request.agent, request.event, request.raw)

    def waits(self, number: int) -> bool:
        """See :class:`Service`."""
        return self._serve.waits(number)

    def digest(self) -> str:
        """See :class:`Service`."""
        return self._serve.digest()

    def reload(self) -> None:
        """See :class:`Service`."""
        self._serve.reload()
