"""New tensors: filled with a number, counted, random, like another one, or made from Python's numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from qkv.ops.axes import as_dim, locate, sizes_given
from qkv.ops.casts import device_name
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import CATEGORY, DEFAULT, is_whole, named, number_dtype
from qkv.ops.table import rule
from qkv.shapes import Dim, Expr, Shape, Size, Tensor, Unknown
from qkv.shapes.dim import add, floor_divide, multiply, subtract
from qkv.shapes.solve import solve_rank, stand_apart
from qkv.shapes.values import contiguous_strides


def made(
    cx: Context, shape: Shape, dtype: str | None, device: Any = None, low: Dim | None = None, high: Dim | None = None
) -> Tensor:
    """A new tensor, laid out in order. The sizes that the author put side by side are meant to be different things."""
    for dim in shape.back:
        if isinstance(dim, int) and dim < 0:
            raise Mismatch("shape-view", "{shape} has a negative size.", shape=shape)
    if shape.row is None:
        stand_apart(cx.store, shape.back)
    return Tensor(shape, dtype, device_name(device), contiguous_strides(shape), low, high)


# -- filled ----------------------------------------------------------------------------------------------------------------


@rule("torch.zeros", term="tensor")
def zeros(cx: Context, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of zeros with the given sizes."""
    return _constant(made(cx, sizes_given(cx, size), named(dtype, DEFAULT), device), 0)


@rule("torch.ones", term="tensor")
def ones(cx: Context, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of ones with the given sizes."""
    return _constant(made(cx, sizes_given(cx, size), named(dtype, DEFAULT), device), 1)


def _constant(tensor: Tensor, value: int) -> Tensor:
    return replace(tensor, low=value, high=value) if is_whole(tensor.dtype) else tensor


@rule("torch.empty torch.rand torch.randn", term="tensor")
def random(cx: Context, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor with the given sizes, filled with random numbers (`empty`: with whatever lies in memory)."""
    return made(cx, sizes_given(cx, size), named(dtype, DEFAULT), device)


@rule("torch.full")
def full(cx: Context, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor with the given sizes, filled with one number."""
    own = fill_value.dtype if isinstance(fill_value, Tensor) else number_dtype(fill_value)
    result = made(cx, sizes_given(cx, (size,)), named(dtype, own), device)
    whole = isinstance(fill_value, int) and is_whole(result.dtype)
    return replace(result, low=fill_value, high=fill_value) if whole else result


@rule("torch.randint")
def randint(
    cx: Context, low: Any, high: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Random whole numbers from `low` (0 where it is left out) to below `high`."""
    if isinstance(high, (tuple, Size)):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    first = low if isinstance(low, (int, Expr)) else None
    last = subtract(high, 1) if isinstance(high, (int, Expr)) else None
    result = made(cx, sizes_given(cx, (size,)), named(dtype, "int64"), device)
    return replace(result, low=first, high=last)


@rule("torch.randperm")
def randperm(cx: Context, n: Dim, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The whole numbers below n in a random order."""
    return made(cx, Shape((n,)), named(dtype, "int64"), device, 0, subtract(n, 1))


@rule("torch.normal")
def normal(
    cx: Context, mean: Any, std: Any = 1.0, size: Any = None, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Random numbers from a normal distribution."""
    if size is not None:
        return made(cx, sizes_given(cx, (size,)), named(dtype, DEFAULT), device)
    if isinstance(mean, Tensor):
        return replace(mean, strides=None)
    if isinstance(std, Tensor):
        return replace(std, strides=None)
    raise CannotTell("the sizes are not known here")


@rule("torch.eye")
def eye(cx: Context, n: Dim, m: Dim | None = None, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The identity matrix: ones on the diagonal, zeros elsewhere."""
    return made(cx, Shape((n, n if m is None else m)), named(dtype, DEFAULT), device)


# -- like another tensor ---------------------------------------------------------------------------------------------------


def _like(input: Tensor, dtype: Any, device: Any) -> Tensor:
    dense = input.strides if input.strides is not None and input.strides == contiguous_strides(input.shape) else None
    kept = input.device if device is None else device_name(device)
    return Tensor(input.shape, named(dtype, input.dtype), kept, dense)


@rule("torch.zeros_like torch.ones_like torch.empty_like torch.rand_like torch.randn_like")
def like(cx: Context, input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A new tensor with the shape, the kind of number and the device of another."""
    return _like(input, dtype, device)


@rule("torch.full_like")
def full_like(cx: Context, input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A new tensor with the shape of another, filled with one number."""
    result = _like(input, dtype, device)
    return (
        replace(result, low=fill_value, high=fill_value)
        if isinstance(fill_value, int) and is_whole(result.dtype)
        else result
    )


@rule("torch.randint_like")
def randint_like(
    cx: Context, input: Tensor, low: Any, high: Any = None, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Random whole numbers in the shape of another tensor."""
    if high is None:
        low, high = 0, low
    whole = isinstance(low, int) and isinstance(high, int)
    return replace(_like(input, dtype, device), low=low if whole else None, high=high - 1 if whole else None)


@rule("torch.Tensor.new_zeros torch.Tensor.new_ones torch.Tensor.new_empty")
def new_zeros(cx: Context, input: Tensor, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A new tensor with the given sizes, and the kind of number and the device of this one."""
    result = made(cx, sizes_given(cx, size), named(dtype, input.dtype))
    return replace(result, device=input.device if device is None else device_name(device))


@rule("torch.Tensor.new_full")
def new_full(
    cx: Context, input: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """A new tensor with the given sizes, filled with one number, of this one's kind and on its device."""
    return new_zeros(cx, input, size, dtype=dtype, device=device)


@rule("torch.Tensor.new_tensor")
def new_tensor(cx: Context, input: Tensor, data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A new tensor from Python's numbers, of this one's kind and on its device."""
    made_here = tensor(cx, data, dtype=dtype, device=device)
    return replace(made_here, dtype=named(dtype, input.dtype if not isinstance(data, Tensor) else made_here.dtype))


# -- from Python's numbers -------------------------------------------------------------------------------------------------


@rule("torch.tensor torch.as_tensor torch.asarray")
def tensor(cx: Context, data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor from Python's numbers and lists of them, or from another tensor."""
    if isinstance(data, Tensor):
        return replace(
            data,
            dtype=named(dtype, data.dtype),
            device=data.device if device is None else device_name(device),
            sure=True,
        )
    if isinstance(data, Unknown) or not isinstance(data, (int, float, Expr, tuple, complex)):
        raise CannotTell("what the tensor is made from is not known here", named(dtype, None))
    dims, leaves = _nested(cx, data)
    kinds = [number_dtype(leaf) if not isinstance(leaf, Tensor) else leaf.dtype for leaf in leaves]
    own = (
        max(kinds, key=lambda kind: CATEGORY.get(kind or "", 9))
        if kinds and None not in kinds
        else (DEFAULT if not leaves else None)
    )
    result = Tensor(Shape(dims), named(dtype, own), device_name(device), contiguous_strides(Shape(dims)))
    whole = [leaf for leaf in leaves if isinstance(leaf, int) and not isinstance(leaf, bool)]
    if leaves and len(whole) == len(leaves) and is_whole(result.dtype):
        return replace(result, low=min(whole), high=max(whole))
    return result


def _nested(cx: Context, data: Any) -> tuple[tuple[Dim, ...], list[Any]]:
    """The sizes of nested lists, and what they hold."""
    if not isinstance(data, tuple):
        if isinstance(data, Tensor) and data.shape.rank != 0:
            raise CannotTell("a list of tensors that are no single numbers")
        if isinstance(data, str) or data is None:
            raise CannotTell("what the tensor is made from is not known here")
        return (), [data]
    items: tuple[Any, ...] = data
    found = [_nested(cx, item) for item in items]
    leaves = [leaf for _, held in found for leaf in held]
    inner = found[0][0] if found else ()
    for number, (dims, _) in enumerate(found):
        if dims != inner:
            raise Mismatch(
                "shape-cat",
                "The lists that the tensor is made from differ in length: the first is {first}, number {number} is {other}.",
                first=Shape(inner),
                other=Shape(dims),
                number=number + 1,
            )
    return (len(items), *inner), leaves


_LEGACY = {
    "Tensor": DEFAULT,
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
}


def _legacy(name: str, dtype: str) -> None:
    def construct(cx: Context, *data: Any, device: Any = None) -> Tensor:
        if data and all(isinstance(item, (int, Expr, Size)) for item in data):
            return made(cx, sizes_given(cx, data), dtype, device)
        return replace(tensor(cx, data[0] if data else (), device=device), dtype=dtype)

    construct.__doc__ = f"A tensor of {dtype}: with the given sizes, or from a list of numbers."
    rule(f"torch.{name} torch.cuda.{name}")(construct)


for _name, _dtype in _LEGACY.items():
    _legacy(_name, _dtype)


@rule("torch.from_numpy torch.frombuffer torch.load")
def from_outside(cx: Context, *values: Any, **keywords: Any) -> Any:
    """A tensor from outside torch: its shape is not known."""
    raise CannotTell("it comes from outside")


@rule("torch.scalar_tensor")
def scalar_tensor(cx: Context, s: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """One number as a tensor without axes."""
    return Tensor(Shape(), named(dtype, DEFAULT), device_name(device), ())


# -- counted ---------------------------------------------------------------------------------------------------------------


def _count(cx: Context, start: Any, end: Any, step: Any) -> Dim:
    """How many steps lead from start to below end."""
    numbers = (start, end, step)
    if any(
        isinstance(value, (Unknown, Tensor)) or value is None or isinstance(value, (str, tuple)) for value in numbers
    ):
        return cx.fresh()
    if all(isinstance(value, (int, float)) for value in numbers):
        if any(value != value for value in numbers):
            return cx.fresh()
        if step == 0 or (end - start) * step < 0:
            raise Mismatch(
                "shape-index", "Steps of {step} do not lead from {start} to {end}.", start=start, end=end, step=step
            )
        return math.ceil((end - start) / step)
    if any(isinstance(value, float) for value in numbers):
        return cx.fresh()
    distance = subtract(end, start)
    if step == 1:
        return distance
    if isinstance(step, int) and step > 1:
        return floor_divide(
            distance
            if _divides(distance, step)
            else add(distance, step - 1)
            if isinstance(distance, int)
            else distance,
            step,
        )
    if isinstance(step, int) and step < 0:
        return multiply(distance, -1) if step == -1 else cx.fresh()
    return floor_divide(distance, step) if isinstance(step, Expr) else cx.fresh()


def _divides(distance: Dim, step: int) -> bool:
    return isinstance(distance, int) and distance % step == 0


@rule("torch.arange", term="positions")
def arange(cx: Context, start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Numbers counted from `start` (0 where it is left out) to below `end`, in steps."""
    if end is None:
        start, end = 0, start
    kinds = [number_dtype(value) if not isinstance(value, Tensor) else value.dtype for value in (start, end, step)]
    own = None if None in kinds else DEFAULT if any(CATEGORY.get(kind or "") == 2 for kind in kinds) else "int64"
    count = _count(cx, start, end, step)
    result = made(cx, Shape((count,)), named(dtype, own), device)
    if is_whole(result.dtype) and isinstance(start, (int, Expr)) and isinstance(step, int) and step > 0:
        last = add(start, multiply(step, subtract(count, 1))) if step == 1 or isinstance(count, int) else None
        return replace(result, low=start, high=last)
    return result


@rule("torch.range")
def range(cx: Context, start: Any, end: Any, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Numbers counted from `start` up to and with `end`. Deprecated in torch: use `arange`."""
    if all(isinstance(value, (int, float)) for value in (start, end, step)) and step:
        return made(cx, Shape((math.floor((end - start) / step) + 1,)), named(dtype, DEFAULT), device)
    return made(cx, Shape((cx.fresh(),)), named(dtype, DEFAULT), device)


@rule("torch.linspace torch.logspace")
def linspace(
    cx: Context, start: Any, end: Any, steps: Dim, base: Any = 10.0, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """So many numbers at equal distances from `start` to `end`."""
    return made(cx, Shape((steps,)), named(dtype, DEFAULT), device)


# -- triangles and grids ---------------------------------------------------------------------------------------------------


def _triangle(cx: Context, input: Tensor) -> Tensor:
    if input.shape.rank is not None and input.shape.rank < 2:
        raise Mismatch(
            "shape-axis", "{input} is {input.shape}; a triangle is cut from a matrix, which has two axes.", at="input"
        )
    locate(cx, input.shape, -2)
    result = replace(input, shape=cx.shape(input), strides=None, sure=True)
    return replace(result, strides=contiguous_strides(result.shape))


@rule("torch.tril torch.Tensor.tril", term="causal mask")
def tril(cx: Context, input: Tensor, diagonal: Any = 0) -> Tensor:
    """The lower triangle of each matrix; what lies above the diagonal becomes 0."""
    return _zero_too(_triangle(cx, input))


@rule("torch.triu torch.Tensor.triu", term="causal mask")
def triu(cx: Context, input: Tensor, diagonal: Any = 0) -> Tensor:
    """The upper triangle of each matrix; what lies below the diagonal becomes 0."""
    return _zero_too(_triangle(cx, input))


def _zero_too(tensor: Tensor) -> Tensor:
    """The bounds when some of the numbers become 0."""
    low, high = tensor.low, tensor.high
    if isinstance(low, int) and isinstance(high, int):
        return replace(tensor, low=min(low, 0), high=max(high, 0))
    return replace(tensor, low=None, high=None)


@rule("torch.Tensor.tril_ torch.Tensor.triu_")
def triangle_(cx: Context, input: Tensor, diagonal: Any = 0) -> Tensor:
    """A triangle of each matrix kept, the rest set to 0, in the tensor itself."""
    _triangle(cx, input)
    return _zero_too(input)


@rule("torch.tril_indices torch.triu_indices")
def tril_indices(cx: Context, row: Dim, col: Dim, offset: Any = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The rows and the columns of the positions in a triangle."""
    return made(cx, Shape((2, cx.fresh())), named(dtype, "int64"), device)


@rule("torch.diag torch.Tensor.diag")
def diag(cx: Context, input: Tensor, diagonal: Any = 0) -> Tensor:
    """The diagonal of a matrix; of a vector, the matrix with that diagonal."""
    rank = input.shape.rank
    if rank is None or not isinstance(diagonal, int):
        raise CannotTell("the number of axes is not known", input.dtype)
    if rank == 1:
        side = add(input.shape.back[0], abs(diagonal))
        return input.with_shape(Shape((side, side)))
    if rank != 2:
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; `diag` takes a vector or a matrix.",
            hint="Use `torch.diagonal` for batches.",
            at="input",
        )
    return diagonal_of(cx, input, diagonal)


@rule("torch.diagonal torch.Tensor.diagonal")
def diagonal_of(cx: Context, input: Tensor, offset: Any = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two axes, as a new last axis."""
    if input.shape.row is not None or not isinstance(offset, int):
        raise CannotTell("the number of axes is not known", input.dtype)
    dims = input.shape.back
    _, first = locate(cx, input.shape, dim1)
    _, second = locate(cx, input.shape, dim2)
    if first == second:
        raise Mismatch("shape-axis", "A diagonal runs over two axes, and {axis} is named twice.", axis=dim1)
    rows, columns = dims[first], dims[second]
    rest = tuple(dim for i, dim in enumerate(dims) if i not in (first, second))
    if isinstance(rows, int) and isinstance(columns, int):
        length: Dim = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    elif rows == columns:
        length = subtract(rows, abs(offset))
    else:
        length = cx.fresh()
    return Tensor(Shape((*rest, length)), input.dtype, input.device, low=input.low, high=input.high)


@rule("torch.meshgrid", term="positions")
def meshgrid(cx: Context, *tensors: Any, indexing: Any = None) -> Any:
    """One tensor for each vector: its numbers laid out over a grid that has an axis for every vector."""
    given: tuple[Any, ...] = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple) else tensors
    if not given or not all(isinstance(item, Tensor) for item in given):
        raise CannotTell("which vectors the grid is made of is not known here")
    lengths: list[Dim] = []
    for item in given:
        shape = item.shape if item.shape.rank == 0 else solve_rank(cx.store, item.shape, 1)
        if shape is None:
            raise Mismatch("shape-axis", "A grid is made of vectors, and one of these is {shape}.", shape=item.shape)
        lengths.append(shape.back[0] if shape.back else 1)
    if indexing == "xy" and len(lengths) > 1:
        lengths[0], lengths[1] = lengths[1], lengths[0]
    grid = Shape(tuple(lengths))
    return tuple(Tensor(grid, item.dtype, item.device, None, item.low, item.high) for item in given)


@rule("torch.nn.functional.one_hot")
def one_hot(cx: Context, input: Tensor, num_classes: Any = -1) -> Tensor:
    """For each whole number a row of zeros with a one at that position."""
    if input.dtype not in (None, "int64"):
        raise Mismatch(
            "dtype-index",
            "{input} holds {have}; a position must be an int64.",
            hint="Convert it with `{input}.long()`.",
            fix="long",
            at="input",
            have=input.dtype,
        )
    classes = cx.fresh() if num_classes == -1 else as_dim(cx, num_classes)
    if (
        isinstance(input.high, int)
        and isinstance(classes, int)
        and isinstance(input.low, int)
        and input.high >= classes
    ):
        raise Mismatch(
            "shape-index",
            "{input} runs up to {high}, and there are only {classes} classes.",
            at="input",
            high=input.high,
            classes=classes,
        )
    shape = Shape((*input.shape.back, classes), input.shape.row, input.shape.front)
    return Tensor(shape, "int64", input.device, contiguous_strides(shape), 0, 1)
