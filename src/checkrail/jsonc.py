"""JSON with comments and trailing commas, as clients take it in their settings. Every pattern here takes linear time."""

import re
from functools import lru_cache

# A string or comment that does not end is taken to where it must: else each quote or "/*" would be looked at from anew.
_COMMENTS = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMAS = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|,(?=\s*+[}\]])', re.DOTALL)
_NOT_BREAKS = re.compile(r"[^\r\n]")


@lru_cache(maxsize=8)
def plain(text: str) -> str:
    """``text`` with comments and trailing commas blanked out, of the same length; a comment without an end stays."""
    if "/" in text:
        text = _COMMENTS.sub(_blank, text)
    return _COMMAS.sub(_blank, text) if "," in text else text


def _blank(found: re.Match[str]) -> str:
    said = found[0]
    endless = said.startswith("/*") and (len(said) < 4 or not said.endswith("*/"))
    return said if said.startswith('"') or endless else _NOT_BREAKS.sub(" ", said)
