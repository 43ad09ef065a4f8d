"""``python -m checkrail``."""

import sys

from checkrail.cli import main

sys.exit(main())
