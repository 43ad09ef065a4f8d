"""Exit codes: 0 refused, 1 not, 2 wrong usage or no terminal.

The call stays stopped, and the same call is not asked about again for a while. Needs a terminal.
"""

import argparse

from checkrail.cli import USAGE, person
from checkrail.places import PlacesError


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("number", type=int, help="the number of a request (see checkrail approvals)")


def run(args: argparse.Namespace) -> int:
    """Refuses."""
    try:
        who, known = person.present(), person.desk()
        request = person.waiting(known, args.number)
        person.show(request)
        return 0 if person.refuse(known, request, who) else 1
    except (person.NoPerson, PlacesError) as error:
        person.say(f"checkrail refuse: {error}")
        return USAGE
    except OSError as error:
        person.say(f"checkrail refuse: {error}")
        return 1
