# Shared by the scripts beside it: where things are. Sourced, not run.
EXTENSION=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ROOT=$(cd "$EXTENSION/.." && pwd)
EDITOR_HOME=${QKV_EDITOR_HOME:-$ROOT/work/editor}
LOG=$EDITOR_HOME/setup.log
CODE_SERVER=$EDITOR_HOME/code-server/node_modules/code-server/out/node/entry.js
NODE=$EDITOR_HOME/node/node_modules/node/bin/node
VSIX=$ROOT/dist/qkv.vsix

mkdir -p "$EDITOR_HOME"

say() { printf '%s\n' "$*" >&2; }

# Runs a command, its output into the log; shows the log's end if it fails.
quietly() {
  if ! "$@" >> "$LOG" 2>&1; then
    say "failed: $*"
    say "the end of $LOG:"
    tail -20 "$LOG" >&2
    return 1
  fi
}

find_python() {
  for python in "${PYTHON:-}" "$ROOT/.venv/bin/python" python3; do
    if [ -n "$python" ] && command -v "$python" > /dev/null; then
      printf '%s\n' "$python"
      return
    fi
  done
  say "Python 3.10 or newer is needed"
  return 1
}
