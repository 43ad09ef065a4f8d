"""Fuzz one target with atheris, which keeps inputs that reach new code: ``python -m tests.fuzz.guided target [--runs N]``.

Needs ``pip install atheris``; everything else of the fuzzer does without. Exit code 1 where something broke; what breaks is
printed, once for each kind, and the run goes on.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

MARK = "surrogatepass"


def main() -> int:
    """Runs libFuzzer in this process; atheris leaves it at the end of the runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=600)
    given = parser.parse_args()
    import atheris

    with atheris.instrument_imports(include=["checkrail"]):
        from tests.fuzz.mutations import mutated
        from tests.fuzz.run import tried
        from tests.fuzz.targets import BY_NAME

        target = BY_NAME[given.target]
        for text in target.seeds():
            tried(target, text)  # what is imported on first use is instrumented too
    known: set[str] = set()
    count = 0

    def check(data: bytes) -> None:
        nonlocal count
        count += 1
        text = data.decode("utf-8", "surrogateescape")
        what = tried(target, text)
        if what and what[:60] not in known:
            known.add(what[:60])
            print(f"{given.target}: {what}\n    {text[:2000]!r}", flush=True)
        if count == given.runs:
            print(f"{given.target}: {count} inputs, guided by coverage, {len(known)} kinds of findings", flush=True)

    def mutate(data: bytes, limit: int, seed: int) -> bytes:
        """Half of the changes are the fuzzer's own, half know the words of the language."""
        if seed % 2:
            return bytes(atheris.Mutate(data, limit))
        chance = random.Random(seed)
        text = mutated(chance, (data.decode("utf-8", "surrogateescape"), *target.seeds()), target.words)
        return text.encode("utf-8", "ignore")[:limit]

    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(target.seeds()):
            Path(folder, str(number)).write_bytes(text.encode("utf-8", MARK))
        options = [f"-runs={given.runs}", f"-max_total_time={given.seconds}", "-max_len=4096", "-timeout=60", "-verbosity=0", "-print_final_stats=0"]  # fmt: skip
        atheris.Setup([sys.argv[0], folder, *options], check, custom_mutator=mutate)
        try:
            atheris.Fuzz()
        finally:
            print(f"{given.target}: {count} inputs, guided by coverage, {len(known)} kinds of findings", flush=True)
    return 1 if known else 0


if __name__ == "__main__":
    sys.exit(main())
