#!/usr/bin/env bash
# Makes dist/qkv.vsix: the extension with the server's libraries inside, pure Python, for every platform.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

LIBRARIES=$EXTENSION/server-libs
PYTHON_EXE=$(find_python)
: > "$LOG"

# Libraries that the server itself does not use, and what belongs to installing rather than to running.
UNUSED=(rich pygments bin)

collect_libraries() {
  local wheels
  wheels=$(mktemp -d)
  rm -rf "$LIBRARIES"
  quietly "$PYTHON_EXE" -m pip wheel -q --disable-pip-version-check --no-deps --wheel-dir "$wheels" "$ROOT"
  # The oldest Python that is supported needs the most: markers are judged by the running one, so its back-ports are named.
  quietly "$PYTHON_EXE" -m pip install -q --disable-pip-version-check --target "$LIBRARIES" --no-compile \
    --implementation py --abi none --platform any --python-version 3.10 --only-binary=:all: \
    "$wheels"/qkv-*.whl tomli exceptiongroup typing-extensions
  rm -rf "$wheels"
  for name in "${UNUSED[@]}"; do
    rm -rf "${LIBRARIES:?}/$name" "$LIBRARIES/$name"-*.dist-info
  done
  find "$LIBRARIES" -name __pycache__ -type d -prune -exec rm -rf {} +
  # jedi is here to find the files of modules: stubs of packages that other people may have are not looked at.
  rm -rf "$LIBRARIES/jedi/third_party/django-stubs" "$LIBRARIES/jedi/third_party/typeshed/stubs"
  if find "$LIBRARIES" \( -name '*.so' -o -name '*.pyd' -o -name '*.dll' -o -name '*.dylib' -o -name '*.pyc' \) | grep .; then
    say "compiled files among the libraries: the package would not be universal"
    return 1
  fi
}

collect_libraries
mkdir -p "$(dirname "$VSIX")"
(
  cd "$EXTENSION"
  # The search for secrets takes minutes on a thousand library files, and everything here comes from this repository or from PyPI.
  quietly node_modules/.bin/vsce package --no-dependencies --allow-missing-repository --allow-package-all-secrets --out "$VSIX"
)
"$PYTHON_EXE" - "$VSIX" <<'EOF_PY'
import sys
from pathlib import Path

size = Path(sys.argv[1]).stat().st_size / 1e6
print(f"{sys.argv[1]}: {size:.1f} MB", file=sys.stderr)
sys.exit("more than 8 MB" if size > 8 else 0)
EOF_PY
