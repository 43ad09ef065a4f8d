"""Writing a package: the reader and the schemas take it, and equal descriptions give equal bytes."""

import json
from pathlib import Path

import pytest

from checkrail.plugins import assessment, export, package, unpack
from tests.plugins.json_schema import load, valid

DESCRIPTION = """
[plugin]
name = "deploy-tools"
version = "2.1.0"
description = "Deploys."
author = { name = "Ann" }
keywords = ["deploy"]

[[skill]]
name = "rollback"
description = 'Rolls a "release" back: use it when one is broken. # not a comment'
metadata = { version = "1.0", owner = "yes" }
allowed-tools = "Read"
body = "Find the last good release.\\n---\\nThen ask."
[skill.files]
"references/releases.md" = "Releases are numbered."

[servers.web]
type = "streamable-http"
url = "https://deploy.example/mcp"

[servers.api]
type = "stdio"
command = "node"
args = ["${PLUGIN_ROOT}/server.js"]

[[operation]]
id = "mcp:api/promote"
reversibility = "irreversible"
scope = "external"
[[operation]]
id = "mcp:api/list"
risk = "low"
"""


def test_a_package(tmp_path: Path) -> None:
    """Read back without a fault, with everything in it."""
    unpack.write(export.files(export.parse(DESCRIPTION.encode())), tmp_path / "out")
    found = assessment.assess(str(tmp_path / "out"))
    assert found.problems == ()
    assert [skill.name for skill in found.package.skills] == ["rollback"]
    assert found.package.skills[0].description.startswith('Rolls a "release" back: use')
    assert found.package.skills[0].metadata == {"version": "1.0", "owner": "yes"}
    assert [server.name for server in found.package.servers] == ["api", "web"]
    assert assessment.declared(found.declared)["bands"] == {"auto": 1, "soft-ack": 0, "escalate": 1}
    for name in ("plugin", "mcp"):
        schema = load(f"{name}.schema.json")
        assert valid(json.loads((tmp_path / "out" / f"{name}.json").read_text()), schema, schema)


def test_equal_bytes() -> None:
    """Whatever the order of the tables."""
    parts = DESCRIPTION.split("\n\n")
    other = "\n\n".join([parts[0], *parts[3:], parts[2], parts[1]]) if len(parts) > 3 else DESCRIPTION
    assert export.files(export.parse(DESCRIPTION.encode())) == export.files(export.parse(other.encode()))


@pytest.mark.parametrize(
    "text",
    [
        "", "[plugin]\n", '[plugin]\nname = "A"', '[plugin]\nname = "a"\npermissions = {}', '[plugin]\nname = "a"\nauthor = "x"',
        '[plugin]\nname = "a"\n[extra]\n', '[plugin]\nname = "a"\n[servers.x]\ntype = "http"', '[plugin]\nname = "a"\n[servers.x]\ntype = "stdio"\ncommand = "../x"',
        '[plugin]\nname = "a"\n[servers.x]\ntype = "sse"\nurl = "https://a.example"\nheaders = { Authorization = "Bearer x" }',
        '[plugin]\nname = "a"\n[[skill]]\nname = "../x"\ndescription = "d"', '[plugin]\nname = "a"\n[[skill]]\nname = "x"',
        '[plugin]\nname = "a"\n[[skill]]\nname = "x"\ndescription = "d"\nfiles = { "../y" = "z" }',
        '[plugin]\nname = "a"\n[[skill]]\nname = "x"\ndescription = "d"\nfiles = { "skill.md" = "z" }',
        '[plugin]\nname = "a"\n[[skill]]\nname = "x"\ndescription = "d"\nhooks = "y"',
        '[plugin]\nname = "a"\n[[operation]]\nid = "mcp:a/b"\nband = "never"', '[plugin]\nname = "a"\n[[operation]]\nid = "mcp:a/b"\nband = "auto"\nscope = "external"',
        '[plugin]\nname = "a"\nextensions = { x = 1 }',
    ],
)  # fmt: skip
def test_what_gives_no_package(text: str) -> None:
    """Each with a reason, and nothing is written."""
    with pytest.raises(export.Unfit):
        export.files(export.parse(text.encode()))


def test_control_characters_survive(tmp_path: Path) -> None:
    """A body is what was given, with line ends and all."""
    text = DESCRIPTION.replace("Then ask.", "Tab\\tand é.")
    unpack.write(export.files(export.parse(text.encode())), tmp_path / "out")
    assert "Tab\tand é." in package.read(str(tmp_path / "out")).skills[0].body
