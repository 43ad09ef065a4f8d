"""Collectors in memory."""

from collections.abc import Sequence

from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, LogRecordExportResult


class Collector(InMemoryLogRecordExporter):
    """Takes so many batches."""

    def __init__(self, batches: int = 1000) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.batches = batches

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Refuses what is too much."""
        self.batches -= 1
        return super().export(batch) if self.batches >= 0 else LogRecordExportResult.FAILURE
