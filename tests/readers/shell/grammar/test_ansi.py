"""Decoding of ``$'…'``."""

import pytest

from checkrail.readers.shell.grammar.ansi import decode


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("plain", "plain"),
        ("\\n\\t\\r\\a\\b\\e\\E\\f\\v", "\n\t\r\a\b\x1b\x1b\f\v"),
        ("\\\\ \\' \\\" \\?", "\\ ' \" ?"),
        ("\\x41\\x4", "A\x04"),
        ("\\x{41}", "A"),
        ("\\101\\7", "A\x07"),
        ("\\u00e9\\U0001F600", "é😀"),
        ("\\xc3\\xa9", "é"),
        ("\\xff", "\udcff"),
        ("\\cA\\ca\\c?", "\x01\x01\x7f"),
        ("\\q\\8", "\\q\\8"),
        ("a\\0b", "a"),
        ("a\\x00b", "a"),
        ("a\\\nb", "a\\\nb"),
    ],
)
def test_escapes(body: str, value: str) -> None:
    """Each escape gives what bash gives; a NUL ends the text; unknown escapes stay."""
    assert decode(body) == value


def test_code_beyond_unicode_is_unknown() -> None:
    """No character is guessed for it."""
    assert decode("\\UFFFFFFFF") == "\ufffc"
