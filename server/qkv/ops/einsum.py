"""Einstein sums: letters name axes, the same letter is the same size."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_one_device
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.broadcast import broadcast
from qkv.ops.dtypes import promote
from qkv.ops.table import rule
from qkv.shapes import Dim, Kind, Shape, Tensor
from qkv.shapes.dim import alone
from qkv.shapes.solve import fresh_row, solve_rank, stand_apart, symbol, write
from qkv.shapes.values import contiguous_strides


@rule("torch.einsum torch.functional.einsum", term="einsum")
def einsum(cx: Context, equation: Any, *operands: Any) -> Tensor:
    """Products of numbers with equal letters, summed over the letters that the result does not name."""
    if not isinstance(equation, str):
        raise CannotTell("the equation is not known here")
    tensors: tuple[Any, ...] = operands[0] if len(operands) == 1 and isinstance(operands[0], tuple) else operands
    inputs, output = read_equation(equation)
    if len(inputs) != len(tensors):
        raise Mismatch(
            "shape-einsum",
            "The equation {equation} names {left} operands, and {right} are given.",
            equation=repr(equation),
            left=len(inputs),
            right=len(tensors),
        )
    known = [tensor if isinstance(tensor, Tensor) else cx.unknown() for tensor in tensors]
    require_one_device({f"operands[{i}]": tensor for i, tensor in enumerate(known)})
    sizes: dict[str, tuple[Dim, str]] = {}
    spread: Shape | None = None
    for place, (labels, tensor) in enumerate(zip(inputs, known, strict=True)):
        rest = _bind(cx, equation, labels, tensor, f"operands[{place}]", sizes)
        if rest is not None:
            spread = rest if spread is None else broadcast(cx, spread, rest, ("operands[0]", f"operands[{place}]"), "shape-einsum")
    dims: list[Dim] = []
    front: tuple[Dim, ...] = ()
    row = None
    for label in output:
        if label == "...":
            rest = spread or Shape()
            front, row = (*dims, *rest.front), rest.row
            dims = [*dims, *rest.back] if row is None else [*rest.back]
            if row is None:
                front = ()
            continue
        if label not in sizes:
            raise Mismatch("shape-einsum", "The result of {equation} names {letter}, which no operand has.", equation=repr(equation), letter=repr(label))
        dims.append(sizes[label][0])
    shape = Shape(tuple(dims), row, front)
    stand_apart(cx.store, shape.back)
    dtype = known[0].dtype
    for tensor in known[1:]:
        dtype = dtype if tensor.dtype == dtype else promote(dtype, tensor.dtype)
    return Tensor(shape, dtype, next((t.device for t in known if t.device), None), None if len(known) == 1 else contiguous_strides(shape))


def read_equation(equation: str) -> tuple[list[list[str]], list[str]]:
    """`"bhid,bhjd->bhij"` as labels of the operands and of the result. Raises Mismatch where it is no equation."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = [_labels(part, equation) for part in left.split(",")]
    if arrow:
        output = _labels(right, equation)
        if len(set(output)) != len(output):
            raise Mismatch("shape-einsum", "The result of {equation} names a letter twice.", equation=repr(equation))
        return inputs, output
    counts: dict[str, int] = {}
    for label in (label for labels in inputs for label in labels):
        counts[label] = counts.get(label, 0) + 1
    once = sorted(label for label, count in counts.items() if count == 1 and label != "...")
    return inputs, [*(["..."] if "..." in counts else []), *once]


def _labels(part: str, equation: str) -> list[str]:
    labels: list[str] = []
    while part:
        if part.startswith("..."):
            labels.append("...")
            part = part[3:]
            continue
        if not part[0].isalpha():
            raise Mismatch("shape-einsum", "{equation} holds {sign}; subscripts are letters, commas, `...` and one `->`.", equation=repr(equation), sign=repr(part[0]))
        labels.append(part[0])
        part = part[1:]
    return labels


def _bind(cx: Context, equation: str, labels: list[str], tensor: Tensor, name: str, sizes: dict[str, tuple[Dim, str]]) -> Shape | None:
    """Hold one operand against its letters. Returns what `...` stands for in it."""
    shape = tensor.shape
    dots = labels.index("...") if "..." in labels else None
    count = len(labels) - (dots is not None)
    if dots is None:
        solved = solve_rank(cx.store, shape, count, lambda i: symbol(cx.store, labels[i], Kind.PARAM, cx.where))
        if solved is None:
            raise Mismatch(
                "shape-einsum",
                f"{{{name}}} is {{{name}.shape}}: it has {{left}} axes, but {{labels}} names {{right}}.",
                hint="Name each axis with one letter, or use `...` for those in front.",
                at=name,
                labels=repr("".join(labels)),
                left=shape.rank if shape.rank is not None else shape.least_rank,
                right=count,
            )
        dims, rest = solved.back, None
    else:
        if shape.rank is not None and shape.rank < count:
            raise Mismatch("shape-einsum", f"{{{name}}} is {{{name}.shape}}, which has fewer axes than {{labels}} names.", at=name, labels=repr("".join(labels)))
        front, back = dots, count - dots
        if shape.rank is None and (len(shape.front) < front or len(shape.back) < back):
            for label in labels:
                if label != "...":
                    sizes.setdefault(label, (cx.fresh(), name))
            return Shape(row=fresh_row(cx.store))
        total = shape.back if shape.rank is not None else None
        if total is not None:
            dims = (*total[:front], *total[len(total) - back :])
            rest = Shape(total[front : len(total) - back])
        else:
            dims = (*shape.front[:front], *shape.back[len(shape.back) - back :])
            rest = Shape(shape.back[: len(shape.back) - back], shape.row, shape.front[front:])
    letters = [label for label in labels if label != "..."]
    for label, dim in zip(letters, dims, strict=True):
        _agree(cx, equation, label, dim, name, sizes)
        name_axis(cx, dim, label)
    return rest


def _agree(cx: Context, equation: str, label: str, dim: Dim, name: str, sizes: dict[str, tuple[Dim, str]]) -> None:
    if label not in sizes or sizes[label][0] == 1:
        sizes[label] = (dim, name)
        return
    if dim == 1:
        return
    before, where = sizes[label]
    mismatch = Mismatch(
        "shape-einsum",
        f"In {{equation}}, {{letter}} is {{left}} in {{{where}}} and {{right}} in {{{name}}}: one letter is one size.",
        hint=f"{{{where}}} is {{{where}.shape}} and {{{name}}} is {{{name}.shape}}: check the order of the letters." if where != name else None,
        at=name,
        equation=repr(equation),
        letter=repr(label),
        left=before,
        right=dim,
    )
    require_equal(cx, before, dim, mismatch)


def name_axis(cx: Context, dim: Dim, name: str) -> None:
    """Give an axis that has no name the name that a pattern gives it."""
    single = alone(dim)
    if single is not None and single.kind is Kind.PARAM and not single.name and dim not in cx.store.aliases:
        if name not in cx.store.aliases.values():
            write(cx.store, cx.store.aliases, dim, name)
