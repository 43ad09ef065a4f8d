"""Tests of reading, acquiring and judging packages."""
