"""Results compared by value, and the difference in words. Standard library and torch only."""

import inspect

RTOL, ATOL = 1e-3, 1e-4
KINDS = {
    "bool": "True and False",
    "integer": "whole numbers",
    "floating": "floating-point numbers",
    "complex": "complex numbers",
}


def tensor_of(value):
    """A result as a tensor on the CPU: arrays, numbers, and lists of these are converted. None where it holds no numbers."""
    import torch

    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return value.to_dense() if value.layout != torch.strided else value
    if isinstance(value, (list, tuple)):
        parts = [tensor_of(item) for item in value]
        if not parts or any(part is None or part.shape != parts[0].shape for part in parts):
            return torch.as_tensor(value) if not parts else None
        return (
            torch.stack(parts)
            if len({part.dtype for part in parts}) == 1
            else torch.stack([part.double() for part in parts])
        )
    try:
        return torch.as_tensor(value.copy() if hasattr(value, "__array__") and hasattr(value, "copy") else value)
    except Exception:
        return None


def kind_of(value):
    """The kind of number that a tensor holds."""
    if str(value.dtype) == "torch.bool":
        return "bool"
    if value.dtype.is_complex:
        return "complex"
    return "floating" if value.dtype.is_floating_point else "integer"


def close(x, y):
    """Which elements of two tensors of one shape are equal within the tolerance. NaN equals NaN only."""
    import torch

    wide = torch.complex128 if "complex" in (kind_of(x), kind_of(y)) else torch.float64
    return torch.isclose(x.to(wide), y.to(wide), rtol=RTOL, atol=ATOL, equal_nan=True)


def same_value(x, y):
    """Equal as the course counts it: shape, kind of number, and values within the tolerance."""
    if x is None or y is None:
        return False
    return x.shape == y.shape and kind_of(x) == kind_of(y) and bool(close(x, y).all())


def difference(got, want):
    """The first element that differs, as texts; or the shapes or the kinds, where these differ already."""
    if got is None or want is None:
        return {"got": None, "want": None, "index": None}
    if got.shape != want.shape:
        return {"got": str(tuple(got.shape)), "want": str(tuple(want.shape)), "index": None}
    far = ~close(got, want)
    if not bool(far.any()):
        return {"got": KINDS[kind_of(got)], "want": KINDS[kind_of(want)], "index": None}
    index = tuple(far.nonzero()[0].tolist())
    mine, right = got[index].item(), want[index].item()
    digits = next((n for n in (4, 6, 9) if number(mine, n) != number(right, n)), 12)
    return {"got": number(mine, digits), "want": number(right, digits), "index": list(index)}


def number(value, digits=4):
    """A number as text."""
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def axes_of(exercise):
    """The names of the result's axes, such as "(B, h, n, d_h)"; None where the exercise does not say."""
    return getattr(exercise, "AXES", {}).get("result")


def call_text(name, function, arguments):
    """A call as a learner would write it: `split_heads(x (2, 5, 12), 3)`."""
    import torch

    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    parts = []
    for place, value in enumerate(arguments):
        label = names[place] if place < len(names) else f"argument {place + 1}"
        if not isinstance(value, torch.Tensor):
            parts.append(getattr(value, "__name__", None) or number(value))
        elif value.dim() == 1 and kind_of(value) != "floating" and len(value) <= 8:
            parts.append(f"{label} {value.tolist()}")
        else:
            parts.append(f"{label} {tuple(value.shape)}")
    return "{}({})".format(name, ", ".join(parts))


def in_words(value, got, want, axes=None):
    """What is wrong with the form of a result: that it is none, its shape, its kind of number. None where the form is right."""
    if got is None:
        if value is None:
            return "The function gives back nothing (None). Does every way through it end with `return`?"
        if isinstance(value, (tuple, list)):
            kind = type(value).__name__
            return f"The function gives back a {kind} of {len(value)} things of different shapes; one tensor is wanted."
        return f"The function gives back a {type(value).__name__}; a tensor is wanted."
    if got.shape != want.shape:
        named = f", that is {axes}" if axes else ""
        return f"The result has the shape {tuple(got.shape)}; it should have {tuple(want.shape)}{named}."
    if kind_of(got) != kind_of(want):
        right = "The values are right, but the" if bool(close(got, want).all()) else "The"
        return f"{right} result holds {KINDS[kind_of(got)]}; it should hold {KINDS[kind_of(want)]}."
    return None


def pattern(pairs, seeds, axes=None):
    """A regular way in which results (got, want) differ, in words; None where there is none, or where the form differs already."""
    import torch

    if any(x is None or y is None or kind_of(x) != kind_of(y) for x, y in pairs):
        return None
    if any(x.shape != y.shape for x, y in pairs):
        return other_order(pairs, axes)
    wrong = [seeds[i] for i, (x, y) in enumerate(pairs) if not same_value(x, y)]
    if seeds[0] not in wrong:
        return "It is right for the stored input and wrong for a fresh one: it must work for any numbers."
    if any(
        bool((torch.isnan(x.double()) & ~torch.isnan(y.double())).any()) for x, y in pairs if kind_of(x) == "floating"
    ):
        return "The result holds NaN, which is not a number: look for 0 / 0, for log(0) times 0, or for a softmax over nothing but -inf."
    if kind_of(pairs[0][0]) == "bool":
        return (
            "Every True should be False, and every False True." if all(bool((x != y).all()) for x, y in pairs) else None
        )
    return by_a_number(pairs) or other_order(pairs, axes) or in_part(pairs, axes)


def by_a_number(pairs):
    """One number that all results are multiplied with, or that is added to them."""
    got = flat([x for x, _ in pairs])
    want = flat([y for _, y in pairs])
    if not bool(got.isfinite().all() & want.isfinite().all()) or float(want.abs().max()) < ATOL or len(want) < 2:
        return None
    factor = float((got @ want) / (want @ want))
    if bool(close(got, want * factor).all()) and abs(factor) > ATOL and float(want.std()) > ATOL:
        if abs(factor + 1) < RTOL:
            return "Every number has the wrong sign."
        return f"Every number is {number(factor, 3)} times what it should be."
    shift = float((got - want).mean())
    if bool(close(got, want + shift).all()):
        return "Every number is too {} by {}.".format("large" if shift > 0 else "small", number(abs(shift), 3))
    return None


def other_order(pairs, axes):
    """The right numbers in another order: two axes swapped, an axis turned round, moved on by one, or any other."""
    if any(sorted(x.shape) != sorted(y.shape) or x.dim() == 0 for x, y in pairs):
        return None
    for words, way in orders(pairs[0][1].dim(), axes):
        if all(same_value(x, way(y)) for x, y in pairs):
            return f"The numbers are right, but they stand in another order: the result is the wanted one {words}."
    if all(len(flat([y])) > 2 and bool(close(flat([x]).sort()[0], flat([y]).sort()[0]).all()) for x, y in pairs):
        return "The numbers are right, but they stand in another order."
    return None


def orders(axis_count, axes):
    """Ways to put a tensor's numbers in another order, each with its words."""
    for second in range(axis_count):
        for first in range(second):
            words = f"with {axis_name(first, axes)} and {axis_name(second, axes)} swapped"
            yield words, lambda t, a=first, b=second: t.transpose(a, b)
    for axis in range(axis_count):
        along = f"along {axis_name(axis, axes)}"
        yield f"turned round {along}", lambda t, axis=axis: t.flip(axis)
        yield f"moved on by one {along}", lambda t, axis=axis: t.roll(1, axis)
        yield f"moved back by one {along}", lambda t, axis=axis: t.roll(-1, axis)


def axis_name(axis, axes):
    """An axis by its place and, where the exercise names its axes, by its name."""
    names = [name.strip() for name in axes.strip("()").split(",") if name.strip()] if axes else []
    return f"axis {axis} ({names[axis]})" if axis < len(names) else f"axis {axis}"


def in_part(pairs, axes):
    """Which places along an axis are wrong in the first result that differs, where others are right."""
    got, want = next((x, y) for x, y in pairs if not same_value(x, y))
    right = close(got, want)
    for axis in range(want.dim()):
        whole = right
        for other in reversed([other for other in range(want.dim()) if other != axis]):
            whole = whole.all(other)
        bad = [place for place, good in enumerate(whole.tolist()) if not good]
        if len(bad) < want.shape[axis]:
            which = f"place {bad[0]} is" if len(bad) == 1 else f"places {', '.join(map(str, bad))} are"
            return f"Along {axis_name(axis, axes)} only {which} wrong; the rest is right."
    return None


def flat(tensors):
    """All numbers of some tensors in one row."""
    import torch

    return torch.cat([tensor.double().reshape(-1) for tensor in tensors])
