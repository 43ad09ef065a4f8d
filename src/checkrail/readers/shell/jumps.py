"""What ``return``, ``break`` and ``continue`` leave behind: the states with which they jump."""

import msgspec

from checkrail.readers.shell.state import WAYS_CAP, State


class Jumps(msgspec.Struct):
    """States in which something was left early, by ``return`` or by ``break``."""

    left: list[State] = []

    def leave(self, state: State) -> None:
        """Note a jump; the path it was taken on ends."""
        if len(self.left) < WAYS_CAP:
            self.left.append(state.copy())
        else:
            self.left[-1].merge(state)
        state.dead = True

    def land(self, state: State) -> None:
        """Go on in ``state`` or in any of those that jumped here."""
        if self.left:
            state.merge(*self.left)
