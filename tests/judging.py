"""The verdict on a command in an ordinary project, nothing of which is on disk."""

from checkrail.facts.host import FrozenHost
from checkrail.model import Decision, Event, EventKind, Verdict
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN


def judged(command: str) -> Verdict:
    """What a Bash call of the agent gets, in /work/app with the home /home/dev."""
    event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd="/work/app")
    return decide(event, host=FrozenHost(home="/home/dev"), policy=BUILT_IN)


def decision(command: str) -> Decision:
    """The decision alone."""
    return judged(command).decision
