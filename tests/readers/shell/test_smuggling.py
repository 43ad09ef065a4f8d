"""Ways to hide a command from a reader, and their near misses.

``hidden`` runs in each text of the first table as far as syntax goes; bash never runs it in those of the second.
"""

import pytest

from tests.readers.shell.reading import names

HIDDEN = [
    # an end word with quotes: the body ends at the word without them
    "cat <<'STOP'\ntext\nSTOP\nhidden\n'STOP'",
    'cat <<S"TO"P\ntext\nSTOP\nhidden\nS"TO"P',
    "cat <<$'STOP'\ntext\nSTOP\nhidden\n$'STOP'",
    # an empty body inside a compound command
    "if true; then\ncat <<STOP\nSTOP\nhidden\nSTOP\nfi",
    "while true; do cat <<STOP\nSTOP\nhidden\nSTOP\nbreak; done",
    "(\ncat <<STOP\nSTOP\nhidden\nSTOP\n)",
    "x=$(cat <<'STOP'\nSTOP\nhidden\nSTOP\n)",
    # the line of the operator goes on
    "cat <<STOP; hidden\ntext\nSTOP",
    "cat <<STOP &&\ntext\nSTOP\nhidden",
    "cat <<ONE; cat <<TWO\n1\nONE\n$(hidden)\nTWO",
    'cat <<STOP; echo "\ntext\nSTOP\n"; hidden',
    "cat <<STOP $(\ntext\nSTOP\nhidden)",
    # tabs and continued lines in a body
    "cat <<-STOP\n\t$(hidden)\n\tSTOP",
    "cat <<-STOP\n  text\n\t\tSTOP\nhidden",
    "cat <<STOP\ntext\\\\\nSTOP\nhidden",
    "cat <<STOP\nST\\\nOP\nhidden",
    # a word that begins and ends with single quotes
    "awk 'a'\"$(hidden)\"'b'",
    "echo 'a'$(hidden)'b'",
    "echo \\''$x'`hidden`\\'",
    # redirections of compound commands
    "while read line; do :; done < <(hidden)",
    "for x in a; do :; done > >(hidden)",
    "{ :; } <<< $(hidden)",
    "f() { :; } < <(hidden)",
    # operands, patterns, subscripts, arithmetic
    'echo "${a:-${b:-$(hidden)}}"',
    "echo \"${a:-'$(hidden)'}\"",
    "echo ${a//$(hidden)/b}",
    "echo ${a%%`hidden`}",
    "echo ${a[$(hidden)]}",
    "a[$(hidden)]=1",
    "a=(1 [$(hidden)]=2)",
    "echo $((1 + $(hidden)))",
    "echo $[ `hidden` ]",
    "for ((i=$(hidden); i<1; i++)); do :; done",
    # arithmetic that is none
    "echo $((hidden) )",
    "echo $((hidden); (true))",
    "((hidden) )",
    "((true); hidden)",
    # quotes in braces
    "echo \"${a:-'}'}\"; hidden",
    'echo ${a:-"}"}; hidden',
    "echo ${a:-{}; hidden; }",
    "echo ${a//'/'}; hidden",
    # continued lines
    "hid\\\nden",
    "echo a \\\n; hidden",
    "echo a\\\n#b; hidden",
    "true &\\\n& hidden",
    "echo $\\\n(hidden)",
    "i\\\nf hidden; then :; fi",
    # comments
    "true # it's \\\nhidden",
    'true;# "\nhidden',
    "echo $(: # )\n); hidden",
    'echo "$(: # ")\n)"; hidden',
    "case x in # )\nx) hidden;; esac",
    # white space that is none
    "true\u2028#; hidden",
    "true\x0c#; hidden",
    "true\r\nhidden",
    # backquotes
    'echo "`echo \\"a\\"`"; hidden',
    "echo `echo ')'`; hidden",
    "echo `A=1 :` `hidden`",
    "echo `echo \\`hidden\\``",
    # several lines, pipes and redirections
    "make 2>&1 | grep e | head -3\nhidden\nmake 2>&1 | tail",
    'a | b | c "${P[0]}"\nhidden </dev/null',
    "! { hidden; } 2>/dev/null",
    "! for i in 1; do hidden; done",
    # odd prefixes of a command
    "{fd}>/dev/null hidden",
    "2>&1 hidden",
    "a[x y]=b hidden",
    "A=1 >/dev/null B=2 hidden",
    "time -p hidden",
    "! ! hidden",
    "coproc N { hidden; }",
    "&>/dev/null hidden",
    # spelled in pieces
    'hid""den',
    "$'\\x68idden'",
    '$"hidden"',
    "h'idd'en",
    # the pattern reading and the plain one
    "!(hidden)",
    "case x in @(a|$(hidden))) ;; esac",
    "[[ a == +(b|$(hidden)) ]]",
    "[[ a =~ (b|$(hidden)) ]]",
]

NEVER_RUN = [
    "cat <<'STOP'\n$(hidden)\nSTOP",
    "cat <<STOP\nhidden\nSTOP",
    "cat <<STOP\n\\$(hidden)\nSTOP",
    "cat <<STOP\ntext \\\nSTOP\nhidden\nSTOP",
    "cat <<STOP\nSTOP \nhidden\nSTOP",
    "cat << 'STOP '\nSTOP\nhidden\nSTOP ",
    "echo 'a'\\''$(hidden)'",
    "echo --x='$(hidden)'",
    'echo "\\$(hidden)" \\`hidden\\`',
    "echo ${a:-'$(hidden)'}",
    "echo \"${a#'$(hidden)'}\"",
    "echo $'\\'$(hidden)'",
    "# $(hidden)",
    "true # `hidden`",
    "echo a\\\nhidden",
    "echo x \\\\ \\\nhidden",
    "{hidden;}",
    "echo if hidden",
    "git commit -m 'hidden; hidden' -m \"run hidden\"",
    "true\u2028hidden",
    "[[ hidden == hidden ]]",
    "(( hidden + 1 ))",
    "a=(hidden hidden)",
    "for hidden in hidden; do :; done",
    "case hidden in hidden) ;; esac",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_hidden_command_is_seen(text: str) -> None:
    """The command is a simple command of the tree."""
    assert "hidden" in names(text)


@pytest.mark.parametrize("text", NEVER_RUN)
def test_mere_mention_is_no_command(text: str) -> None:
    """The same word as data is no command."""
    assert "hidden" not in names(text)
