"""A warm process that runs one job and ends: what stands in for fork where there is none. Standard library and torch only."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from parent import warm_up  # noqa: E402 - found beside this file
from tasks import run_task  # noqa: E402


def main():
    messages = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    warm_up()
    line = sys.stdin.readline()
    if not line:
        return 0
    return run_task(json.loads(line), messages)


if __name__ == "__main__":
    sys.exit(main())
