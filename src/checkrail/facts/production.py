"""Does the context look like production? Read from files and the caller's variables, each answer a short phrase."""

import re
from collections.abc import Callable, Iterator

from checkrail.context import Surroundings
from checkrail.facts import git

LIMIT = 262_144
"""Bytes of a configuration file that are read."""

_PRODUCTION = re.compile(
    r"(?:^|[^a-z0-9])(?:prod|production|prd|live)(?:[^a-z]|$)|(?:^|[^a-z])prod[-_.]?\d", re.IGNORECASE
)
_NOT = re.compile(
    r"(?:^|[^a-z])(?:non|not|pre|no)[-_]?(?:prod|production|prd)(?:[^a-z]|$)|localhost|127\.0\.0\.1", re.IGNORECASE
)
_CONTEXT = re.compile(rb"^current-context:[ \t]*['\"]?([^'\"\r\n#]+)", re.MULTILINE)
_PROFILES = (
    ("AWS_PROFILE", "AWS profile"),
    ("AWS_VAULT", "AWS vault"),
    ("CLOUDSDK_ACTIVE_CONFIG_NAME", "gcloud configuration"),
    ("GOOGLE_CLOUD_PROJECT", "Google Cloud project"),
    ("CLOUDSDK_CORE_PROJECT", "Google Cloud project"),
    ("AZURE_SUBSCRIPTION_NAME", "Azure subscription"),
    ("TF_WORKSPACE", "Terraform workspace"),
    ("RAILS_ENV", "RAILS_ENV"),
    ("NODE_ENV", "NODE_ENV"),
    ("APP_ENV", "APP_ENV"),
    ("DJANGO_SETTINGS_MODULE", "Django settings"),
)
_DATABASES = ("DATABASE_URL", "PGHOST", "MYSQL_HOST", "MONGO_URL", "MONGODB_URI", "REDIS_URL")


def looks_like_production(name: str) -> bool:
    """Whether a name of a context, profile, host, project, database or branch says production."""
    text = name[:512]
    return _PRODUCTION.search(text) is not None and _NOT.search(text) is None


_REHEARSAL = re.compile(r"(?:[\w-]*[_-])?(?:test|tests|testing|dev|development|e2e)(?:[_-][\w-]*)?")
_DISPOSABLE = re.compile(r"(?:[\w-]*[_-])?(?:test|tests|testing|e2e)(?:[_-]?\d+)?|test[_-][\w-]*")


def is_rehearsal(name: str) -> bool:
    """Whether a database's name says that developers try things out in it."""
    return _REHEARSAL.fullmatch(name[:512]) is not None and not looks_like_production(name)


def is_disposable(name: str) -> bool:
    """Whether a database's name says that test runs fill and empty it."""
    return _DISPOSABLE.fullmatch(name[:512]) is not None and not looks_like_production(name)


def production(around: Surroundings) -> tuple[str, ...]:
    """Phrases like ``kube context acme-prod``; empty where nothing says production. Never raises, never runs a program."""
    return tuple(dict.fromkeys(phrase for look in LOOKS for phrase in look(around)))


def kube_context(around: Surroundings) -> str:
    """The current context of kubectl, empty where none is set."""
    for path in (around.host.variable("KUBECONFIG") or f"{around.home}/.kube/config").split(":"):
        found = _CONTEXT.search(around.host.read(path, LIMIT) or b"") if path.startswith("/") else None
        if found:
            return found.group(1).decode("utf-8", "replace").strip()
    return ""


def terraform_workspace(around: Surroundings) -> str:
    """The selected workspace of terraform, empty where none is."""
    chosen = (around.host.read(f"{folder}/.terraform/environment", 1024) for folder in (around.cwd, around.workspace))
    return next((text.decode("utf-8", "replace").strip() for text in chosen if text), "")


def database_host(url: str) -> str:
    """The host that a database URL names, without user and password; the text itself where it is no URL."""
    rest = url.partition("://")[2] or url
    return rest.partition("/")[0].rpartition("@")[2].partition("?")[0]


def _kube(around: Surroundings) -> Iterator[str]:
    name = kube_context(around)
    if looks_like_production(name):
        yield f"kube context {name}"


def _variables(around: Surroundings) -> Iterator[str]:
    for variable, label in _PROFILES:
        value = around.host.variable(variable) or ""
        if looks_like_production(value):
            yield f"{label} {value[:80]}"


def _databases(around: Surroundings) -> Iterator[str]:
    for variable in _DATABASES:
        host = database_host(around.host.variable(variable) or "")
        if looks_like_production(host):
            yield f"database host {host[:80]}"


def _gcloud(around: Surroundings) -> Iterator[str]:
    folder = f"{around.home}/.config/gcloud"
    active = (around.host.read(f"{folder}/active_config", 1024) or b"").decode("utf-8", "replace").strip()
    if not re.fullmatch(r"[\w-]{1,64}", active):
        return
    if looks_like_production(active):
        yield f"gcloud configuration {active}"
    text = (around.host.read(f"{folder}/configurations/config_{active}", LIMIT) or b"").decode("utf-8", "replace")
    project = re.search(r"(?m)^project\s*=\s*(\S+)", text)
    if project and looks_like_production(project.group(1)):
        yield f"Google Cloud project {project.group(1)[:80]}"


def _terraform(around: Surroundings) -> Iterator[str]:
    name = terraform_workspace(around)
    if looks_like_production(name):
        yield f"Terraform workspace {name[:80]}"


def _branch(around: Surroundings) -> Iterator[str]:
    found = git.repository(around.cwd, around.host)
    name = git.branch(found, around.host) if found else ""
    if looks_like_production(name):
        yield f"branch {name[:80]}"


LOOKS: tuple[Callable[[Surroundings], Iterator[str]], ...] = (
    _kube,
    _variables,
    _databases,
    _gcloud,
    _terraform,
    _branch,
)
