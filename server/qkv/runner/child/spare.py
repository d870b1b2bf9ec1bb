"""A warm process for one job: what stands in for fork where there is none. Standard library and torch only.

Tells the runner when torch is imported, then waits for its job as one JSON line on standard input.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - as sys.path and __file__ spell it
if HERE not in sys.path:  # PYTHONSAFEPATH
    sys.path.insert(0, HERE)

import program  # noqa: E402, F401 - while there is time
import tasks  # noqa: E402


def main():
    messages = tasks.messages_to(int(sys.argv[1]))
    messages.write(json.dumps(tasks.versions(*tasks.warm_up("--ahead" in sys.argv))) + "\n")
    messages.flush()
    line = sys.stdin.readline()
    if not line:
        return
    code = 1
    try:
        code = tasks.run_task(json.loads(line), messages)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
