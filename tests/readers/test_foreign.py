"""Source code without a reader: what its constant texts start and remove."""

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Payload
from checkrail.readers import foreign


def found(text: str) -> list[str]:
    """Command lines and removed paths."""
    around = Surroundings(host=FrozenHost(home="/home/dev"), home="/home/dev", workspace="/work/app", cwd="/work/app")
    reading = foreign.read(Payload(language="foreign", text=text, cwd="/work/app"), around)
    return [*(payload.text for payload in reading.payloads), *(effect.target.value for effect in reading.effects)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Command::new("rm")\n    .arg("-rf")\n    .arg("/x y").status();', "rm -rf '/x y'"),
        ('exec.Command("sh", "-c", "id")', "sh -c id"),
        ('system("rm -rf /x");', "rm -rf /x"),
        ('execl("/bin/rm", "rm", "-rf", "/x", NULL);', "rm -rf /x"),
        ("commandLine 'rm', '-rf', '/x'", "rm -rf /x"),
        ('os.RemoveAll("/x")', "/x"),
        ('fs::remove_dir_all("~/x")?;', "/home/dev/x"),
        ("//go:generate mockgen -source=a.go\n", "mockgen -source=a.go"),
    ],
)
def test_what_is_started_or_removed(text: str, expected: str) -> None:
    """Chains, lists and shell texts."""
    assert expected in found(text)


@pytest.mark.parametrize(
    "text",
    [
        'println!("rm -rf /x");',
        '// system("rm -rf /x");',
        '/* os.RemoveAll("/x") */',
        'os.RemoveAll("build")',
        'let a = "rm"; let b = "/x";',
        "",
        '"' * 1001,
    ],
)
def test_texts_that_are_only_data(text: str) -> None:
    """A text that nothing starts, a comment, a path of the project's own."""
    assert found(text) == []


def test_is_bounded() -> None:
    """A long source gives no more than it may."""
    assert len(found('system("rm -rf /x");\n' * 5_000)) <= 2 * foreign.COUNT
