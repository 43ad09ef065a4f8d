"""Which rows are proposed: exact ones for what people always said yes to, and none for anything else."""

import tomllib
from typing import Any

import pytest

from checkrail.audit.records import Record
from checkrail.model import Decision
from checkrail.policy import BUILT_IN, Policy, Rule
from checkrail.policy.files import parse
from checkrail.report import rows
from checkrail.report.suggest import Suggestion, effect, suggest
from tests.audit.lines import weighed
from tests.report.logs import asked, questions

HOME = "/home/dev"


def often(count: int = 3, said: str = "yes", **fields: Any) -> list[Record]:
    """The same finding in as many sessions."""
    found = weighed(**fields)
    return [line for number in range(count) for line in asked(found, said=said, session=f"s{number}")]


def suggested(*parts: list[Record], policy: Policy = BUILT_IN, least: int = 3) -> list[Suggestion]:
    """What is proposed for a log."""
    return suggest(questions(*parts), policy=policy, home=HOME, least=least)


def condition(found: Suggestion) -> tuple[str, str]:
    """Which condition a row has."""
    known = {"path": found.row.path, "host": found.row.host, "branch": found.row.branch}
    ((name, value),) = [(name, value) for name, value in known.items() if value]
    return name, value


@pytest.mark.parametrize(
    ("rule", "target", "expected"),
    [
        ("file.write-outside", "/srv/out/a.csv", ("path", "/srv/out/a.csv")),
        ("fetch.upload", "https://files.example.test:8443/up?x=1", ("host", "files.example.test")),
        ("git.push.force", "git push -f origin dev/topic", ("branch", "dev/topic")),
        ("git.push.force", "git push origin +dev/topic:dev/other", ("branch", "dev/other")),
        ("sql.delete", "app.staging_users", ("path", "app.staging_users")),
    ],
)
def test_a_path_a_host_a_branch_a_table(rule: str, target: str, expected: tuple[str, str]) -> None:
    """Each exactly."""
    (found,) = suggested(often(rule=rule, target=target))
    assert condition(found) == expected
    assert (found.row.id, found.row.decision, found.yes, len(found.spared)) == (rule, Decision.ALLOW, 3, 3)


@pytest.mark.parametrize(
    "fields",
    [
        {"count": 2},
        {"said": "no"},
        {"said": "waiting"},
        {"said": "unknown"},
        {"said": "refused"},
        {"floor": True},
        {"hard": True},
        {"decision": "deny"},
        {"rule": "sudo", "target": "sudo systemctl restart x"},
        {"rule": "reading.unread", "target": ""},
        {"target": "/srv/\ufffc/x"},
        {"target": "/srv/\ufffb/x"},
        {"target": "/srv/[redacted]/x"},
        {"target": "/srv/out/*.csv"},
        {"target": "/srv/data/**/x"},
        {"rule": "sql.delete", "target": "app.*"},
        {"target": "/srv/a\nb"},
        {"target": "/srv/\u202eb"},
        {"target": "/"},
        {"target": "/etc"},
        {"target": "/home/dev"},
        {"target": "/home/other"},
        {"target": "/w"},
        {"rule": "git.push.force", "target": "git push -f origin main"},
        {"rule": "git.push.force", "target": "git push -f origin HEAD"},
        {"rule": "git.push.force", "target": "git push -f origin"},
        {"rule": "git.push.force", "target": "git push -f origin a b"},
        {"rule": "git.push.force", "target": "git push -f origin *"},
        {"rule": "fetch.upload", "target": "https://*/x"},
        {"rule": "fetch.upload", "target": "https://localhost/x"},
    ],
)
def test_what_is_not_proposed(fields: dict[str, Any]) -> None:
    """Too seldom, not always yes, the floor, what is hard, and what is no exact target."""
    assert suggested(often(**fields)) == []


def test_one_no_is_enough() -> None:
    """In any session, at either prompt."""
    assert suggested(often(9), asked(weighed(), said="no", session="x")) == []
    assert suggested(often(9), asked(weighed(), said="refused", session="x")) == []
    assert len(suggested(often(9), asked(weighed(), said="waiting", session="x"))) == 1


def test_the_same_call_again_in_a_session_is_one_yes() -> None:
    """So a loop is no habit."""
    same = [line for _ in range(9) for line in asked(weighed(), signature="same")]
    assert suggested(same) == []


def test_a_directory_is_proposed_where_single_files_are_too_few() -> None:
    """And nobody said no below it."""
    parts = [asked(weighed(target=f"/srv/data/out/{number}.csv"), session=str(number)) for number in range(4)]
    (found,) = suggested(*parts)
    assert condition(found) == ("path", "/srv/data/out/**")
    assert suggested(*parts, asked(weighed(target="/srv/data/out/secret"), said="no")) == []
    assert len(suggested(*parts, asked(weighed(target="/srv/data/output"), said="no"))) == 1
    assert len(suggested(*parts, asked(weighed("file.delete-outside", "/srv/data/out/x"), said="no"))) == 1


@pytest.mark.parametrize(
    "folder", ["/srv", "/etc/nginx", "/home/dev", "/home/dev/.config", "/home/other/.ssh", "/w", "/usr/lib"]
)
def test_no_wide_directory_is_opened(folder: str) -> None:
    """Neither homes nor projects nor what is close to the root."""
    assert suggested(*(asked(weighed(target=f"{folder}/f{number}"), session=str(number)) for number in range(5))) == []


@pytest.mark.parametrize(
    "rule", ["file.delete-outside", "file.delete-system", "file.credentials-read", "file.write-system"]
)
def test_no_directory_is_opened_for_what_is_worse(rule: str) -> None:
    """A row about a directory would cover the directory itself."""
    parts = [asked(weighed(rule, f"/srv/data/out/{number}"), session=str(number)) for number in range(5)]
    assert suggested(*parts) == []


def test_branches_and_tables_have_classes_too() -> None:
    """By their prefix and their schema."""
    (pushed,) = suggested(
        *(asked(weighed("git.push.force", f"git push -f origin dev/t{n}"), session=str(n)) for n in range(3))
    )
    assert condition(pushed) == ("branch", "dev/*")
    (dropped,) = suggested(*(asked(weighed("sql.delete", f"staging.t{n}"), session=str(n)) for n in range(3)))
    assert condition(dropped) == ("path", "staging.*")


def test_narrow_rows_come_before_wide_ones() -> None:
    """A file that qualifies by itself does not open its directory."""
    found = suggested(often(target="/srv/data/out/a"), asked(weighed(target="/srv/data/out/b"), session="x"))
    assert [condition(one) for one in found] == [("path", "/srv/data/out/a")]


def test_a_row_that_answers_only_a_part_spares_nothing_alone() -> None:
    """Both findings need their row; together they spare the question."""
    both = [
        asked(weighed(), weighed("fetch.upload", "https://a.example/x"), session=str(number)) for number in range(3)
    ]
    found = suggested(*both)
    assert [len(one.spared) for one in found] == [0, 0]
    changed = effect(questions(*both), [one.row for one in found])
    assert (changed.before, changed.after) == (3, 0)


def test_a_denial_besides_stays() -> None:
    """No row about the question lets the call through."""
    parts = [asked(weighed(), weighed("floor.x", "/", floor=True, decision="deny"), session=str(n)) for n in range(3)]
    assert effect(questions(*parts), [Rule(id="*", path="*", decision=Decision.ALLOW)]).through == ()


def test_more_findings_than_were_kept_stay_a_question() -> None:
    """What is not known is not let through."""
    parts = [asked(weighed(), session=str(number), left_out=1) for number in range(3)]
    (found,) = suggested(*parts)
    assert found.spared == ()


def test_what_the_policy_answers_already_is_not_counted() -> None:
    """Rows that were added since the log was written."""
    own = Policy(rule=(Rule(id="file.*", path="/srv/*", decision=Decision.ALLOW),))
    assert effect(questions(often()), [], own).before == 0


def test_what_was_refused_and_would_pass_is_shown() -> None:
    """For rows that somebody wrote by hand."""
    wide = Rule(id="file.write-outside", path="/srv/**", decision=Decision.ALLOW)
    changed = effect(questions(often(), asked(weighed(), said="refused"), asked(weighed(), said="no")), [wide])
    told = rows.together(changed)
    assert (
        "5 prompts before, 0 after; let through: 3 that people said yes to, 0 that nobody answered, 2 that were refused"
        in told
    )
    assert "#   touch /srv/a" in told


@pytest.mark.parametrize("target", ['/srv/out/a"b', "/srv/out/ü\\n", "/srv/out/'''", "/srv/out/#x"])
def test_the_output_is_toml_that_the_policy_reads(target: str) -> None:
    """Whatever the target is called, and whatever stands in the comments."""
    (found,) = suggested(often(target=target))
    text = rows.suggestion(found)
    (row,) = parse(text, "x").rule
    assert (row.id, row.path, row.decision) == (found.row.id, found.row.path, "allow")
    assert tomllib.loads(text)["rule"][0]["why"] == "said yes 3 times, never no"


def test_a_comment_cannot_end_early() -> None:
    """A line break in what an agent wrote stays in the comment."""
    lines = [asked(weighed(), session=str(n)) for n in range(3)]
    found = suggested(*lines)[0]
    evil = [line for n in range(3) for line in asked(weighed(target="/srv/b"), session=str(n))]
    assert len(parse(rows.suggestion(found) + "\n" + rows.suggestion(suggested(evil)[0]), "x").rule) == 2
