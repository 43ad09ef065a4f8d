"""Puts the hook into agents' settings and takes it out again, without touching anything else there."""
