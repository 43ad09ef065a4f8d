"""Numbers that supervisor and workers share in memory, one row a worker."""

import mmap
import time

STARTED, ACTIVE, POKED, REPLACED, LATE, _COMMON = range(6)
_PID, _BUSY, _CALLS, _WAITS, _WIDTH = range(5)


class Board:
    """Shared by fork. Times are ``time.monotonic()``, which all processes of a machine share; 0 means never."""

    def __init__(self, rows: int) -> None:
        self._cells = memoryview(mmap.mmap(-1, 8 * (_COMMON + rows * _WIDTH))).cast("d")
        self.rows = rows
        self._cells[STARTED] = self._cells[ACTIVE] = time.monotonic()

    def __getitem__(self, cell: int) -> float:
        return self._cells[cell]

    def __setitem__(self, cell: int, value: float) -> None:
        self._cells[cell] = value

    def enter(self, row: int, pid: int) -> None:
        """A worker takes a row."""
        self._cells[self._at(row, _PID)] = pid
        self._cells[self._at(row, _BUSY)] = 0
        self._cells[self._at(row, _WAITS)] = 0

    def begin(self, row: int) -> None:
        """A step of a call starts."""
        self._cells[self._at(row, _BUSY)] = self._cells[ACTIVE] = time.monotonic()

    def end(self, row: int) -> None:
        """The call is answered."""
        self._cells[self._at(row, _CALLS)] += 1
        self._cells[self._at(row, _BUSY)] = 0

    def may_wait(self, row: int) -> bool:
        """Takes one of the places of workers that wait for a person: half of all, so that others go on answering."""
        self._cells[self._at(row, _WAITS)] = 1
        if sum(self._cells[self._at(each, _WAITS)] for each in range(self.rows)) <= self.rows // 2:
            return True
        self.waited(row)
        return False

    def waited(self, row: int) -> None:
        """Gives the place back."""
        self._cells[self._at(row, _WAITS)] = 0

    def busy_since(self, row: int) -> float:
        """When the current step of the row's worker began; 0 if it waits for calls."""
        return self._cells[self._at(row, _BUSY)]

    def pids(self) -> tuple[int, ...]:
        """The workers, row by row."""
        return tuple(int(self._cells[self._at(row, _PID)]) for row in range(self.rows))

    def calls(self) -> int:
        """Calls since the supervisor started."""
        return int(sum(self._cells[self._at(row, _CALLS)] for row in range(self.rows)))

    @staticmethod
    def _at(row: int, cell: int) -> int:
        return _COMMON + row * _WIDTH + cell
