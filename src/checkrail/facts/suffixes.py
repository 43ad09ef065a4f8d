"""The public suffix list that comes with tldextract, without the HTTP library that it would fetch a newer one with.

Nothing is ever fetched here, and that library is a quarter of a daemon's start. So the two modules that tldextract takes it
from are stood in for while it is imported. Where it wants more of them than it used to, it gets the real ones.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class _Session:
    """Never asked for anything: there are no addresses to fetch from."""

    def mount(self, _prefix: str, _adapter: object) -> None:
        """What tldextract does with each session."""

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> "_Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _stand_ins() -> dict[str, ModuleType]:
    requests, files = ModuleType("requests"), ModuleType("requests_file")
    vars(requests).update(Session=_Session)
    vars(files).update(FileAdapter=object)
    return {"requests": requests, "requests_file": files}


@contextmanager
def _without_http() -> Iterator[None]:
    made = {name: module for name, module in _stand_ins().items() if name not in sys.modules}
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in made:
            sys.modules.pop(name, None)


def extractor() -> Any:
    """tldextract's own, with the list that it brings and no cache on the disk."""
    try:
        with _without_http():
            return _made()
    except Exception:  # whatever it missed, it has it now
        for name in [name for name in sys.modules if name.partition(".")[0] == "tldextract"]:
            del sys.modules[name]
        return _made()


def _made() -> Any:
    import tldextract

    found = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    found("example.co.uk")  # reads the list
    return found
