"""The audit log: one JSON line for each verdict and each outcome, chained so that an edit or a gap shows."""

from checkrail.audit.log import Log, failures
from checkrail.audit.names import files
from checkrail.audit.verify import Report, verify

__all__ = ["Log", "Report", "failures", "files", "verify"]
