"""Lists the requests that wait for an answer, each with its operation whole. Only looking: it answers nothing.

Exit codes: 0, also where nothing waits; 1 where the requests cannot be read.
"""

import argparse
import sys
import time
from typing import Any

import msgspec

from checkrail.approvals import desk as approvals_desk
from checkrail.approvals import display
from checkrail.approvals.rows import Request
from checkrail.cli import person
from checkrail.places import PlacesError


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("--json", action="store_true", help="one line of JSON for each request")


def as_data(request: Request, *, now: float) -> dict[str, Any]:
    """A request as plain data, without its keys."""
    asked = request.asked
    return {
        "request": request.number,
        "age_s": round(now - request.created, 1),
        "expires_s": round(request.expires - now, 1),
        "agent": asked.agent,
        "subagent": asked.subagent,
        "session": asked.session,
        "cwd": asked.cwd,
        "tool": asked.tool,
        "input": msgspec.json.decode(asked.whole),
        "findings": list(asked.findings),
        "classification": asked.classification,
    }


def run(args: argparse.Namespace) -> int:
    """Prints what waits."""
    try:
        known = person.desk()
        found = known.store.waiting(now=time.time()) if known.store.exists() else []
    except (PlacesError, OSError) as error:
        print(f"checkrail approvals: {error}", file=sys.stderr)
        return 1
    for request in found:
        if args.json:
            print(msgspec.json.encode(as_data(request, now=time.time())).decode())
        else:
            print("\n".join(display.whole(request, now=time.time())), end="\n\n")
    if not args.json:
        lost = approvals_desk.failures(known.store.directory)
        told = f"; {lost} could not be stored" if lost else ""
        print(f"{len(found)} wait{told}" if found or lost else "nothing waits")
    return 0
