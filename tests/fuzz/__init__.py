"""Fuzzing: made inputs against invariants that hold for every input. ``python -m tests.fuzz`` for as long as one likes."""
