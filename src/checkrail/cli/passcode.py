"""Exit codes: 0 done, 1 not, 2 wrong usage or no terminal.

With a passcode, checkrail approve and watch ask for it before each yes. It is kept as an scrypt hash; after three wrong tries
each further one costs a longer pause. Changing or clearing it needs the old one.
"""

import argparse
import getpass

from checkrail import places
from checkrail.approvals.passcode import PasscodeProblem
from checkrail.cli import USAGE, person
from checkrail.places import PlacesError


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("what", choices=("set", "clear"))


def _set(known: person.Desk) -> int:
    code = getpass.getpass("New passcode: ")
    if getpass.getpass("Once more: ") != code:
        person.say("the two differ; nothing was changed")
        return 1
    places.secure_directory(known.where.state)
    known.passcode.put(code)
    person.say("the passcode is set")
    return 0


def run(args: argparse.Namespace) -> int:
    """Sets or clears it."""
    try:
        who, known = person.present(), person.desk()
        if args.what == "clear" and not known.passcode.is_set():
            person.say("no passcode is set")
            return 0
        if not person.passed(known, who):
            return 1
        if args.what == "set":
            done = _set(known)
        else:
            known.passcode.clear()
            person.say("the passcode is cleared")
            done = 0
        if done == 0:
            person.logged(known, who, f"passcode-{args.what}")
        return done
    except (person.NoPerson, PlacesError) as error:
        person.say(f"checkrail passcode: {error}")
        return USAGE
    except (PasscodeProblem, OSError, EOFError) as error:
        person.say(f"checkrail passcode: {error}")
        return 1
