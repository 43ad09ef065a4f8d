"""Tools that keep configuration encrypted: showing it is a question, running a program with it is judged by the program."""

from typing import TYPE_CHECKING

from checkrail.readers.shell import effects
from checkrail.readers.shell.state import Field

if TYPE_CHECKING:
    from checkrail.knowledge.schema import Entry
    from checkrail.readers.shell.call import Call

RUNS = frozenset(("run", "exec", "exec-env", "exec-file"))
SHOWS = frozenset(
    (
        *(
            "secrets",
            "get",
            "download",
            "export",
            "view",
            "decrypt",
            "show",
            "unlock",
            "print",
            "cat",
            "read",
            "reveal",
            "edit",
        ),
        *("-d", "--decrypt", "get-secret-value", "dump"),
    )
)
DELETES = frozenset(("delete", "rm", "remove", "unset", "revoke", "destroy"))
CHANGES = frozenset(("set", "upload", "rotate", "issue", "renew", "push"))
HOST = frozenset(("-install", "-uninstall", "--install", "certonly", "install"))
VALUES = frozenset(
    (
        "-f",
        "--env-file",
        "-p",
        "--project",
        "-c",
        "--config",
        "-e",
        "--env",
        "-t",
        "--token",
        "--path",
        "--name-transformer",
        "-i",
        "-r",
        "-R",
        "--env-keys-file",
    )
)


def vaulted(entry: "Entry", call: "Call", path: str) -> None:  # noqa: ARG001
    """``doppler``, ``sops``, ``age`` …: by the first word, and options that decrypt."""
    fields = call.arguments
    texts = [field.text for field in fields]
    if not texts or {"--help", "--version", "-h"} & set(texts):
        return
    words = [field for field in fields if not field.text.startswith("-")]
    verb = words[0].text if words else ""
    if verb in RUNS:
        _runs(fields, call)
        return
    _files(fields, call, path)
    if call.name == "git-crypt" and verb in ("status", "add-gpg-user", "lock", "init"):
        return
    second = words[1].text if len(words) > 1 else ""
    if DELETES & {verb, second}:
        effects.named(
            "destroys-shared",
            call,
            rule=f"{path}.deletes",
            reason=f"{call.line[:80]}: deletes stored secrets or certificates",
        )
    elif CHANGES & {verb, second}:
        effects.named("shared", call, rule=f"{path}.changes", reason=f"{call.line[:80]}: changes stored secrets")
    elif SHOWS & ({verb} | {text for text in texts if text.startswith("-")}):
        effects.named(
            "secret",
            call,
            rule=f"{path}.shows",
            reason="prints or writes decrypted secrets",
            safer="let the program that needs them decrypt them",
        )
    elif HOST & set(texts):
        effects.named(
            "host",
            call,
            rule=f"{path}.installs",
            reason=f"{call.line[:80]}: changes what this machine trusts or serves",
        )
    elif call.name == "certbot" and verb not in ("certificates", "plugins", "show_account"):
        effects.named(
            "external",
            call,
            rule=f"{path}.certificates",
            reason="asks an authority for certificates or gives them back",
        )


def _runs(fields: tuple[Field, ...], call: "Call") -> None:
    texts = [field.text for field in fields]
    for index, text in enumerate(texts):
        if text.startswith("--command"):
            line = (
                fields[index].tail(len("--command="))
                if "=" in text
                else (fields[index + 1] if index + 1 < len(fields) else None)
            )
            if line is not None:
                call.run.shell(line.text, line.span, call.name)
                return
    if "--" in texts:
        rest = fields[texts.index("--") + 1 :]
    else:
        position = next((index for index, text in enumerate(texts) if text in RUNS), 0) + 1
        while position < len(texts) and texts[position].startswith("-"):
            position += 1 + (texts[position] in VALUES)
        rest = fields[position:]
    if call.name == "sops" and len(rest) > 1:
        call.run.shell(" ".join(field.text for field in rest[1:]), rest[1].span, "sops")
    elif rest:
        call.invoke(rest)


def _files(fields: tuple[Field, ...], call: "Call", path: str) -> None:
    for index, field in enumerate(fields[:-1]):
        if field.text in ("-o", "--output", "--output-file", "--key-file", "--cert-file"):
            effects.path("write", fields[index + 1], call, path)
