"""Imports and builds what every call needs, before the first one is measured against a deadline."""

from checkrail.facts.host import FrozenHost
from checkrail.model import Event, EventKind
from checkrail.pipeline import decide
from checkrail.policy import BUILT_IN
from checkrail.session.remember import warm

SAMPLES = (
    'cd src && git status --short | head -3; rm -rf build > "$x" 2>&1',
    "for f in *.py; do python3 -c \"import os, json; print(os.listdir('.'))\"; done",
    "curl -s http://localhost:8000/ | jq .; find . -name '*.pyc' -delete; sed -n 1,3p a | awk '{print $1}'",
)
"""Judged once at the start for what they import: the shell reader with its second opinion, Python, URLs, little languages.
SQL's library is heavy and waits for the first SQL."""


def warmed() -> None:
    """Judges the samples."""
    warm()
    for command in SAMPLES:
        event = Event(agent="claude", kind=EventKind.PRE, tool="Bash", input={"command": command}, cwd="/work")
        decide(event, host=FrozenHost(), policy=BUILT_IN)
