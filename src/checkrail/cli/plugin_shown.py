"""A package judged within a time limit, and the lines that tell people of it."""

from functools import partial

from checkrail.cli import terminal
from checkrail.daemon.deadline import Alarm, DeadlineExceeded
from checkrail.plugins import assessment, settings, store
from checkrail.plugins.assessment import Assessment
from checkrail.plugins.concerns import Level

SECONDS = 120.0
"""For judging one package."""
_COLOURS = {Level.NOTE: "green", Level.REVIEW: "yellow", Level.REFUSE: "red"}


def assess(path: str, drafts: bool, rules: settings.Settings) -> Assessment:
    """The assessment of a directory within a time limit. Raises :class:`checkrail.plugins.store.StoreError`."""
    work = partial(assessment.assess, path, drafts=drafts, overlay=rules.declared())
    try:
        return Alarm(lambda: None).limited(SECONDS, work)
    except DeadlineExceeded:
        raise store.StoreError(
            f"{path} took longer than {SECONDS:.0f} seconds to judge; that alone is a reason not to take it"
        ) from None


def lines(found: Assessment, *, everything: bool = False) -> list[str]:
    """An assessment for people; nothing of the package reaches the terminal raw."""
    manifest = found.package.manifest
    name = f"{manifest.name} {manifest.version} (Agent Plugins {manifest.release})" if manifest else "no plugin"
    told = [f"{terminal.paint(found.level.value, _COLOURS[found.level])}  {terminal.plain(name)}  {found.package.root}"]
    told += [
        f"  skill {terminal.plain(skill.name)}: {terminal.plain(skill.description)[:160]}"
        for skill in found.package.skills
    ]
    for server in found.package.servers:
        state = "present but disabled" if server.transport == "stdio" else "remote, only reported"
        whom = " ".join((server.command, *server.args)) or server.url
        told.append(
            f"  server {terminal.plain(server.name)} ({server.transport}, {state}): {terminal.plain(whom)[:200]}"
        )
    bands = assessment.declared(found.declared)
    counts = ", ".join(f"{count} {band}" for band, count in bands["bands"].items() if count)
    told.append(f"  declares {counts or 'nothing about its operations'}")
    for problem in found.problems:
        level = assessment.level_of(problem)
        told.append(
            _line(level, problem.code, problem.subject, f"{problem.reason} [{problem.fatality}, {problem.requirement}]")
        )
    for concern in found.concerns:
        if everything or concern.level is not Level.NOTE:
            told.append(_line(concern.level, concern.rule, concern.path, concern.reason))
    for judged in found.prose:
        grave = [one for one in judged.findings if one.rule not in ("admission.directive", "admission.sequence")]
        if everything or assessment.outcome_level(judged) is not Level.NOTE:
            told += [
                _line(assessment.outcome_level(judged), one.rule, judged.tool, f"{one.reason}: {one.text[:160]}")
                for one in grave
            ]
    return told


def _line(level: Level, rule: str, where: str, reason: str) -> str:
    return f"  {terminal.paint(level.value.ljust(6), _COLOURS[level])} {rule}  {terminal.plain(where)}: {terminal.plain(reason)}"
