"""What a browser's parser would contact is among our readings of the same text."""

import ipaddress
import json
import os
import random
import shutil
import socket
import subprocess

import pytest

from checkrail.readers.url_parsing import readings
from tests.readers.url_spellings import spelling

NODE = shutil.which("node")
COUNT = int(os.environ.get("CHECKRAIL_DIFFERENTIAL", "2000"))
SCRIPT = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const hosts = texts.map((text) => { try { return new URL(text).hostname } catch { return null } });
process.stdout.write(JSON.stringify(hosts));
"""


def _same(host: str) -> str:
    """A host in one form: IPv6 without brackets, as a number's own text."""
    bare = host.strip("[]")
    try:
        return ipaddress.ip_address(bare).exploded
    except ValueError:
        return bare


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_the_host_that_a_browser_contacts_is_among_the_readings() -> None:
    """Node's URL, a WHATWG parser, never finds a host that we do not."""
    source = random.Random(20260401)
    texts = [spelling(source) for _ in range(COUNT)]
    done = subprocess.run(
        [str(NODE), "-e", SCRIPT], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    hosts = json.loads(done.stdout)
    missed = [
        (text, host, [url.host for url in readings(text)])
        for text, host in zip(texts, hosts, strict=True)
        if host and _same(host) not in {_same(url.host) for url in readings(text)}
    ]
    assert sum(host is not None for host in hosts) > COUNT // 4
    assert missed == []


def _number(source: random.Random) -> str:
    """One part of a numeric address, in any base."""
    value = source.choice((0, 1, 7, 8, 9, 10, 127, 169, 254, 255, 256, 43518, 65535, 16689662, 2852039166, 4294967295))
    return source.choice(("{}", "0{:o}", "0x{:x}", "0X{:X}", "00{:o}")).format(value)


def test_the_address_that_inet_aton_means_is_among_the_readings() -> None:
    """What the C library takes for an address, curl and ping take too."""
    source = random.Random(20260402)
    understood = 0
    for _ in range(COUNT):
        text = ".".join(_number(source) for _ in range(source.randrange(1, 5)))
        try:
            meant = socket.inet_ntoa(socket.inet_aton(text))
        except OSError:
            continue
        understood += 1
        assert meant in {url.host for url in readings(f"http://{text}/")}, text
    assert understood > COUNT // 20
