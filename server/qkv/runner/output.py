"""Output as it arrives: decoded, passed on, and kept up to a limit."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass, field

OnOutput = Callable[[str, str], None]
"""Called with the stream's name (`stdout` or `stderr`) and a piece of text."""


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("replace")


@dataclass
class Output:
    """What a run has printed so far. `cut` counts the bytes beyond the limit, which are neither kept nor passed on."""

    limit: int
    on_output: OnOutput | None = None
    kept: dict[str, list[str]] = field(default_factory=lambda: {"stdout": [], "stderr": []})
    decoders: dict[str, codecs.IncrementalDecoder] = field(
        default_factory=lambda: {"stdout": _decoder(), "stderr": _decoder()}
    )
    size: int = 0
    cut: int = 0

    def add(self, stream: str, data: bytes) -> None:
        """Take a piece of a stream."""
        room = max(0, self.limit - self.size)
        self.cut += max(0, len(data) - room)
        data = data[:room]
        self.size += len(data)
        text = self.decoders[stream].decode(data)
        if text:
            self.kept[stream].append(text)
            if self.on_output is not None:
                self.on_output(stream, text)

    def text(self, stream: str) -> str:
        """All that was kept of a stream."""
        return "".join(self.kept[stream])
