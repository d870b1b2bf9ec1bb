#!/usr/bin/env bash
# Opens a full VS Code in the browser, with the extension and the examples, on this machine only.
# Set QKV_EDITOR_PORT for a port of your own. Ctrl+C ends it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

PROFILE=$EDITOR_HOME/profile
PYTHON_EXE=$(find_python)
PORT=${QKV_EDITOR_PORT:-$("$PYTHON_EXE" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')}
SAMPLE=$EDITOR_HOME/sample

mkdir -p "$PROFILE/user/Machine" "$PROFILE/extensions" "$SAMPLE"
cp -n "$ROOT"/examples/*.py "$SAMPLE/"
# An interpreter is a setting of the machine; in the user's own file it would not count here.
printf '{ "qkv.interpreter": "%s" }\n' "$("$PYTHON_EXE" -c 'import sys; print(sys.executable)')" > "$PROFILE/user/Machine/settings.json"

export XDG_CONFIG_HOME=$PROFILE/config XDG_DATA_HOME=$PROFILE/data
COMMON=(--user-data-dir "$PROFILE/user" --extensions-dir "$PROFILE/extensions")
quietly "$NODE" "$CODE_SERVER" "${COMMON[@]}" --force --install-extension "$VSIX"

say "VS Code with qkv: http://127.0.0.1:$PORT/?folder=$SAMPLE"
say "(Ctrl+C ends it; your progress in the course is kept in $PROFILE/data)"
exec "$NODE" "$CODE_SERVER" "${COMMON[@]}" --auth none --bind-addr "127.0.0.1:$PORT" --disable-telemetry --disable-update-check \
  --disable-workspace-trust --disable-getting-started-override --ignore-last-opened "$SAMPLE" >> "$EDITOR_HOME/editor.log" 2>&1
