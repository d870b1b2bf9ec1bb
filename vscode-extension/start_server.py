"""Starts qkv with the libraries that lie beside this file.

Run as `python -I start_server.py lsp --stdio`: isolated, so that neither PYTHONPATH nor the current folder can put another
module in their place, and so that no variable of ours reaches the programs that learners run.
Without `server-libs` (in a checkout) the qkv of the interpreter is taken.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "server-libs"))

from qkv.cli import main  # noqa: E402

sys.exit(main())
