"""Snippets for the tests of rules: a line like those of the oracle, with sizes that have names."""

from __future__ import annotations

import re
from typing import Any

from qkv.ops import Mismatch
from qkv.shapes import Expr, Kind, Shape, Tensor, Truth
from qkv.shapes.show import show
from qkv.shapes.solve import fresh, fresh_row, resolve_value, symbol
from qkv.shapes.values import contiguous_strides
from tests.ops.oracle import Abstract


class Line(Abstract):
    """Evaluates a line in which `x["B T C"]` is a float tensor of named sizes.

    Capitalised words of three letters or more (`HEADS`) are settings, other words sizes of inputs, `?` is a size that is not known,
    `...` an unknown number of axes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.named: dict[str, Expr] = {}
        self.rows: dict[str, Any] = {}

    def size(self, word: str) -> Any:
        if word.isdigit():
            return int(word)
        if word == "?":
            return fresh(self.store)
        kind = Kind.CONFIG if word.isupper() and len(word) > 2 else Kind.PARAM
        return self.named.setdefault(word, symbol(self.store, word, kind))

    def tensor(self, text: str, dtype: str = "float32") -> Tensor:
        words = text.split()
        if "..." in words:
            at = words.index("...")
            row = self.rows.setdefault(text, fresh_row(self.store))
            return Tensor(Shape(tuple(map(self.size, words[at + 1 :])), row, tuple(map(self.size, words[:at]))), dtype)
        shape = Shape(tuple(map(self.size, words)))
        return Tensor(shape, dtype, None, contiguous_strides(shape))


def result_of(line: str, **inputs: str) -> Any:
    """What the rules give for a line over named tensors: `result_of("q @ k", q="B H T d", k="B H d T")`.

    An input may start with a dtype and a colon. Names of sizes can be used in the line. Raises Mismatch where a rule refuses.
    """
    abstract = prepared(inputs)
    found = abstract.run(line, refuse=True)
    return resolve_value(abstract.store, found)


def prepared(inputs: dict[str, str]) -> Line:
    """The evaluator with its inputs."""
    abstract = Line()
    for name, text in inputs.items():
        dtype, _, shape = text.rpartition(":")
        abstract.names[name] = abstract.tensor(shape, dtype or "float32")
    abstract.names |= abstract.named
    return abstract


def shape_of(line: str, **inputs: str) -> str:
    """The shape of a line's result as text, `B T 3 * C`; `...` for an unknown number of axes."""
    abstract = prepared(inputs)
    found = resolve_value(abstract.store, abstract.run(line, refuse=True))
    assert isinstance(found, Tensor), found
    front, back = ([show(dim).replace(" ", "") for dim in part] for part in (found.shape.front, found.shape.back))
    return " ".join([*front, *(["..."] if found.shape.row is not None else []), *back])


def refusal(line: str, **inputs: str) -> Mismatch:
    """The finding of a line that a rule refuses, or that works only by coincidence."""
    abstract = prepared(inputs)
    try:
        abstract.run(line, refuse=True)
    except Mismatch as finding:
        return finding
    assert abstract.cx.coincidences, f"{line} is not refused"
    finding = abstract.cx.coincidences[0]
    assert finding.truth is Truth.SOMETIMES
    return finding


def accepts(line: str, **inputs: str) -> None:
    """A line that is neither refused nor a coincidence."""
    abstract = prepared(inputs)
    abstract.run(line, refuse=True)
    assert not abstract.cx.coincidences, abstract.cx.coincidences[0].template


def parts_named(finding: Mismatch) -> set[str]:
    """The `{parts}` that a finding's sentences speak of, without what stands behind a dot."""
    texts = [finding.template, finding.hint or ""]
    return {name.partition(".")[0] for text in texts for name in re.findall(r"\{([^{}]+)\}", text)}
