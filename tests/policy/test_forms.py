"""An operator's forms: what they match, what is refused, and that no text makes them slow."""

import pytest

from checkrail.policy.forms import LONGEST, FormError, compiled


@pytest.mark.parametrize(
    ("form", "hits", "misses"),
    [
        (
            r"ACME-[0-9A-F]{16}",
            ["ACME-0123456789ABCDEF"],
            ["ACME-0123", "xACME-0123456789ABCDEF", "ACME-0123456789ABCDEF0"],
        ),
        (r"EMP\d{6,8}", ["EMP123456", "EMP12345678"], ["EMP12345", "emp123456"]),
        (r"a\.b[\w-]{3}x?", ["a.bc-d", "a.bc_dx"], ["axbc-d"]),
        ("日本[0-9]{4}", ["日本1234"], ["日本123"]),
    ],
)
def test_what_a_form_matches(form: str, hits: list[str], misses: list[str]) -> None:
    """As a word of its own."""
    pattern, _ = compiled(form)
    assert all(pattern.search(f"see {text}, please") for text in hits)
    assert not any(pattern.search(text) for text in misses)


@pytest.mark.parametrize(
    "form",
    ["", "a*", "a+", "(a|b)", ".", "[^a]", "[a", "a{", "a{3,2}", "a{0}", r"\s", r"\b", "a{129}", "a" * (LONGEST + 1), "[]a]", "\\", "^a", "a{2}{3}", "[z-a]"],
)  # fmt: skip
def test_what_is_refused(form: str) -> None:
    """Everything that could repeat without end or mean two things; with a reason."""
    with pytest.raises(FormError, match=r"\w"):
        compiled(form)


def test_no_text_makes_it_slow() -> None:
    """Parts that could share letters give nothing back: with backtracking this would not end in years."""
    pattern, _ = compiled(r"\w{1,40}\w{1,40}\w{1,40}-")
    assert pattern.search("a" * 65_536) is None
