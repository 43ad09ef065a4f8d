"""The two placeholders of a package, and nothing else: one pass, inserted text is not looked at again."""

import re

ROOT, DATA = "PLUGIN_ROOT", "PLUGIN_DATA"
_PLACEHOLDER = re.compile(r"\$\{(PLUGIN_ROOT|PLUGIN_DATA)\}")


def expand(text: str, *, root: str, data: str) -> str:
    """``text`` with each exact ``${PLUGIN_ROOT}`` and ``${PLUGIN_DATA}`` replaced. Every other ``$`` stays as it is."""
    values = {ROOT: root, DATA: data}
    return _PLACEHOLDER.sub(lambda hit: values[hit[1]], text)


def environment(configured: dict[str, str], *, root: str, data: str) -> dict[str, str]:
    """What a package adds to a subprocess's environment: its own values expanded, then the two variables, last."""
    kept = {name: value for name, value in configured.items() if name.upper() not in (ROOT, DATA)}
    return {**{name: expand(value, root=root, data=data) for name, value in kept.items()}, ROOT: root, DATA: data}
