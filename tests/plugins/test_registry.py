"""A registry on this machine, over TLS: what is fetched from it, and what is not."""

import http.server
import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkrail.plugins import sources, unpack
from checkrail.plugins.sources import npm
from checkrail.plugins.unpack import Refused
from tests.plugins.test_sources import ARCHIVE, integrity

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


class Registry(http.server.ThreadingHTTPServer):
    """Serves what a test puts into ``pages``; a page that begins with ``https:`` is a redirect."""

    pages: dict[str, bytes]
    address: str


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Registry)
        page = server.pages.get(self.path)
        self.send_response(404 if page is None else 302 if page.startswith(b"https:") else 200)
        if page is not None and page.startswith(b"https:"):
            self.send_header("Location", page.decode())
        self.end_headers()
        self.wfile.write(page or b"")

    def log_message(self, *told: object) -> None:
        """Nothing."""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry with one package; its certificate is the only one that is trusted."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate),
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True,
    )  # fmt: skip
    server = Registry(("127.0.0.1", 0), _Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.address = f"https://localhost:{server.server_address[1]}"
    dist = {"tarball": f"{server.address}/demo.tgz", "integrity": integrity(ARCHIVE)}
    said = {"name": "@acme/demo", "version": "1.0.0", "dist": dist}
    server.pages = {"/@acme%2Fdemo/1.0.0": json.dumps(said).encode(), "/demo.tgz": ARCHIVE}
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def _fetch(registry: Registry) -> sources.Acquired:
    return sources.acquire(sources.parse("npm:@acme/demo@1.0.0"), registry=registry.address)


def test_a_package(registry: Registry) -> None:
    """Described and served, and its integrity holds."""
    assert set(_fetch(registry).files) == {"plugin.json", "package.json"}


def test_a_redirect_is_not_followed(registry: Registry) -> None:
    """Whoever answers for the registry is the registry."""
    registry.pages["/demo.tgz"] = f"{registry.address}/other.tgz".encode()
    registry.pages["/other.tgz"] = ARCHIVE
    with pytest.raises(Refused, match="redirects"):
        _fetch(registry)


def test_a_missing_page_and_nonsense(registry: Registry) -> None:
    """Each with its reason."""
    registry.pages["/@acme%2Fdemo/1.0.0"] = b"<html>"
    with pytest.raises(Refused, match="cannot be read"):
        _fetch(registry)
    registry.pages.clear()
    with pytest.raises(Refused, match="cannot be reached"):
        _fetch(registry)


def test_an_answer_that_is_too_large(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not read to its end."""
    monkeypatch.setattr(unpack, "COMPRESSED", 10)
    with pytest.raises(Refused, match="larger"):
        _fetch(registry)


def test_a_certificate_that_nobody_trusts(registry: Registry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Is no registry."""
    (tmp_path / "none.pem").write_text("")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(Refused):
        npm.fetched("@acme/demo", "1.0.0", "", registry=registry.address)
