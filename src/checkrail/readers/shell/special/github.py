"""``gh api`` and its like: the request by its method, its fields and, for GraphQL, its query."""

import fnmatch
from typing import TYPE_CHECKING

from checkrail.model import HOLE
from checkrail.readers.shell import effects
from checkrail.readers.shell.state import VARIABLE, Value

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

_FIELDS = ("-f", "--raw-field", "-F", "--field")
_RIGHTS = (
    "*/protection*",
    "*/keys",
    "*/keys/*",
    "*/collaborators/*",
    "*/hooks",
    "*/hooks/*",
    "*/memberships/*",
    "*/rulesets*",
    "*/invitations*",
    "user/keys*",
    "user/gpg_keys*",
)
_PUBLIC = ("private=false", "visibility=public", "archived=true")


def gh_token(entry: "Entry", call: "Call", path: str) -> None:
    """``gh auth token``: taken into a text of the program it is what ``$GITHUB_TOKEN`` holds, and is followed like it."""
    if call.run.captured and not call.parsed.operands:
        call.output = Value(HOLE, frozenset((f"{VARIABLE}GITHUB_TOKEN",)))
        call.run.opaque("takes the GitHub token")
    else:
        effects.apply(entry, call.parsed, call, path)


def gh_api(entry: "Entry", call: "Call", path: str) -> None:
    """One request to the code host."""
    effects.apply(entry, call.parsed, call, path)
    parsed = call.parsed
    fields = [given.value for given in parsed.options if given.name in _FIELDS and given.value is not None]
    for field in fields:
        name, equals, text = field.text.partition("=@")
        if equals and text:
            effects.path("send", field.tail(len(name) + 2), call, path)
    texts = [field.text for field in fields]
    operand = parsed.operands[0].text.strip("/") if parsed.operands else ""
    verb = parsed.value("-X", "--method")
    method = verb.text.upper() if verb is not None else "POST" if fields or parsed.has(("--input",)) else "GET"
    for effect, rule, reason in _deeds(operand, method, texts):
        effects.named(effect, call, rule=f"{path}.{rule}", reason=reason)


def _deeds(operand: str, method: str, texts: list[str]) -> list[tuple[str, str, str]]:
    if operand == "graphql":
        queries = " ".join(texts).lower()
        if "mutation" not in queries:
            return []
        if any(word in queries for word in ("delete", "remove", "archive", "transfer")):
            return [("destroys-shared", "mutation", "deletes something on the code host")]
        return [("shared", "mutation", "changes something on the code host")]
    if method in ("GET", "HEAD", "OPTIONS"):
        return []
    if method == "DELETE":
        return [("destroys-shared", "delete", f"deletes {operand or 'something'} on the code host")]
    if any(fnmatch.fnmatchcase(operand, glob) for glob in _RIGHTS):
        return [("privilege", "rights", "changes who may do what in a repository")]
    if any(text.lower() in _PUBLIC for text in texts):
        return [("external", "public", "changes who can see the repository")]
    if "/git/refs/" in operand and any(text.lower() == "force=true" for text in texts):
        return [("destroys-shared", "force", "overwrites the history of a branch")]
    return [("shared", "change", "changes something on the code host")]
