"""Whether a stream takes colours, and that it never fails on a character."""

from __future__ import annotations

import os
from typing import TextIO

from qkv.ide.render import COLOURED, PLAIN, Styles


def styles_for(stream: TextIO) -> Styles:
    """Colours on a terminal that shows them (`NO_COLOR` and `FORCE_COLOR` are honoured), else none."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    if os.environ.get("NO_COLOR"):
        return PLAIN
    if os.environ.get("FORCE_COLOR"):
        return COLOURED
    return COLOURED if stream.isatty() and os.environ.get("TERM") != "dumb" else PLAIN
