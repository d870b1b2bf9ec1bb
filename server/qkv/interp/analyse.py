"""Put the two ways into a file together: what is shown, what is found, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from qkv.interp.comments import wrong_claims
from qkv.interp.entries import each_function, run_file
from qkv.interp.facts import Analysis, Axis, Fact, Finding, MaskUse, Seen
from qkv.interp.machine import Importer
from qkv.interp.readback import Facts, Key
from qkv.interp.values import Unit
from qkv.source import Location, Source

MOST_CONTEXTS = 8


def analyse_unit(source: Source, importer: Importer, cancelled: Callable[[], bool] = lambda: False) -> Analysis:
    """All facts and findings of a file. Raises only `Cancelled`."""
    run = run_file(Unit(source, "__main__", main=True), importer, cancelled)
    generic = list(each_function(Unit(source, _module_name(source.path), main=True), importer, cancelled))
    return combine(source, run, generic)


def _module_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".py") or "module"


def combine(source: Source, run: Facts, generic: list[Facts]) -> Analysis:
    """The generic shape is shown in a function, with the calls of the run beside it; at module level the run's."""
    facts: dict[Key, Fact] = {}
    operations = dict(run.operations)
    names = dict(run.names)
    for entry in generic:
        operations |= entry.operations
        names |= entry.names
        for key, seen in entry.facts.items():
            joined = _joined(seen)
            if key not in facts or facts[key].axes is None:
                facts[key] = joined
    for key, seen in run.facts.items():
        contexts = _contexts(seen)
        if key in facts and seen[0].function is not None:
            facts[key] = replace(facts[key], seen=contexts)
        else:
            facts[key] = replace(_joined(seen), seen=contexts if seen[0].function is not None else ())
    findings = _findings(run, generic)
    order = sorted(facts.values(), key=lambda fact: (fact.span, fact.name))
    return Analysis(
        source.path,
        tuple(order),
        tuple(sorted(operations.values(), key=lambda item: item.span)),
        tuple(sorted(names.values(), key=lambda item: item.span)),
        tuple(
            sorted([*findings, *wrong_claims(source, order)], key=lambda f: (f.location.path, f.location.span, f.code))
        ),
        source.parsed.errors,
        tuple(_mask_uses(run, generic)),
    )


def _contexts(facts: list[Fact]) -> tuple[Seen, ...]:
    """The distinct shapes that a place had in the run, in order."""
    found: dict[tuple[object, ...], Seen] = {}
    for fact in facts:
        for seen in fact.seen:
            found.setdefault((seen.shape, seen.dtype), seen)
    return tuple(found.values())[:MOST_CONTEXTS]


def _joined(facts: list[Fact]) -> Fact:
    """One fact for a place that was met several times: what all of them agree on."""
    result = facts[0]
    for other in facts[1:]:
        result = _join(result, other)
    return result


def _join(a: Fact, b: Fact) -> Fact:
    if a.axes == b.axes:
        return a if a.dtype == b.dtype else replace(a, dtype=None)
    if a.axes is None or b.axes is None:
        return a if a.axes is None else b
    dtype = a.dtype if a.dtype == b.dtype else None
    if len(a.axes) == len(b.axes) and not any(_open(axis) for axis in (*a.axes, *b.axes)):
        axes = tuple(x if x.size == y.size else Axis("?") for x, y in zip(a.axes, b.axes, strict=False))
        return replace(a, axes=axes, dtype=dtype)
    tail: list[Axis] = []
    for x, y in zip(reversed(a.axes), reversed(b.axes), strict=False):
        if x.size != y.size or _open(x):
            break
        tail.append(x)
    if not tail:
        return replace(a, axes=None, dtype=dtype, unknown="it has another number of axes each time")
    return replace(a, axes=(Axis("..."), *reversed(tail)), dtype=dtype)


def _open(axis: Axis) -> bool:
    return isinstance(axis.size, str) and (axis.size == "..." or axis.size.startswith("*"))


def _findings(run: Facts, generic: list[Facts]) -> list[Finding]:
    """Each place once, a certain crash before a possible one. What the run did without trouble is not called an error.

    One mistake is reported once: where the same sizes clash in the same way further down, the first place is enough.
    """
    found: dict[tuple[object, ...], Finding] = {}
    lines: set[tuple[str, int]] = set()
    causes: set[tuple[object, ...]] = set()
    for finding in run.findings:
        found.setdefault((finding.location, finding.code), finding)
        lines.add((finding.location.path, finding.location.span.line))
        causes.add(finding.cause)
    crashed = {finding.function for finding in run.findings if finding.severity == "error"}
    for entry in generic:
        for finding, node in zip(entry.findings, entry.finding_nodes, strict=False):
            if (finding.location.path, finding.location.span.line) in lines or node in run.executed:
                continue
            if finding.cause in causes or (finding.function is not None and finding.function in crashed):
                continue
            causes.add(finding.cause)
            before = found.get((finding.location, finding.code))
            if before is None or (before.severity != "error" and finding.severity == "error"):
                found[(finding.location, finding.code)] = finding
    return sorted(found.values(), key=lambda finding: (finding.location.path, finding.location.span, finding.code))


def _mask_uses(run: Facts, generic: list[Facts]) -> list[MaskUse]:
    """Each use once; one that was seen to differ from call to call is not told."""
    found: dict[Location, MaskUse | None] = {}
    for entry in (run, *generic):
        for use in entry.mask_uses:
            before = found.get(use.location, use)
            same = before is not None and (before.diagonal, before.hides_low, before.hides_high) == (
                use.diagonal,
                use.hides_low,
                use.hides_high,
            )
            found[use.location] = use if same else None
    return sorted((use for use in found.values() if use is not None), key=lambda use: use.location.span)
