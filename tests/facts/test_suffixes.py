"""The public suffix list without an HTTP library."""

import subprocess
import sys
from types import ModuleType

import pytest

from checkrail.facts import suffixes

NAMES = ("www.example.co.uk", "a.b.github.io", "example.com", "com", "localhost", "x.kawasaki.jp", "city.kawasaki.jp", "xn--mnchen-3ya.de", "a.blogspot.com", "")  # fmt: skip


def alone(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True).stdout.strip()


def test_no_http_library_is_loaded_and_the_next_who_wants_it_gets_it() -> None:
    """A daemon starts without it; the exporter of logs may need it later."""
    said = alone(
        "import sys; from checkrail.facts.hosts import registered_domain as d; print(d('a.example.co.uk'), 'urllib3' in sys.modules);"
        "import requests; print(requests.get.__module__)"
    )
    assert said.split() == ["example.co.uk", "False", "requests.api"]


def test_it_is_the_same_as_with_it() -> None:
    """Names, suffixes of many labels, exceptions, private suffixes."""
    import tldextract

    usual = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    ours = suffixes.extractor()
    assert [ours(name).top_domain_under_public_suffix for name in NAMES] == [
        usual(name).top_domain_under_public_suffix for name in NAMES
    ]


def test_where_it_wants_more_it_gets_the_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version may use more of the library than is stood in for."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tldextract", "requests", "requests_file")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(suffixes, "_stand_ins", lambda: {"requests": ModuleType("requests")})
    assert suffixes.extractor()("a.example.co.uk").top_domain_under_public_suffix == "example.co.uk"
