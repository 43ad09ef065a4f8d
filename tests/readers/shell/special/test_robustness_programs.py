"""Whatever the arguments, the specials of programs that fetch, run and build neither fail nor take long."""

import random

import pytest

from tests.readers.shell.evaluation import reading

COMMANDS = (
    "git curl wget http ssh scp rsync nc dig gh docker docker-compose kubectl psql mysql sqlite3 redis-cli mongosh bq python node perl ruby php lua "
    "deno bun bash fish pwsh cmd wsl npm yarn pnpm npx uv uvx poetry bundle cross-env rimraf rustup make just cmake aws rclone gsutil manage.py prisma claude"
)
WORDS = (
    "-c -e -f -m -o -O -X -d -F -T -K -w -v -i -s -p -n -it -pie -lane -0777 -xvf --data --eval --method --mount --rsh --delete -- - --x=y = a=b a:b :x +x "
    "x@y u@h:p http://h ~ . / * run exec push checkout config foreach api compose db reset -rf @x <x f=@y n:=1 /c -enc -W -C --cwd -1 '' \ufffc"
)
LONG = [
    "git push " + "+x " * 20_000,
    "git checkout " + "a.py " * 20_000,
    "curl " + "-d @x " * 5_000 + "https://a.example",
    "curl -w '" + "%output{x}" * 5_000 + "' https://a.example",
    "docker run " + "-v /a:/b " * 500 + "alpine sh -c 'rm -rf /b'",
    "dig " + "a" * 100_000,
    "perl -" + "p" * 100_000,
    "python -" + "B" * 100_000,
    "bash -" + "e" * 100_000 + " -c id",
    "ssh h " + "x " * 20_000,
    "npm run " + "x " * 20_000,
    "make " + "x " * 20_000,
    "powershell -enc " + "A" * 100_000,
]


@pytest.mark.parametrize("name", COMMANDS.split())
def test_any_arguments_are_read(name: str) -> None:
    """Two hundred random argument lists each."""
    choose = random.Random(name)
    words = WORDS.split()
    for _ in range(200):
        given = [choose.choice(words) for _ in range(choose.randrange(8))]
        line = " ".join([name, *("'" + word.replace("'", "'\\''") + "'" for word in given)])
        assert reading(f"echo 'x y' | {line}") is not None


@pytest.mark.parametrize("line", LONG, ids=lambda line: line[:20])
def test_long_arguments_are_read(line: str) -> None:
    """Linear in their length."""
    assert reading(line) is not None
