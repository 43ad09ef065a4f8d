"""Tests of the knowledge files."""
