"""Exit codes: 0 approved, 1 not, 2 wrong usage or no terminal.

Shows the operation whole, asks, and lets exactly this call of this session through once. Needs a terminal; asks for the
passcode where one is set (see checkrail passcode).
"""

import argparse

from checkrail.cli import USAGE, person
from checkrail.places import PlacesError


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("number", type=int, help="the number of a request (see checkrail approvals)")


def run(args: argparse.Namespace) -> int:
    """Asks the person."""
    try:
        who, known = person.present(), person.desk()
        request = person.waiting(known, args.number)
        person.show(request)
        if not person.agrees("Let exactly this through, once?"):
            person.say("not approved; it still waits (checkrail refuse ends it)")
            return 1
        return 0 if person.passed(known, who, request) and person.approve(known, request, who) else 1
    except (person.NoPerson, PlacesError) as error:
        person.say(f"checkrail approve: {error}")
        return USAGE
    except OSError as error:
        person.say(f"checkrail approve: {error}")
        return 1
