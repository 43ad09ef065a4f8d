"""Checkrail: a pre-tool-use hook daemon for coding agents."""

__version__ = "0.1.0"
