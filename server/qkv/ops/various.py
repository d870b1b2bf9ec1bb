"""Operators that belong to no other family, and torch's own types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.agree import require_float
from qkv.ops.axes import checked, locate, size, sizes_given
from qkv.ops.broadcast import broadcast, require_stretchable
from qkv.ops.casts import device_name
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import DEFAULT, as_float, result_dtype
from qkv.ops.matmul import made, matmul_shape
from qkv.ops.reduction import fold
from qkv.ops.table import rule
from qkv.shapes import Device, Dim, Dtype, Shape, Size, Tensor, Unknown
from qkv.shapes.dim import add, product
from qkv.shapes.solve import solve_rank
from qkv.shapes.values import contiguous_strides


@rule("torch.isin")
def isin(cx: Context, elements: Any, test_elements: Any, *, assume_unique: Any = False, invert: Any = False) -> Tensor:
    """True for each number that is one of the others."""
    shape = elements.shape if isinstance(elements, Tensor) else Shape()
    return made(shape, "bool")


@rule("torch.trapezoid torch.trapz")
def trapezoid(cx: Context, y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The area under a line through the points, along an axis."""
    return fold(cx, y, dim, False, as_float(y.dtype))


@rule(
    "torch.special.ndtr torch.special.ndtri torch.special.entr torch.special.gammaln torch.special.i0e torch.special.i1 torch.special.i1e torch.special.erfcx torch.special.log_ndtr torch.special.psi"
)
def special(cx: Context, input: Tensor) -> Tensor:
    """A function of each number, in floating point."""
    return Tensor(
        input.shape,
        as_float(input.dtype),
        input.device,
        contiguous_strides(input.shape) if input.shape.rank == 1 else None,
    )


@rule("torch.linalg.pinv torch.pinverse torch.Tensor.pinverse")
def pinv(cx: Context, input: Tensor, rtol: Any = None, hermitian: Any = False) -> Tensor:
    """The pseudo-inverse of each matrix: rows and columns change places."""
    require_float(input, "a pseudo-inverse")
    if input.shape.rank is not None and input.shape.rank < 2:
        raise Mismatch("shape-matmul", "{input} is {input.shape}, and a pseudo-inverse is of matrices.", at="input")
    shape, _ = locate(cx, input.shape, -2)
    return Tensor(
        Shape((*shape.back[:-2], shape.back[-1], shape.back[-2]), shape.row, shape.front), input.dtype, input.device
    )


@rule("torch.linalg.solve_triangular")
def solve_triangular(
    cx: Context, A: Tensor, B: Tensor, *, upper: Any, left: Any = True, unitriangular: Any = False
) -> Tensor:
    """The solution of equations whose matrix is a triangle."""
    if left is not True or A.shape.row is not None or B.shape.row is not None:
        raise CannotTell("which sizes meet is not known here", B.dtype)
    if len(B.shape.back) < 2:
        raise Mismatch(
            "shape-matmul",
            "{B} is {B.shape}: right-hand sides are the columns of a matrix.",
            hint="Give it an axis with `unsqueeze(-1)`.",
            at="B",
        )
    if len(A.shape.back) < 2 or A.shape.back[-2] != A.shape.back[-1]:
        raise CannotTell("whether the matrix is square is not known", B.dtype)
    return Tensor(matmul_shape(cx, A, B, "B"), B.dtype, B.device)


@rule("torch.linalg.cross torch.cross torch.Tensor.cross")
def cross(cx: Context, input: Tensor, other: Tensor, *, dim: Any = None) -> Tensor:
    """The cross product of vectors with three numbers."""
    if input.shape.rank is not None and other.shape.rank is not None and input.shape.rank != other.shape.rank:
        raise Mismatch(
            "shape-broadcast",
            "{input} is {input.shape} and {other} is {other.shape}: both need as many axes.",
            at="other",
        )
    shape = broadcast(cx, input.shape, other.shape)
    for tensor in (input, other):
        length = (
            size(*locate(cx, tensor.shape, -1 if dim is None else dim)) if dim is None or isinstance(dim, int) else 3
        )
        if isinstance(length, int) and length != 3:
            raise Mismatch(
                "shape-broadcast", "A cross product is of vectors with 3 numbers, and these have {have}.", have=length
            )
    return Tensor(shape, result_dtype(input, other), input.device)


@rule("torch.diag_embed torch.Tensor.diag_embed")
def diag_embed(cx: Context, input: Tensor, offset: Any = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Each vector of the last axis as the diagonal of a matrix."""
    if (dim1, dim2) != (-2, -1) or not isinstance(offset, int):
        raise CannotTell("where the diagonals lie is not followed", input.dtype)
    shape, _ = locate(cx, input.shape, -1)
    if shape.rank == 0:
        raise Mismatch("shape-axis", "{input} is a single number, and a diagonal is made from a vector.", at="input")
    side = add(shape.back[-1], abs(offset))
    return made(Shape((*shape.back[:-1], side, side), shape.row, shape.front), input.dtype, input.device)


@rule("torch.diagflat torch.Tensor.diagflat")
def diagflat(cx: Context, input: Tensor, offset: Any = 0) -> Tensor:
    """All numbers on the diagonal of a matrix."""
    if input.shape.row is not None or not isinstance(offset, int):
        raise CannotTell("the number of axes is not known", input.dtype)
    side: Dim = add(product(input.shape.back), abs(offset))
    return made(Shape((side, side)), input.dtype, input.device)


@rule("torch.block_diag")
def block_diag(cx: Context, *tensors: Any) -> Tensor:
    """Matrices along the diagonal of a larger one."""
    rows: Dim = 0
    columns: Dim = 0
    for tensor in tensors:
        if not isinstance(tensor, Tensor) or tensor.shape.rank is None:
            raise CannotTell("which matrices are put together is not known here")
        if tensor.shape.rank > 2:
            raise Mismatch("shape-axis", "Blocks are matrices, and one of these is {block}.", block=tensor.shape)
        block = (1, 1, *tensor.shape.back)[-2:]
        rows, columns = add(rows, block[0]), add(columns, block[1])
    return made(Shape((rows, columns)), result_dtype(*(replace(t, shape=Shape((1,))) for t in tensors)))


@rule("torch.vander torch.linalg.vander")
def vander(cx: Context, x: Tensor, N: Any = None) -> Tensor:
    """The powers of each number, one column each."""
    if x.shape.rank != 1:
        raise CannotTell("the number of axes is not known", x.dtype)
    columns = x.shape.back[0] if N is None else N
    if not isinstance(columns, int):
        columns = x.shape.back[0] if N is None else cx.fresh()
    return Tensor(Shape((x.shape.back[0], columns)), x.dtype, x.device)


@rule("torch.combinations torch.cartesian_prod")
def combinations(cx: Context, *tensors: Any, r: Any = 2, with_replacement: Any = False) -> Tensor:
    """Choices from the numbers of vectors, one a row."""
    raise CannotTell("how many choices there are is not followed")


@rule("torch.atleast_1d torch.atleast_2d torch.atleast_3d")
def atleast(cx: Context, *tensors: Any) -> Any:
    """Tensors with so many axes at least."""
    raise CannotTell("which axes are added is not followed")


@rule("torch.unravel_index")
def unravel_index(cx: Context, indices: Tensor, shape: Any) -> Any:
    """Positions in a row as positions along each of several axes."""
    wanted = sizes_given(cx, (shape,))
    if wanted.row is not None:
        raise CannotTell("the number of axes is not known")
    return tuple(Tensor(indices.shape, "int64", indices.device, low=0) for _ in wanted.back)


@rule("torch.cov torch.Tensor.cov torch.corrcoef torch.Tensor.corrcoef")
def cov(cx: Context, input: Tensor, *, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """How the rows vary together: a square matrix."""
    if input.shape.rank is None:
        raise CannotTell("the number of axes is not known", input.dtype)
    if input.shape.rank > 2:
        raise Mismatch(
            "shape-axis", "{input} is {input.shape}, and a covariance is of the rows of a matrix.", at="input"
        )
    side = input.shape.back[:1] if input.shape.rank == 2 and input.shape.back[0] != 1 else ()
    return Tensor(Shape(side * 2), as_float(input.dtype), input.device)


@rule("torch.renorm torch.Tensor.renorm torch.Tensor.renorm_")
def renorm(cx: Context, input: Tensor, p: Any, dim: int, maxnorm: Any) -> Tensor:
    """The slices along an axis made shorter where they are longer than a limit."""
    if input.shape.rank is not None and input.shape.rank < 2:
        raise Mismatch("shape-axis", "{input} is {input.shape}, and `renorm` needs two axes or more.", at="input")
    return Tensor(checked(cx, input.shape, dim), input.dtype, input.device)


@rule("torch.Tensor.map_ torch.Tensor.apply_")
def apply_(cx: Context, input: Tensor, *values: Any) -> Tensor:
    """Each number through a function of Python, in the tensor itself."""
    return replace(input, low=None, high=None)


@rule("torch.nn.functional.grid_sample torch.grid_sampler")
def grid_sample(
    cx: Context,
    input: Tensor,
    grid: Tensor,
    mode: Any = "bilinear",
    padding_mode: Any = "zeros",
    align_corners: Any = None,
) -> Tensor:
    """Images read at the places that a grid names: (N, C, …) at (N, H, W, 2) gives (N, C, H, W)."""
    rank = input.shape.rank if input.shape.rank is not None else grid.shape.rank
    if rank is None:
        raise CannotTell("the number of axes is not known", input.dtype)
    image, places = solve_rank(cx.store, input.shape, rank), solve_rank(cx.store, grid.shape, rank)
    if image is None or places is None or rank not in (4, 5):
        raise Mismatch(
            "shape-conv",
            "{input} is {input.shape} and {grid} is {grid.shape}: a batch of images and a batch of grids have 4 axes each, or 5.",
            at="grid",
        )
    refusal = "{input} is {input.shape} and {grid} is {grid.shape}: {left} meets {right}."
    require_equal(
        cx,
        image.back[0],
        places.back[0],
        Mismatch("shape-conv", refusal, at="grid", left=image.back[0], right=places.back[0]),
    )
    require_equal(
        cx,
        places.back[-1],
        rank - 2,
        Mismatch(
            "shape-conv", "{grid} is {grid.shape}: its last axis holds {right} coordinates.", at="grid", right=rank - 2
        ),
    )
    return Tensor(Shape((*image.back[:2], *places.back[1:-1])), input.dtype, input.device)


@rule("torch.nn.functional.affine_grid")
def affine_grid(cx: Context, theta: Tensor, size: Any, align_corners: Any = None) -> Tensor:
    """The grid of places that an affine map of an image of the given size reads from."""
    wanted = sizes_given(cx, (size,))
    if wanted.rank is None:
        raise CannotTell("the number of axes is not known", theta.dtype)
    if wanted.rank not in (4, 5):
        raise Mismatch("shape-conv", "A batch of images has 4 axes, or 5, and {wanted} is given.", wanted=wanted)
    maps = solve_rank(cx.store, theta.shape, 3)
    if maps is None:
        raise Mismatch("shape-conv", "{theta} is {theta.shape}, and a batch of affine maps has 3 axes.", at="theta")
    spatial = wanted.rank - 2
    for left, right in zip(maps.back, (wanted.back[0], spatial, spatial + 1), strict=True):
        require_equal(
            cx,
            left,
            right,
            Mismatch(
                "shape-conv", "{theta} is {theta.shape}: {left} is not {right}.", at="theta", left=left, right=right
            ),
        )
    return Tensor(Shape((wanted.back[0], *wanted.back[2:], spatial)), theta.dtype, theta.device)


@rule("torch.nn.utils.rnn.pad_sequence")
def pad_sequence(
    cx: Context, sequences: Any, batch_first: Any = False, padding_value: Any = 0.0, padding_side: Any = "right"
) -> Tensor:
    """Sequences of different lengths as one batch: the shorter ones are filled up to the longest."""
    if (
        not isinstance(sequences, tuple)
        or not sequences
        or not all(isinstance(item, Tensor) and item.shape.rank for item in sequences)
    ):
        raise CannotTell("which sequences are put together is not known here")
    items: tuple[Tensor, ...] = sequences
    lengths = [item.shape.back[0] for item in items]
    same = all(length == lengths[0] for length in lengths)
    longest = (
        lengths[0]
        if same
        else max(length for length in lengths if isinstance(length, int))
        if all(isinstance(length, int) for length in lengths)
        else cx.fresh()
    )
    rest = items[0].shape.back[1:]
    for item in items[1:]:
        refusal = "One sequence is {first} and another {other}: all axes but the first must agree."
        finding = Mismatch("shape-cat", refusal, first=items[0].shape, other=item.shape)
        require_stretchable(item.shape, Shape((item.shape.back[0], *rest)), finding)
    if not isinstance(batch_first, bool):
        raise CannotTell("which axis is the batch is not known here", items[0].dtype)
    lead = (len(items), longest) if batch_first else (longest, len(items))
    return Tensor(Shape((*lead, *rest)), items[0].dtype, items[0].device)


# -- torch's own types -----------------------------------------------------------------------------------------------------


@rule("torch.device")
def device(cx: Context, type: Any = None, index: Any = None) -> Any:
    """A device, such as the CPU or a GPU."""
    return Device(device_name(type))


@rule("torch.Size")
def torch_size(cx: Context, sizes: Any = ()) -> Any:
    """The sizes of a tensor's axes."""
    if isinstance(sizes, (tuple, Size)):
        return sizes  # pyright: ignore[reportUnknownVariableType]
    raise CannotTell("the sizes are not known here")


@rule("torch.finfo torch.iinfo")
def finfo(cx: Context, dtype: Any = None) -> Any:
    """The limits of a kind of number."""
    return Unknown("the limits of a kind of number are not followed")


@rule("torch.get_default_dtype")
def get_default_dtype(cx: Context) -> Any:
    """The kind of number that new tensors hold."""
    return Dtype(DEFAULT)


@rule("torch.result_type torch.promote_types")
def result_type(cx: Context, tensor1: Any, tensor2: Any) -> Any:
    """The kind of number that two others become together."""
    values = [Tensor(Shape((1,)), value.name) if isinstance(value, Dtype) else value for value in (tensor1, tensor2)]
    found = result_dtype(*values)
    return Unknown("a kind of number that is not known") if found is None else Dtype(found)
