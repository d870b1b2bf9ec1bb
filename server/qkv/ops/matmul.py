"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_one_device, require_one_dtype
from qkv.ops.axes import locate, require_axes, size
from qkv.ops.broadcast import broadcast_all, require_stretchable
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import REAL_OF, result_dtype
from qkv.ops.signature import match, read_signature
from qkv.ops.table import rule
from qkv.shapes import Dim, Named, Shape, Tensor, Truth
from qkv.shapes.dim import multiply
from qkv.shapes.solve import compare, solve_rank
from qkv.shapes.values import contiguous_strides

MATMUL = """
    k,        k       ->
    *b m k,   k       -> *b m
    k,        *b k n  -> *b n
    *#b m k,  *#b k n -> *b m n
"""
_MATMUL = read_signature(MATMUL)


def made(shape: Shape, dtype: str | None, device: str | None = None) -> Tensor:
    """A new tensor, laid out in order."""
    return Tensor(shape, dtype, device, contiguous_strides(shape))


def inner_mismatch(input: Tensor, other: Tensor, left: Dim, right: Dim, name: str = "other") -> Mismatch:
    """The finding that the two inner sizes of a product differ; it looks for the transpose that would mend it."""
    hint, fix, at = None, None, name
    where = "second-to-last" if other.shape.row is not None or other.shape.least_rank > 1 else "only"
    if other.shape.least_rank >= 2 and other.shape.back and compare(left, other.shape.back[-1]) is Truth.ALWAYS:
        hint, fix = f"Turn its last two axes: `{{{name}}}.transpose(-2, -1)`.", "transpose-last-two"
    elif len(input.shape.back) >= 2 and compare(input.shape.back[-2], right) is Truth.ALWAYS:
        hint, fix, at = (
            "Turn the last two axes of the first: `{input}.transpose(-2, -1)`.",
            "transpose-last-two",
            "input",
        )
    return Mismatch(
        "shape-matmul",
        f"{{input}} is {{input.shape}} and {{{name}}} is {{{name}.shape}}: a product pairs the last axis of the first, {{left}}, with the {where} of the second, {{right}}.",
        hint=hint,
        fix=fix,
        at=at,
        left=left,
        right=right,
    )


def matmul_shape(cx: Context, input: Tensor, other: Tensor, name: str = "other") -> Shape:
    """The shape of `input @ other`. Raises Mismatch where the inner sizes differ or the batch axes cannot be stretched."""

    def clash(label: str, wanted: Dim, dim: Dim, number: int) -> Mismatch:
        return inner_mismatch(input, other, wanted, dim, name)

    for key, tensor in (("input", input), (name, other)):
        if tensor.shape.rank == 0:
            raise Mismatch(
                "shape-matmul",
                f"{{{key}}} is a single number, and a matrix product needs axes.",
                hint="Use `*` to scale.",
                at=key,
            )
    return match(cx, _MATMUL, (input.shape, other.shape), ("input", name), clash, "shape-matmul")


@rule(
    "torch.matmul torch.Tensor.matmul torch.Tensor.__matmul__ torch.linalg.matmul", term="dot product", notation=MATMUL
)
def matmul(cx: Context, input: Tensor, other: Tensor) -> Tensor:
    """The product of matrices: rows of the first with columns of the second. Axes before the last two are a batch, and are stretched."""
    operands = {"input": input, "other": other}
    device = require_one_device(operands)
    dtype = require_one_dtype(operands)
    return made(matmul_shape(cx, input, other), dtype, device)


@rule("torch.Tensor.__rmatmul__", term="dot product")
def rmatmul(cx: Context, input: Tensor, other: Tensor) -> Tensor:
    """The product of matrices, the tensor on the right."""
    return matmul(cx, other, input)


def product(cx: Context, notation: str, input: Tensor, other: Tensor, name: str) -> Tensor:
    """A product of two tensors whose shapes a line of notation says; `k` is the size that is summed over."""

    def clash(label: str, wanted: Dim, dim: Dim, number: int) -> Mismatch:
        if label == "k":
            return inner_mismatch(input, other, wanted, dim, name)
        return Mismatch(
            "shape-matmul",
            f"{{input}} is {{input.shape}} and {{{name}}} is {{{name}.shape}}: the batch is {{left}} in one and {{right}} in the other.",
            at=name,
            left=wanted,
            right=dim,
        )

    operands = {"input": input, name: other}
    shape = match(cx, read_signature(notation), (input.shape, other.shape), ("input", name), clash, "shape-matmul")
    return made(shape, require_one_dtype(operands), require_one_device(operands))


MM, BMM, MV, DOT = "m k, k n -> m n", "b m k, b k n -> b m n", "m k, k -> m", "k, k ->"


@rule("torch.mm torch.Tensor.mm", term="dot product", notation=MM)
def mm(cx: Context, input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    return product(cx, MM, input, mat2, "mat2")


@rule("torch.bmm torch.Tensor.bmm", term="dot product", notation=BMM)
def bmm(cx: Context, input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices, one by one. Nothing is stretched."""
    return product(cx, BMM, input, mat2, "mat2")


@rule("torch.mv torch.Tensor.mv", term="dot product", notation=MV)
def mv(cx: Context, input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    return product(cx, MV, input, vec, "vec")


@rule("torch.dot torch.Tensor.dot torch.vdot torch.Tensor.vdot", term="dot product", notation=DOT)
def dot(cx: Context, input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors: one number."""
    return product(cx, DOT, input, tensor, "tensor")


@rule("torch.inner torch.Tensor.inner", term="dot product", notation="*a k, *b k -> *a *b")
def inner(cx: Context, input: Tensor, other: Tensor) -> Tensor:
    """The dot product of each last-axis vector of one tensor with each of the other."""
    if 0 in (input.shape.rank, other.shape.rank):
        return made(
            other.shape if input.shape.rank == 0 else input.shape, require_one_dtype({"input": input, "other": other})
        )
    left, _ = locate(cx, input.shape, -1)
    right, _ = locate(cx, other.shape, -1, "other")
    require_equal(cx, left.back[-1], right.back[-1], inner_mismatch(input, other, left.back[-1], right.back[-1]))
    if left.row is not None or right.row is not None:
        raise CannotTell("the number of axes is not known")
    return made(Shape(left.back[:-1] + right.back[:-1]), require_one_dtype({"input": input, "other": other}))


@rule("torch.outer torch.Tensor.outer torch.ger torch.Tensor.ger", notation="m, n -> m n")
def outer(cx: Context, input: Tensor, vec2: Tensor) -> Tensor:
    """Every number of one vector times every number of the other."""
    shapes = (_of_rank(cx, input, 1, "input"), _of_rank(cx, vec2, 1, "vec2"))
    return made(
        Shape(shapes[0].back + shapes[1].back),
        result_dtype(input, vec2),
        require_one_device({"input": input, "vec2": vec2}),
    )


def _of_rank(cx: Context, tensor: Tensor, rank: int, name: str, code: str = "shape-matmul") -> Shape:
    solved = solve_rank(cx.store, tensor.shape, rank)
    if solved is None:
        raise Mismatch(
            code,
            f"{{{name}}} is {{{name}.shape}}: it has {{have}} axes, and {{rank}} are needed.",
            at=name,
            have=tensor.shape.rank or "more",
            rank=rank,
        )
    return solved


def _added(cx: Context, input: Tensor, result: Tensor) -> Tensor:
    """The product's shape, with a tensor that is stretched to it."""
    refusal = "{input} is {input.shape}, and it cannot be stretched to the product that it is added to, {product}."
    require_stretchable(
        input.shape, result.shape, Mismatch("shape-broadcast", refusal, at="input", product=result.shape)
    )
    require_one_dtype({"input": input, "product": result})
    return result


@rule("torch.addmm torch.Tensor.addmm torch.Tensor.addmm_")
def addmm(cx: Context, input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A tensor plus the product of two matrices."""
    return _added(cx, input, _between(cx, MM, mat1, mat2, "mat1", "mat2"))


@rule("torch.baddbmm torch.Tensor.baddbmm torch.Tensor.baddbmm_")
def baddbmm(cx: Context, input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A tensor plus the products of two batches of matrices."""
    return _added(cx, input, _between(cx, BMM, batch1, batch2, "batch1", "batch2"))


@rule("torch.addmv torch.Tensor.addmv")
def addmv(cx: Context, input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """A vector plus the product of a matrix and a vector."""
    return _added(cx, input, _between(cx, MV, mat, vec, "mat", "vec"))


def _between(cx: Context, notation: str, left: Tensor, right: Tensor, first: str, second: str) -> Tensor:
    """`product`, with findings that name the parameters of an operator that adds it to something."""
    try:
        return product(cx, notation, left, right, second)
    except Mismatch as finding:
        finding.template = finding.template.replace("{input}", f"{{{first}}}").replace(
            "{input.shape}", f"{{{first}.shape}}"
        )
        finding.hint = finding.hint and finding.hint.replace("{input}", f"{{{first}}}")
        finding.at = first if finding.at == "input" else finding.at
        raise


@rule("torch.chain_matmul torch.linalg.multi_dot")
def multi_dot(cx: Context, tensors: Any) -> Tensor:
    """The product of several matrices."""
    if not isinstance(tensors, tuple) or not tensors:
        raise CannotTell("which tensors are multiplied is not known here")
    items: tuple[Any, ...] = tensors
    result = items[0]
    for number, item in enumerate(items[1:], start=1):
        if not isinstance(result, Tensor) or not isinstance(item, Tensor):
            raise CannotTell("one of the tensors is not known here")
        for tensor, ends in ((result, number == 1), (item, number == len(items) - 1)):
            if tensor.shape.rank is not None and tensor.shape.rank not in ((1, 2) if ends else (2, result.shape.rank)):
                raise Mismatch(
                    "shape-matmul", "A chain of products is of matrices, and one of these is {one}.", one=tensor.shape
                )
        result = made(matmul_shape(cx, result, item), require_one_dtype({"input": result, "other": item}))
    return result


@rule("torch.kron torch.Tensor.kron")
def kron(cx: Context, input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: every number of one tensor times the whole of the other."""
    if input.shape.row is not None or other.shape.row is not None:
        raise CannotTell("the number of axes is not known")
    rank = max(len(input.shape.back), len(other.shape.back))
    left, right = ((1,) * (rank - len(t.shape.back)) + t.shape.back for t in (input, other))
    return made(Shape(tuple(multiply(a, b) for a, b in zip(left, right, strict=True))), result_dtype(input, other))


@rule("torch.cdist", notation="*#b m k, *#b n k -> *b m n")
def cdist(cx: Context, input: Tensor, x2: Tensor, p: Any = 2.0, compute_mode: Any = None) -> Tensor:
    """The distance of every row of one matrix to every row of the other."""

    def clash(label: str, wanted: Dim, dim: Dim, number: int) -> Mismatch:
        return Mismatch(
            "shape-matmul",
            "{input} is {input.shape} and {x2} is {x2.shape}: points of {left} and of {right} coordinates have no distance.",
            at="x2",
            left=wanted,
            right=dim,
        )

    shape = match(
        cx,
        read_signature("*#b m k, *#b n k -> *b m n"),
        (input.shape, x2.shape),
        ("input", "x2"),
        clash,
        "shape-matmul",
    )
    return made(shape, result_dtype(input, x2))


@rule("torch.tensordot")
def tensordot(cx: Context, a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """A product that sums over several axes of both."""
    if a.shape.row is not None or b.shape.row is not None:
        raise CannotTell("the number of axes is not known")
    rank = len(a.shape.back)
    if isinstance(dims, int):
        pairs = [(rank - dims + i, i) for i in range(dims)]
    elif isinstance(dims, tuple) and len(dims) == 2:
        pairs = list(zip(require_axes(dims[0]), require_axes(dims[1]), strict=False))
    else:
        raise CannotTell("which axes are summed over is not known here")
    left = [locate(cx, a.shape, i, "a")[1] for i, _ in pairs]
    right = [locate(cx, b.shape, j, "b")[1] for _, j in pairs]
    for i, j in zip(left, right, strict=True):
        one, other = size(a.shape, i), size(b.shape, j)
        if 1 in (one, other):
            continue
        require_equal(
            cx,
            one,
            other,
            Mismatch(
                "shape-matmul",
                "{a} is {a.shape} and {b} is {b.shape}: {left} is summed with {right}.",
                at="b",
                left=one,
                right=other,
            ),
        )
    kept = tuple(d for i, d in enumerate(a.shape.back) if i not in left) + tuple(
        d for j, d in enumerate(b.shape.back) if j not in right
    )
    return made(Shape(kept), require_one_dtype({"a": a, "b": b}))


# -- linear algebra --------------------------------------------------------------------------------------------------------


def _square(cx: Context, input: Tensor, name: str = "input") -> Shape:
    shape, _ = locate(cx, input.shape, -2, name)
    left, right = shape.back[-2:]
    require_equal(
        cx,
        left,
        right,
        Mismatch(
            "shape-matmul",
            f"{{{name}}} is {{{name}.shape}}: its last two axes must be equal, and they are {{left}} and {{right}}.",
            left=left,
            right=right,
        ),
    )
    return shape


@rule(
    "torch.linalg.inv torch.inverse torch.Tensor.inverse torch.matrix_exp torch.Tensor.matrix_exp torch.linalg.matrix_exp torch.linalg.cholesky torch.cholesky torch.Tensor.cholesky"
)
def inverse(cx: Context, input: Tensor, upper: Any = False) -> Tensor:
    """A function of square matrices that gives matrices of the same size: the inverse, the exponential, the Cholesky factor."""
    return Tensor(_square(cx, input), input.dtype, input.device)


@rule("torch.linalg.matrix_power torch.matrix_power torch.Tensor.matrix_power")
def matrix_power(cx: Context, input: Tensor, n: Any) -> Tensor:
    """A square matrix multiplied by itself several times."""
    return Tensor(_square(cx, input), input.dtype, input.device)


@rule("torch.linalg.det torch.det torch.Tensor.det torch.logdet torch.Tensor.logdet")
def det(cx: Context, input: Tensor) -> Tensor:
    """The determinant of each matrix."""
    shape = _square(cx, input)
    return made(Shape(shape.back[:-2], shape.row, shape.front), input.dtype)


@rule("torch.linalg.solve")
def solve(cx: Context, A: Tensor, B: Tensor, left: Any = True) -> Tensor:
    """The solution of a system of linear equations."""
    shape = _square(cx, A, "A")
    if (
        B.shape.row is not None
        or shape.row is not None
        or len(B.shape.back) < 2
        or len(B.shape.back) != len(shape.back)
    ):
        raise CannotTell("whether B is a batch of vectors or of matrices is not known")
    one, other = shape.back[-1], B.shape.back[-2]
    require_equal(
        cx,
        one,
        other,
        Mismatch(
            "shape-matmul",
            "{A} is {A.shape} and {B} is {B.shape}: {left} equations meet {right} right-hand sides.",
            at="B",
            left=one,
            right=other,
        ),
    )
    batch = broadcast_all(cx, {"A": Tensor(Shape(shape.back[:-2])), "B": Tensor(Shape(B.shape.back[:-2]))})
    return Tensor(Shape(batch.back + B.shape.back[-2:]), A.dtype)


@rule("torch.linalg.eigh")
def eigh(cx: Context, A: Tensor, UPLO: Any = "L") -> Any:
    """The eigenvalues and eigenvectors of symmetric matrices."""
    shape = _square(cx, A, "A")
    values = Shape(shape.back[:-1], shape.row, shape.front)
    return Named(eigenvalues=Tensor(values, REAL_OF.get(A.dtype or "", A.dtype)), eigenvectors=Tensor(shape, A.dtype))


@rule("torch.linalg.qr torch.qr torch.Tensor.qr")
def qr(cx: Context, A: Tensor, mode: Any = "reduced") -> Any:
    """The QR decomposition of matrices."""
    shape, _ = locate(cx, A.shape, -2, "A")
    m, n = shape.back[-2:]
    if not isinstance(m, int) or not isinstance(n, int) or mode != "reduced":
        raise CannotTell("which of both sizes is the smaller one is not known")
    k = min(m, n)
    q, r = (Shape((*shape.back[:-2], *pair), shape.row, shape.front) for pair in ((m, k), (k, n)))
    return Named(Q=Tensor(q, A.dtype), R=Tensor(r, A.dtype))


@rule("torch.svd torch.Tensor.svd torch.linalg.svd")
def svd(cx: Context, A: Tensor, full_matrices: Any = True) -> Any:
    """The singular value decomposition of matrices."""
    raise CannotTell("the parts of a decomposition are not followed")
