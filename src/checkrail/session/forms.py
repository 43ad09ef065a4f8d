"""Values of the operator's own, by the forms in the policy: secrets among what came back, anything in what goes out."""

from collections.abc import Iterator

from checkrail.policy import Form, Policy
from checkrail.policy.forms import compiled
from checkrail.policy.sessions import SECRETS

MOST_SEARCHED = 64 * 1024
"""Characters of a text, from its beginning and its end."""
_MOST_FOUND = 64


def forms(policy: Policy) -> tuple[Form, ...]:
    """The operator's, and those a project adds."""
    return (*policy.session.form, *policy.project_session.form)


def part(text: str) -> str:
    """What is searched of a text."""
    half = MOST_SEARCHED // 2
    return text if len(text) <= MOST_SEARCHED else f"{text[:half]}\n{text[-half:]}"


def secrets_in(text: str, policy: Policy) -> Iterator[tuple[str, str]]:
    """Label and value of each secret of an own form."""
    count = 0
    for row in forms(policy):
        for match in compiled(row.form)[0].finditer(part(text)) if row.label in SECRETS else ():
            yield row.label, match[0]
            count += 1
            if count >= _MOST_FOUND:
                return


def formed(text: str, policy: Policy) -> Form | None:
    """The first own form of which a value stands in a text."""
    return next((row for row in forms(policy) if compiled(row.form)[0].search(part(text))), None)
