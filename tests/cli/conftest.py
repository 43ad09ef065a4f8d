"""The command line is run in this process, in a home of its own."""

from tests.install.conftest import home, where

__all__ = ["home", "where"]
