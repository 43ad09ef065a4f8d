"""Ways of writing the same command again. Each takes a seed and gives another line that does the same, or None where it does not apply."""

import base64
import shlex
from collections.abc import Iterable

from tests.metamorphic.spellings import (
    Rewriting,
    all_plain,
    ansi_c,
    ansi_octal,
    arguments_in_variables,
    as_parameters,
    backslashes,
    blanks_from_ifs,
    braces,
    command_in_pieces,
    command_in_variable,
    double_quoted,
    double_quotes,
    empty_quotes,
    in_array,
    single_quotes,
    split_on_blanks,
    split_on_commas,
    split_quotes,
    substituted,
    words,
)

_BUILTINS = frozenset(("echo", "pwd", "cd"))


def sh_c(seed: str) -> str | None:
    """Handed to ``sh -c``."""
    return f"sh -c {shlex.quote(seed)}"


def bash_lc(seed: str) -> str | None:
    """Handed to ``bash -lc``."""
    return f"bash -lc {double_quoted(seed) if '$' not in seed else shlex.quote(seed)}"


def nested_shells(seed: str) -> str | None:
    """Three shells deep."""
    return f"bash -c {shlex.quote('sh -c ' + shlex.quote('bash -ec ' + shlex.quote(seed)))}"


def env_shell(seed: str) -> str | None:
    """A shell by its path, through env."""
    return f"/usr/bin/env -i PATH=/usr/bin:/bin HOME=/home/dev /bin/bash --norc -c {shlex.quote(seed)}"


def evaluated(seed: str) -> str | None:
    """Handed to ``eval`` as one word."""
    return f"eval {shlex.quote(seed)}"


def heredoc(seed: str) -> str | None:
    """The input of a shell, as a heredoc."""
    return f"bash <<'EOF'\n{seed}\nEOF"


def heredoc_open(seed: str) -> str | None:
    """The input of a shell, as a heredoc whose text is expanded first."""
    return f"sh -s <<-END\n\t{seed}\n\tEND" if "$" not in seed else None


def here_string(seed: str) -> str | None:
    """The input of a shell, as a here-string."""
    return f"bash <<< {shlex.quote(seed)}"


def piped(seed: str) -> str | None:
    """Printed into a shell."""
    return f"echo {shlex.quote(seed)} | sh"


def printed(seed: str) -> str | None:
    """Printed into a shell by printf, through cat."""
    return f"printf '%s\\n' {shlex.quote(seed)} | cat | bash -s"


def process_substitution(seed: str) -> str | None:
    """A shell reads it from a process substitution."""
    return f"bash <(echo {shlex.quote(seed)})"


def sourced(seed: str) -> str | None:
    """Sourced from a here-string."""
    return f"source /dev/stdin <<< {shlex.quote(seed)}"


def script(seed: str) -> str | None:
    """Written into a script that is run in the same line."""
    return f"echo {shlex.quote(seed)} > /tmp/step.sh && bash /tmp/step.sh"


def decoded(seed: str) -> str | None:
    """Decoded into a shell."""
    return f"echo {base64.b64encode(seed.encode()).decode()} | base64 -d | sh"


def path_prefix(seed: str) -> str | None:
    """The command word as a path."""
    first = words(seed)[0]
    return None if first in _BUILTINS or "/" in first else f"/usr/bin/{seed}"


def crooked_path(seed: str) -> str | None:
    """The command word as a path that is not straight."""
    first = words(seed)[0]
    return None if first in _BUILTINS or "/" in first else f"/usr/../usr/bin//{seed}"


def command_builtin(seed: str) -> str | None:
    """Through the builtin ``command``."""
    return f"command {seed}"


def env(seed: str) -> str | None:
    """Through ``env``."""
    return f"env -u DEBUG LANG=C {seed}"


def nice(seed: str) -> str | None:
    """Through ``nice``."""
    return f"nice -n 5 {seed}"


def timeout(seed: str) -> str | None:
    """Through ``timeout``."""
    return f"timeout -k 1 5 {seed}"


def wrapped_thrice(seed: str) -> str | None:
    """Through three wrappers."""
    return f"nohup stdbuf -oL time {seed}"


def assignment_before(seed: str) -> str | None:
    """With an assignment in front."""
    return f"DEBUG=1 LANG=C {seed}"


def continued(seed: str) -> str | None:
    """Over several lines."""
    return " \\\n  ".join(words(seed))


def continued_inside(seed: str) -> str | None:
    """A line ends inside the command word."""
    return f"{seed[:1]}\\\n{seed[1:]}"


def function(seed: str) -> str | None:
    """The body of a function that is called."""
    return f"go() {{ {seed}; }}; go"


def function_with_arguments(seed: str) -> str | None:
    """A function runs its arguments."""
    return f'go() {{ "$@"; }}\ngo {seed}'


def subshell(seed: str) -> str | None:
    """In a subshell inside a group."""
    return f"{{ ( {seed} ) ; }}"


def in_branches(seed: str) -> str | None:
    """In a branch of a loop."""
    return f"for i in 1; do if true; then {seed}; fi; done"


def in_case(seed: str) -> str | None:
    """In an arm of a case."""
    return f"case x in x) {seed} ;; esac"


def last_of_several(seed: str) -> str | None:
    """After other commands, with a comment behind."""
    return f"true && cd . ; {seed} || true # done"


def in_background(seed: str) -> str | None:
    """In the background."""
    return f"{seed} & wait"


def trapped(seed: str) -> str | None:
    """When the shell ends."""
    return f"trap {shlex.quote(seed)} EXIT"


def aliased(seed: str) -> str | None:
    """Behind an alias."""
    return f"shopt -s expand_aliases\nalias go={shlex.quote(seed)}\ngo"


def xargs(seed: str) -> str | None:
    """The arguments come through xargs."""
    first, *rest = words(seed)
    return (
        None if not rest or all_plain(seed) is None or "'" in seed else f"printf '%s ' {' '.join(rest)} | xargs {first}"
    )


def xargs_shell(seed: str) -> str | None:
    """xargs hands the line to a shell."""
    return f"echo {shlex.quote(seed)} | xargs -I{{}} sh -c '{{}}'" if not set(seed) & set("'\"\\") else None


def python_system(seed: str) -> str | None:
    """Python's os.system."""
    return f"python3 -c {shlex.quote(f'import os; os.system({seed!r})')}"


def awk_system(seed: str) -> str | None:
    """awk's system."""
    return f"awk 'BEGIN{{system(\"{seed}\")}}'" if not set(seed) & set("'\"\\$%") else None


def find_exec(seed: str) -> str | None:
    """find's -exec."""
    return f"find . -maxdepth 0 -exec sh -c {shlex.quote(seed)} \\;"


ORDINARY: tuple[Rewriting, ...] = (
    single_quotes,
    double_quotes,
    backslashes,
    ansi_c,
    empty_quotes,
    split_quotes,
    command_in_variable,
    arguments_in_variables,
    in_array,
    sh_c,
    bash_lc,
    evaluated,
    heredoc,
    here_string,
    piped,
    path_prefix,
    command_builtin,
    env,
    nice,
    timeout,
    wrapped_thrice,
    assignment_before,
    continued,
    function,
    function_with_arguments,
    subshell,
    in_branches,
    in_case,
    last_of_several,
    in_background,
)
"""Ways in which nobody means harm: harmless commands stay allowed."""

ALL: tuple[Rewriting, ...] = (
    *ORDINARY,
    ansi_octal,
    command_in_pieces,
    as_parameters,
    substituted,
    split_on_blanks,
    split_on_commas,
    blanks_from_ifs,
    braces,
    nested_shells,
    env_shell,
    heredoc_open,
    printed,
    process_substitution,
    sourced,
    script,
    decoded,
    crooked_path,
    continued_inside,
    trapped,
    aliased,
    xargs,
    xargs_shell,
    python_system,
    awk_system,
    find_exec,
)
"""Every way: harmful commands never get a looser answer."""


def rewritten(seed: str, ways: Iterable[Rewriting]) -> list[tuple[str, str]]:
    """(name of the way, line) for every way that applies."""
    return [(way.__name__, line) for way in ways if (line := way(seed)) is not None]
