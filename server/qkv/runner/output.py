"""Output as it arrives: decoded, passed on, and kept. How much arrives is limited where it is read."""

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
    """What a run has printed so far."""

    on_output: OnOutput | None = None
    kept: dict[str, list[str]] = field(default_factory=lambda: {"stdout": [], "stderr": []})
    decoders: dict[str, codecs.IncrementalDecoder] = field(
        default_factory=lambda: {"stdout": _decoder(), "stderr": _decoder()}
    )

    def add(self, stream: str, data: bytes) -> None:
        """Take a piece of a stream."""
        self._keep(stream, self.decoders[stream].decode(data))

    def finish(self, cut: int) -> None:
        """Take what is left of a character that was begun, unless it is the limit that cut it in two."""
        for stream, decoder in self.decoders.items():
            rest = decoder.decode(b"", final=True)
            if not cut:
                self._keep(stream, rest)

    def text(self, stream: str) -> str:
        """All that was kept of a stream."""
        return "".join(self.kept[stream])

    def _keep(self, stream: str, text: str) -> None:
        if text:
            self.kept[stream].append(text)
            if self.on_output is not None:
                self.on_output(stream, text)
