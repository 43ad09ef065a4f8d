"""Copies, moves, links, modes."""

import pytest

from tests.readers.shell.evaluation import effects, payloads, rules


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("cp a b", "write /work/app/b"),
        ("cp a b dir", "write /work/app/dir/b"),
        ("cp a dir/", "write /work/app/dir/a"),
        ("cp -t dir a", "write /work/app/dir/a"),
        ("cp --target-dir=dir a", "write /work/app/dir/a"),
        ("cp a /etc", "write /etc/a"),
        ("cp -T a dir", "write /work/app/dir"),
        ("cp -n a b", "create /work/app/b"),
        ("cp --backup a b", "create /work/app/b"),
        ("cp x/.bashrc ~", "write /home/dev/.bashrc"),
        ("cp -r x/. ~/", "write /home/dev/"),
        ("mv a b", "delete /work/app/a"),
        ("mv a b", "write /work/app/b"),
        ("mv -t dir a", "write /work/app/dir/a"),
        ("ln -s a b", "create /work/app/b"),
        ("ln -sf a b", "write /work/app/b"),
        ("ln -s ../lib/a", "create /work/app/a"),
        ("ln -s ~/.ssh/id_rsa k", "read /home/dev/.ssh/id_rsa"),
        ("install -d a", "create /work/app/a"),
        ("install -m 644 a b", "write /work/app/b"),
        ("dd if=a of=b", "write /work/app/b"),
        ("dd if=a", "read /work/app/a"),
        ("tee a <<< x", "write /work/app/a"),
        ("tee -a a <<< x", "append /work/app/a"),
        ("truncate -s 0 a", "write /work/app/a"),
        ("truncate -s +5 a", "append /work/app/a"),
        ("chmod +x a", "mode /work/app/a"),
        ("chmod -x a", "mode /work/app/a"),
        ("chmod -R -- u-w a", "mode /work/app/a"),
        ("chmod --reference b a", "mode /work/app/a"),
        ("chown me a", "mode /work/app/a"),
        ("chattr -i a", "mode /work/app/a"),
        ("rename foo bar foo1", "mode /work/app/foo1"),
        ("rename s/a/b/ foo1", "mode /work/app/foo1"),
    ],
)
def test_the_paths_that_are_reached(program: str, effect: str) -> None:
    """Each option decides which operand is source and which goal."""
    assert effect in effects(program)


def test_what_was_written_goes_on() -> None:
    """A copy of a script is still that script."""
    assert "shell: rm -rf src\n" in payloads("echo 'rm -rf src' > a; cp a b; sh b")
    assert "shell: rm -rf src\n" in payloads("echo 'rm -rf src' | tee a; sh a")
    assert "shell: rm -rf src\n" in payloads("echo 'rm -rf src' | dd of=a; sh a")
    assert "shell: rm -rf src\n" in payloads("echo 'rm -rf src' | tee a | sh")


@pytest.mark.parametrize("mode", ["4755", "u+s", "g=rxs", "06755", "2755", "ug+rwxs", "a+x,u+s"])
def test_a_set_id_bit_is_a_privilege(mode: str) -> None:
    """In digits and in letters."""
    assert "chmod.set-id" in rules(f"chmod {mode} a")


@pytest.mark.parametrize("mode", ["755", "0644", "u+x", "-s", "g-s", "1777", "u=rwx"])
def test_an_ordinary_mode_is_not(mode: str) -> None:
    """The sticky bit and taking bits away are harmless."""
    assert "chmod.set-id" not in rules(f"chmod {mode} a")


def test_closing_a_key_is_no_effect() -> None:
    """chmod 600 on a credential is what its owner ought to do; 644 is not."""
    assert effects("chmod 600 ~/.ssh/id_rsa") == set()
    assert effects("chmod 644 ~/.ssh/id_rsa") == {"mode /home/dev/.ssh/id_rsa"}
    assert effects("chmod 600 a") == {"mode /work/app/a"}


def test_a_raw_disk_is_a_secret() -> None:
    """dd from a disk reads everything on it."""
    assert "dd.raw" in rules("dd if=/dev/sda of=x")
    assert "dd.raw" not in rules("dd if=/dev/zero of=x")


def test_rename_with_code_asks() -> None:
    """The Perl version runs its expression."""
    assert "rename.code" in rules("rename 's/x/unlink/e' a")
    assert "rename.code" not in rules("rename 's/\\.jpeg$/.jpg/' a.jpeg")
    assert effects("rename -n 's/a/b/' a") == set()


@pytest.mark.parametrize(
    ("program", "effect"),
    [
        ("ln -s ~/.bashrc k; echo x >> k", "append /home/dev/.bashrc"),
        ("ln ~/.bashrc k; tee k < x", "write /home/dev/.bashrc"),
        ("cp -s ~/.bashrc k; echo x > k", "write /home/dev/.bashrc"),
        ("ln -s / r; rm -rf r/*", "delete /*"),
        ("ln -s / r; cd r; rm -rf *", "delete /*"),
        ("ln -s ~ h; rm -rf h/", "delete /home/dev/"),
        ("ln -s ../lib src/l; cat src/l/a", "read /work/app/lib/a"),
        ("ln -s / r; rm r", "delete /work/app/r"),
        ("ln -s a b; ln -s b a; cat a/x", "create /work/app/a"),
    ],
)
def test_a_link_made_in_the_line_is_followed(program: str, effect: str) -> None:
    """Reading, writing and entering go through it; removing it does not."""
    assert effect in effects(program)
