"""What surrounds a call: the machine, whose home, which workspace. No policy, so readers and the floor cannot see one."""

import msgspec

from checkrail.facts.host import Host


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a call would run.

    ``workspace`` is the project the agent works in (an absolute path), ``cwd`` where the call starts,
    ``own`` the places of Checkrail itself (code, configuration, state, socket, installed hooks), which the
    floor protects, as absolute paths.
    """

    host: Host
    home: str
    workspace: str
    cwd: str
    own: tuple[str, ...] = ()
    agent: str = ""
