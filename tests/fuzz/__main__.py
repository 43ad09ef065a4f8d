"""Fuzz for a time: ``python -m tests.fuzz [--seconds 60] [--seed 0] [target ...]``. Exit code 1 where something broke."""

import argparse
import sys
import time

from tests.fuzz.run import Found, fuzzed
from tests.fuzz.targets import BY_NAME


def main() -> int:
    """Prints what breaks, as small as it could be made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="target", help=f"of {', '.join(BY_NAME)} (default: all)")
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    broken = 0
    for name in given.targets or BY_NAME:
        for found in fuzzed(BY_NAME[name], seconds=given.seconds, seed=given.seed):
            if isinstance(found, Found):
                broken += 1
                print(f"{name}: {found.what}\n    {found.text[:2000]!r}", flush=True)
            else:
                print(f"{name}: {found} inputs, seed {given.seed}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
