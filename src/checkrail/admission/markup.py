"""Text that a rendered page hides and a model reads: comments, link labels, chat tokens, far-away lines."""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

_COMMENT = re.compile(r"<!--")
_LABEL = re.compile(
    r"(?m)^[ \t]{0,3}\[([^\]\n]{1,200})\]:[ \t]{0,4}(?:#[ \t]{0,4}[(\"']([^\n]{1,2000})|<([^>\n]{1,2000})>)"
)
_HIDING_TAG = re.compile(
    r"(?i)<(?:span|div|p|font)\b[^>\n]{0,200}(?:display\s{0,3}:\s{0,3}none|font-size\s{0,3}:\s{0,3}0|visibility\s{0,3}:\s{0,3}hidden|hidden)[^>\n]{0,200}>"
)
_CHAT = re.compile(
    r"<\|[a-zA-Z_]{2,24}\|>|\[/?INST\]|<<?/?SYS>>?|<\/?(?:system|assistant|developer)(?:[_-](?:prompt|message|reminder))?>|<\/(?:tool_description|tool_definitions?|tool_result|function_results|functions|available_tools)>|\{\{#?\/?(?:system|assistant)~?\}\}|<start_of_turn>|<end_of_turn>|###[ \t]?(?:Instruction|System|Response):"
)
_ROLE = re.compile(
    r"[\"']role[\"']\s{0,4}:\s{0,4}[\"'](?:system|developer)[\"']\s{0,4},\s{0,4}[\"']content[\"']\s{0,4}:\s{0,4}[\"']([^\n\"]{1,2000})"
)
_GAP = re.compile(r"\n{24,}|[ \t]{200,}")

COMMENT_LIMIT = 8192
"""Characters of a comment that are read."""
COMMENTS = 64
"""Hidden stretches of one kind per text; no honest text has so many comments."""


class Aside(msgspec.Struct, frozen=True):
    """A hidden stretch of a text: where it stands, what it says, what it is, and whether it is hidden text whatever it says."""

    start: int
    end: int
    text: str
    what: str
    certain: bool = False


def asides(text: str) -> Iterator[Aside]:
    """All hidden stretches."""
    if "<!--" in text:
        for hit in islice(_COMMENT.finditer(text), COMMENTS):
            close = text.find("-->", hit.end())
            end = len(text) if close < 0 else close + 3
            yield Aside(hit.start(), end, text[hit.end() : close if close >= 0 else end][:COMMENT_LIMIT], "a comment")
    if "]:" in text:
        for hit in islice(_LABEL.finditer(text), COMMENTS):
            said = hit.group(2) or hit.group(3) or ""
            yield Aside(hit.start(), hit.end(), said, "the label of a link that is never shown")
    for hit in islice(_CHAT.finditer(text), COMMENTS):
        yield Aside(hit.start(), hit.end(), hit.group(), "a marker of a chat format", certain=True)
    for hit in islice(_HIDING_TAG.finditer(text), COMMENTS):
        yield Aside(hit.start(), hit.end(), text[hit.end() : hit.end() + 400], "an element that is not shown")
    for hit in islice(_ROLE.finditer(text), COMMENTS):
        yield Aside(hit.start(), hit.end(), f"System note: {hit.group(1)}", "a message in the voice of the system")
    for hit in islice(_GAP.finditer(text), COMMENTS):
        yield Aside(hit.start(), hit.end(), text[hit.end() : hit.end() + 400], "text far below the visible lines")
