"""`python -m spm_lite` is the command `spm-lite`."""

import sys

from spm_lite.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
