"""Containers and pods: where the inner command runs, and what reaches this machine."""

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Payload
from checkrail.reading import read_all
from tests.readers.shell.evaluation import rules

AROUND = Surroundings(host=FrozenHost(home="/home/dev"), home="/home/dev", workspace="/work/app", cwd="/work/app")


def touched(line: str) -> set[str]:
    """Effects on paths as ``action host:path``, all texts inside read."""
    found = read_all((Payload(language="shell", text=line, cwd="/work/app"),), AROUND)
    return {
        f"{effect.action.value} {effect.target.host}:{effect.target.value}"
        for effect in found.effects
        if effect.target.kind.value == "path"
    }


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("docker run alpine rm -rf /data", "delete container:alpine:/data"),
        ("docker run --rm -it -e A=b --name x alpine rm -rf /data", "delete container:alpine:/data"),
        ("docker exec -u root web rm /data", "delete running:web:/data"),
        ("docker compose exec -T web rm /data", "delete running:web:/data"),
        ("docker container exec web rm /data", "delete running:web:/data"),
        ("docker-compose run --rm web rm /data", "delete container:web:/data"),
        ("kubectl exec -n x -c app web -- rm /data", "delete pod:web:/data"),
        ("docker run alpine sh -c 'rm -rf /data'", "delete container:alpine:/data"),
        ("docker run --entrypoint rm alpine -rf /data", "delete container:alpine:/data"),
    ],
)
def test_the_inner_command_runs_inside(line: str, effect: str) -> None:
    """Options before the image are no part of it."""
    assert effect in touched(line)


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("docker run -v /work/app:/w alpine rm -rf /w/src", "delete :/work/app/src"),
        ("docker run -v $PWD:/w alpine sh -c 'cd /w && rm -rf src'", "delete :/work/app/src"),
        ("docker run -v .:/w -w /w alpine rm -rf src", "delete :/work/app/src"),
        ("docker run --mount type=bind,source=/work/app,target=/w alpine rm -rf /w", "delete :/work/app"),
        ("docker run -v ~:/h alpine find /h -delete", "delete :/home/dev"),
        (
            "docker run -v /work/app:/w python python -c \"import shutil; shutil.rmtree('/w/src')\"",
            "delete :/work/app/src",
        ),
        ("docker run -v /work/app:/w alpine rm -rf /", "delete :/work/app"),
    ],
)
def test_mounts_reach_this_machine(line: str, effect: str) -> None:
    """However the inner command is spelled."""
    assert effect in touched(line)


@pytest.mark.parametrize(
    "line",
    [
        "docker run -v /work/app:/w:ro alpine rm -rf /w",
        "docker run -v data:/w alpine rm -rf /w",
        "docker run -v /work/app:/w alpine rm -rf /x",
    ],
)
def test_other_mounts_do_not(line: str) -> None:
    """Read-only mounts, named volumes, other folders."""
    assert not any(effect.startswith("delete :") for effect in touched(line))


@pytest.mark.parametrize(
    "options",
    [
        "--privileged",
        "-v /:/h",
        "-v /etc:/e:ro",
        "-v /var/run/docker.sock:/s",
        "--pid=host",
        "--pid host",
        "--cap-add SYS_ADMIN",
        "--security-opt seccomp=unconfined",
        "--device /dev/sda",
        "--mount type=bind,src=/,dst=/h",
        "-v ~:/h",
    ],
)
def test_options_that_give_the_machine_away(options: str) -> None:
    """Rights, whole folders, sockets, disks."""
    assert {"docker.run.rights", "docker.run.mount"} & rules(f"docker run {options} alpine ls")


@pytest.mark.parametrize(
    "options",
    [
        "--network host",
        "-v ./src:/s",
        "-v data:/d",
        "-p 80:80",
        "--privileged=false",
        "--cap-drop ALL",
        "--device /dev/dri",
        "--gpus all",
        "--pid=container:x",
    ],
)
def test_ordinary_options_do_not(options: str) -> None:
    """Near misses."""
    assert not {"docker.run.rights", "docker.run.mount"} & rules(f"docker run {options} alpine ls")
