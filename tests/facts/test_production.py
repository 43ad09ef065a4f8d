"""Production shows in names; the context is read from files and variables."""

import pytest

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.facts.production import database_host, is_disposable, is_rehearsal, looks_like_production, production


@pytest.mark.parametrize(
    "name",
    ["prod", "acme-prod", "eks_production_eu", "prod-1", "PRD", "db.prod.example.com", "prod1", "live", "app-live"],
)
def test_production_names(name: str) -> None:
    """Names that say production."""
    assert looks_like_production(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "product-catalog",
        "reproduce",
        "dev",
        "staging",
        "non-prod",
        "nonprod",
        "preprod",
        "pre-production",
        "deliver",
        "olive",
        "localhost",
        "products",
    ],
)
def test_other_names(name: str) -> None:
    """Names that only resemble one, or say that they are not."""
    assert not looks_like_production(name)


def around(files: dict[str, str | None], environment: dict[str, str]) -> Surroundings:
    """A machine with configuration."""
    return Surroundings(
        host=FrozenHost(files=files, environment=environment),
        home="/home/dev",
        workspace="/work/app",
        cwd="/work/app/infra",
    )


def test_everything_at_once() -> None:
    """Each source gives a phrase that names it."""
    found = production(
        around(
            {
                "/home/dev/.kube/config": "apiVersion: v1\ncurrent-context: acme-prod\n",
                "/work/app/infra/.terraform/environment": "production",
                "/home/dev/.config/gcloud/active_config": "work",
                "/home/dev/.config/gcloud/configurations/config_work": "[core]\nproject = shop-prod-1\n",
                "/work/app/.git/HEAD": "ref: refs/heads/production\n",
            },
            {"AWS_PROFILE": "acme-production", "DATABASE_URL": "postgres://u:p@db.prod.internal:5432/app"},
        )
    )
    assert found == (
        "kube context acme-prod",
        "AWS profile acme-production",
        "database host db.prod.internal:5432",
        "Google Cloud project shop-prod-1",
        "Terraform workspace production",
        "branch production",
    )


def test_quiet_where_nothing_says_production() -> None:
    """Ordinary contexts say nothing, odd files neither."""
    files: dict[str, str | None] = {
        "/home/dev/.kube/config": "current-context: kind-dev\n",
        "/home/dev/.config/gcloud/active_config": "../../../etc/prod",
        "/work/app/.git/HEAD": "garbage",
    }
    found = production(around(files, {"AWS_PROFILE": "dev", "DATABASE_URL": "postgres://prod_user:prod@localhost/app"}))
    assert found == ()


def test_kubeconfig_variable() -> None:
    """KUBECONFIG chooses the file."""
    files: dict[str, str | None] = {
        "/home/dev/.kube/config": "current-context: dev\n",
        "/k/prod.yaml": "current-context: 'prod-eu'\n",
    }
    assert production(around(files, {"KUBECONFIG": "/k/none:/k/prod.yaml"})) == ("kube context prod-eu",)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("postgres://u:p@h:1/d?x", "h:1"),
        ("redis://h", "h"),
        ("db.internal", "db.internal"),
        ("mysql://prod:x@h/prod", "h"),
    ],
)
def test_database_host(url: str, host: str) -> None:
    """Only the host of a database URL is looked at."""
    assert database_host(url) == host


@pytest.mark.parametrize(
    ("name", "rehearsal", "disposable"),
    [
        ("shop_test", True, True),
        ("test", True, True),
        ("test_shop", True, True),
        ("shop-test-2", True, True),
        ("shop_dev", True, False),
        ("development", True, False),
        ("shop", False, False),
        ("latest", False, False),
        ("contest", False, False),
        ("test_prod", False, False),
        ("devices", False, False),
        ("?", False, False),
        ("", False, False),
    ],
)
def test_databases_for_trying_things_out(name: str, rehearsal: bool, disposable: bool) -> None:
    """Told by a whole part of the name; production is stronger."""
    assert (is_rehearsal(name), is_disposable(name)) == (rehearsal, disposable)
