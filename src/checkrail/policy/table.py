"""The base of all tables of a policy file."""

import msgspec


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of a policy file: kebab-case keys, and no others than those known."""
