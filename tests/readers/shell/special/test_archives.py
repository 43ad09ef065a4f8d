"""tar: options that run, places that are written."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    "options",
    [
        "-xf a.tar --to-command='rm x'",
        "-xf a.tar --to-com 'rm x'",
        "-I 'rm x' -tf a.tar",
        "-tf a.tar -I'rm x'",
        "--use-compress-program='rm x' -xf a.tar",
        "cfI a.tar 'rm x' .",
        "-cf a.tar --checkpoint=1 --checkpoint-action=exec='rm x' .",
        "-cf a.tar --rsh-command='rm x' h:b",
        "-cMf a.tar -F 'rm x' .",
        "-cf a.tar --info-script='rm x' .",
    ],
)
def test_programs_are_found(options: str) -> None:
    """By short, bundled, long and abbreviated options."""
    assert "shell: rm x" in payloads(f"tar {options}")


@pytest.mark.parametrize("options", ["-tf a.tar", "xf a.tar", "-xzf a.tgz", "--list -f a.tar", "-xOf a.tar x"])
def test_ordinary_use_runs_nothing(options: str) -> None:
    """Reading and unpacking here."""
    assert payloads(f"tar {options}") == set()
    assert "tar.runs" not in rules(f"tar {options}")


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("tar cf a.tar src", "write /work/app/a.tar"),
        ("tar -cf a.tar src", "read /work/app/src"),
        ("tar -rf a.tar src", "write /work/app/a.tar"),
        ("tar -cf a.tar -C lib x", "read /work/app/lib/x"),
        ("tar -cf a.tar --remove-files src", "delete /work/app/src"),
        ("tar -xf a.tar -C /etc", "write /etc/#"),
        ("tar xfC a.tar /etc", "write /etc/#"),
        ("tar -xf a.tar --directory=/etc", "write /etc/#"),
        ("cd /etc && tar xf ~/a.tar", "write /etc/#"),
        ("tar -cf a.tar --index-file=i src", "write /work/app/i"),
        ("tar -cf a.tar -T list", "read /work/app/list"),
    ],
)
def test_places_are_found(program: str, effect: str) -> None:
    """What is packed is read, what is unpacked is written under the folder."""
    assert effect in effects(program)


def test_unpacking_in_the_workspace_is_everyday_work() -> None:
    """No unknown write where the project lies; absolute names are another matter."""
    assert effects("tar xf a.tar") == {"read /work/app/a.tar", "change tar xf a.tar"}
    assert "tar.absolute" in rules("tar xPf a.tar")
