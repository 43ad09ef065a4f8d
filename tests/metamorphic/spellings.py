"""Ways of spelling the words of a command again: quotes, escapes, variables, splitting."""

import re
import shlex
from collections.abc import Callable

Rewriting = Callable[[str], str | None]

_WORD = re.compile(r"(?:'[^']*'|[^\s'])+")
_EXPANDS = frozenset("~$*?{}[]!")
_BUILTINS = frozenset(("echo", "pwd", "cd"))


def words(seed: str) -> list[str]:
    """The raw words of a seed, quotes kept."""
    return _WORD.findall(seed)


def _plain(word: str) -> str | None:
    """What a word means, or None where a shell would expand it."""
    if "'" in word:
        return shlex.split(word)[0]
    return None if _EXPANDS & set(word) else word


def _each(seed: str, spell: Callable[[str], str]) -> str | None:
    """The seed with every word that is not expanded spelled in another way."""
    spelled = [word if (text := _plain(word)) is None else spell(text) for word in words(seed)]
    return " ".join(spelled)


def all_plain(seed: str) -> list[str] | None:
    texts = [_plain(word) for word in words(seed)]
    return None if any(text is None for text in texts) else [text for text in texts if text is not None]


def single_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def double_quoted(text: str) -> str:
    return '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"'


def single_quotes(seed: str) -> str | None:
    """Every word in single quotes."""
    return _each(seed, single_quoted)


def double_quotes(seed: str) -> str | None:
    """Every word in double quotes."""
    return _each(seed, double_quoted)


def backslashes(seed: str) -> str | None:
    """A backslash before every character."""
    return _each(seed, lambda text: "".join(f"\\{character}" for character in text))


def ansi_c(seed: str) -> str | None:
    """ANSI-C quoting with escapes in hexadecimal."""
    return _each(seed, lambda text: "$'" + "".join(f"\\x{ord(character):02x}" for character in text) + "'")


def ansi_octal(seed: str) -> str | None:
    """ANSI-C quoting of the command word with escapes in octal."""
    first, *rest = words(seed)
    return " ".join(("$'" + "".join(f"\\{ord(character):03o}" for character in first) + "'", *rest))


def empty_quotes(seed: str) -> str | None:
    """Empty quotes inside every word."""
    return _each(seed, lambda text: shlex.quote(text[:1]) + "''\"\"" + (shlex.quote(text[1:]) if text[1:] else ""))


def split_quotes(seed: str) -> str | None:
    """Every word half in one kind of quotes, half in the other."""
    return _each(seed, lambda text: single_quoted(text[: len(text) // 2]) + double_quoted(text[len(text) // 2 :]))


def command_in_variable(seed: str) -> str | None:
    """The command word comes out of a variable."""
    first, *rest = words(seed)
    return " ".join((f"c={first}; $c", *rest))


def command_in_pieces(seed: str) -> str | None:
    """The command word is put together from two variables."""
    first, *rest = words(seed)
    middle = len(first) // 2
    return " ".join((f'a={first[:middle]} b={first[middle:]}; "$a${{b}}"', *rest))


def arguments_in_variables(seed: str) -> str | None:
    """Every argument comes out of a variable."""
    first, *rest = words(seed)
    names = [f"v{index}" for index in range(len(rest))]
    given = " ".join(f"{name}={word}" for name, word in zip(names, rest, strict=True))
    used = " ".join(f'"${name}"' for name in names)
    return None if not rest or any("*" in word for word in rest) else f"{given}; {first} {used}"


def in_array(seed: str) -> str | None:
    """The whole command line is an array."""
    return f'a=({seed}); "${{a[@]}}"'


def as_parameters(seed: str) -> str | None:
    """The command line becomes the positional parameters."""
    return f'set -- {seed}; "$@"'


def substituted(seed: str) -> str | None:
    """The command word is printed by another command."""
    first, *rest = words(seed)
    return " ".join((f"$(printf %s {first})", *rest))


def split_on_blanks(seed: str) -> str | None:
    """One variable holds the line and is split."""
    texts = all_plain(seed)
    return None if texts is None or "'" in seed else f"c='{seed}'; $c"


def split_on_commas(seed: str) -> str | None:
    """One variable holds the line, with commas for blanks."""
    return None if all_plain(seed) is None or "'" in seed or "," in seed else f"IFS=,; c='{seed.replace(' ', ',')}'; $c"


def blanks_from_ifs(seed: str) -> str | None:
    """Blanks written as ``${IFS}``."""
    return None if "'" in seed else "${IFS}".join(words(seed)) if "~" not in seed else None


def braces(seed: str) -> str | None:
    """The whole line as one brace expansion."""
    texts = words(seed)
    return None if len(texts) < 2 or any(set(text) & set(",{}'") for text in texts) else "{" + ",".join(texts) + "}"
