"""Exit codes: 0 sent (or nothing was new), 1 not sent, 2 wrong usage, 3 the log was cut or changed since the last run.

  checkrail export otlp --endpoint http://localhost:4318

Sends the lines of the log to a collector that you run, as OpenTelemetry logs over HTTP. A repeated run (from cron, say) sends
only what is new. Headers, certificates and compression are taken from the OTEL_EXPORTER_OTLP_* variables of the
OpenTelemetry library, which is an extra: pip install 'checkrail[otlp]'.
"""

import argparse
import sys

from checkrail import places
from checkrail.audit import otlp
from checkrail.redaction import redact

CHANGED, USAGE = 3, 2


def configure(parser: argparse.ArgumentParser) -> None:
    """See the module's help."""
    parser.add_argument("what", choices=("otlp",))
    parser.add_argument(
        "--endpoint", required=True, metavar="URL", help="the collector; /v1/logs is added where there is no path"
    )
    parser.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS", help="for each batch (default 10)")


def run(args: argparse.Namespace) -> int:
    """Sends what is new."""
    state = places.find().state
    try:
        url = otlp.target(args.endpoint)
        result = otlp.send(
            str(state / "audit"), otlp.Bookmark(str(state / "export"), url), otlp.exporter(url, args.timeout)
        )
    except (ValueError, otlp.Missing) as error:
        print(f"checkrail export: {error}", file=sys.stderr)
        return USAGE
    except OSError as error:
        print(f"checkrail export: {error}", file=sys.stderr)
        return 1
    print(f"{result.sent} lines sent to {redact(url)}")
    if result.problem:
        print(f"checkrail export: {result.problem}", file=sys.stderr)
    return 0 if not result.problem else 1 if result.problem == otlp.FAILED else CHANGED
