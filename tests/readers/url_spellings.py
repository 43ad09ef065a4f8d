"""Makes up spellings of URLs as attackers and accidents write them."""

import random

_HOSTS = (
    "example.com", "169.254.169.254", "127.0.0.1", "localhost", "metadata.google.internal", "münchen.example", "gіthub.com",
    "xn--gthub-n2e.com", "10.0.0.7", "0x7f.1", "0251.0376.0251.0376", "2852039166", "0xA9FEA9FE", "127.1", "1.2.3", "256.1.1.1",
    "[::1]", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "[2002:a9fe:a9fe::]", "[64:ff9b::a9fe:a9fe]", "faß.de", "ex_ample.com",
    "a.b.c.d.example.co.uk", "日本語.jp", "example.com.", "127.0.0.1.", "0", "08.8.8.8", "1.0x", "foo.0x4", "-a-.example", "a--b.example",
)  # fmt: skip
_USERS = ("", "", "", "user@", "user:pw@", "good.com@", "good.com:80@", "a@b@", "%40@", "good.com%2f@", ":@", "@")
_SCHEMES = ("http:", "https:", "HTTP:", "ftp:", "ws:", "wss:", "hTTps:")
_SLASHES = ("//", "//", "//", "", "/", "///", "\\\\", "/\\", "\\/", "////")
_PORTS = ("", "", "", ":80", ":8080", ":443", ":", ":0", ":00080", ":65535", ":99999", ":x")
_TAILS = (
    "",
    "/",
    "/x",
    "/x?y=1",
    "?q=@evil.example",
    "#@evil.example/",
    "/a/../b",
    "\\x",
    "/@evil.example",
    "?",
    "#",
    "\\@evil.example",
    "/%2e%2e/",
)
_WIDE = str.maketrans(
    "0123456789abcdefghijklmnopqrstuvwxyz.",
    "０１２３４５６７８９ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ。",
)
_CIRCLED = str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")
_INVISIBLE = ("\u00ad", "\u200b", "\u2060", "\ufeff", "\u200d", "\u200c")


def _percent(text: str, source: random.Random) -> str:
    return "".join(
        "".join(f"%{byte:02x}" for byte in letter.encode()) if source.random() < 0.3 else letter for letter in text
    )


def _sprinkled(text: str, extra: tuple[str, ...], source: random.Random) -> str:
    at = source.randrange(len(text) + 1)
    return text[:at] + source.choice(extra) + text[at:]


def _host(source: random.Random) -> str:
    host = source.choice(_HOSTS)
    if host.startswith("["):
        return host
    for _ in range(source.choice((0, 0, 1, 1, 2))):
        way = source.randrange(8)
        if way == 0:
            host = _percent(host, source)
        elif way == 1:
            host = host.replace(".", source.choice("。．｡"))
        elif way == 2:
            host = host.translate(_WIDE)
        elif way == 3:
            host = host.translate(_CIRCLED)
        elif way == 4:
            host = _sprinkled(host, _INVISIBLE, source)
        elif way == 5:
            host = "".join(source.choice((letter.upper(), letter)) for letter in host)
        elif way == 6:
            host = host + source.choice((".nip.io", ".example", "%00.example", "\t", "%", "%2", "^", "|"))
        else:
            host = _sprinkled(host, ("\t", "\n", "\r", "..", "%2e", "%25", " "), source)
    return host


def spelling(source: random.Random) -> str:
    """One URL."""
    text = "".join(
        (
            source.choice(_SCHEMES),
            source.choice(_SLASHES),
            source.choice(_USERS),
            _host(source),
            source.choice(_PORTS),
            source.choice(_TAILS),
        )
    )
    if source.random() < 0.1:
        text = _sprinkled(text, ("\t", "\n", "\r"), source)
    return (
        source.choice(("", "", "", " ", "\x00", " \t", "\x1f")) + text + source.choice(("", "", "", " ", "\n", "\x00"))
    )
