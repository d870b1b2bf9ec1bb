"""Conversions of dtype and device, copies, and what a tensor says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.axes import locate
from qkv.ops.axes import size as size_at
from qkv.ops.broadcast import same
from qkv.ops.context import CannotTell, Context, Mismatch
from qkv.ops.dtypes import named
from qkv.ops.table import rule
from qkv.shapes import Device, Dtype, Size, Tensor, Unknown
from qkv.shapes.dim import product
from qkv.shapes.solve import resolve_value


def converted(input: Tensor, dtype: str | None) -> Tensor:
    """The same numbers as another dtype; the layout stays, the bounds stay for whole numbers."""
    return replace(input, dtype=dtype, sure=True)


def _conversion(name: str, dtype: str) -> None:
    def convert(cx: Context, input: Tensor, memory_format: Any = None) -> Tensor:
        result = converted(input, dtype)
        return replace(result, low=0, high=1) if dtype == "bool" else result

    convert.__doc__ = f"The numbers as {dtype}."
    rule(f"torch.Tensor.{name}")(convert)


for _name, _dtype in {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
}.items():
    _conversion(_name, _dtype)


def device_name(value: Any) -> str | None:
    """The device type that an argument names, or None."""
    if isinstance(value, Device):
        return value.name
    if isinstance(value, str):
        return value.split(":")[0]
    return "cuda" if isinstance(value, int) and not isinstance(value, bool) else None


@rule("torch.Tensor.to")
def to(
    cx: Context,
    input: Tensor,
    *args: Any,
    device: Any = None,
    dtype: Any = None,
    copy: Any = False,
    non_blocking: Any = False,
) -> Tensor:
    """The tensor as another dtype, on another device, or like another tensor."""
    new_dtype, new_device = named(dtype, input.dtype), input.device
    if device is not None:
        new_device = device_name(device)
    for value in args:
        if isinstance(value, Tensor):
            new_dtype, new_device = value.dtype, value.device
        elif isinstance(value, Dtype):
            new_dtype = value.name
        elif isinstance(value, (Device, str)) or (isinstance(value, int) and not isinstance(value, bool)):
            new_device = device_name(value)
        elif isinstance(value, Unknown):
            new_dtype, new_device = None, None
        elif named(value) is not None:
            new_dtype = named(value)
    return replace(input, dtype=new_dtype, device=new_device, sure=True)


@rule("torch.Tensor.type")
def type(cx: Context, input: Tensor, dtype: Any = None, non_blocking: Any = False) -> Any:
    """The tensor as another dtype."""
    if dtype is None:
        raise CannotTell("the name of a type")
    return replace(input, dtype=named(dtype, None), sure=True)


@rule("torch.Tensor.type_as")
def type_as(cx: Context, input: Tensor, other: Tensor) -> Tensor:
    """The tensor with the dtype of another."""
    return replace(input, dtype=other.dtype, device=other.device, sure=True)


@rule("torch.Tensor.cuda torch.Tensor.xpu")
def cuda(cx: Context, input: Tensor, device: Any = None, non_blocking: Any = False) -> Tensor:
    """The tensor on the GPU."""
    return replace(input, device="cuda", sure=True)


@rule("torch.Tensor.cpu")
def cpu(cx: Context, input: Tensor) -> Tensor:
    """The tensor on the CPU."""
    return replace(input, device="cpu", sure=True)


@rule(
    "torch.Tensor.detach torch.detach torch.Tensor.detach_ torch.Tensor.requires_grad_ torch.Tensor.share_memory_ torch.Tensor.pin_memory "
    "torch.Tensor.resolve_conj torch.Tensor.resolve_neg torch.Tensor.data torch.Tensor.retain_grad"
)
def itself(cx: Context, input: Tensor, *args: Any) -> Tensor:
    """The same numbers, in the same memory."""
    return replace(input, sure=True)


@rule("torch.clone torch.Tensor.clone")
def clone(cx: Context, input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy."""
    return replace(same(input), low=input.low, high=input.high)


@rule("torch.Tensor.grad")
def grad(cx: Context, input: Tensor) -> Tensor:
    """The gradient: a tensor of the same shape."""
    return replace(input, strides=None, low=None, high=None)


@rule("torch.Tensor.copy_")
def copy_(cx: Context, input: Tensor, src: Tensor, non_blocking: Any = False) -> Tensor:
    """The numbers of another tensor, stretched to this one's shape and written into it."""
    from qkv.ops.broadcast import broadcast, require_within

    require_within(cx, input, broadcast(cx, input.shape, src.shape, ("input", "src")), "src")
    return input


@rule(
    "torch.Tensor.fill_ torch.Tensor.zero_ torch.Tensor.normal_ torch.Tensor.uniform_ torch.Tensor.random_ torch.Tensor.bernoulli_ torch.Tensor.exponential_"
)
def filled(cx: Context, input: Tensor, *args: Any, **keywords: Any) -> Tensor:
    """The tensor, its numbers overwritten."""
    return replace(input, low=None, high=None)


# -- what a tensor says of itself ------------------------------------------------------------------------------------------


@rule("torch.Tensor.size")
def size(cx: Context, input: Tensor, dim: Any = None) -> Any:
    """The sizes of all axes, or of one."""
    if dim is None:
        return resolve_value(cx.store, Size(input.shape))
    if not isinstance(dim, int):
        return cx.fresh()
    shape, at = locate(cx, input.shape, dim)
    if shape.row is None and not shape.back:
        raise Mismatch("shape-axis", "{input} is a single number and has no axes.", at="input")
    return size_at(shape, at)


@rule("torch.Tensor.dim torch.Tensor.ndim torch.Tensor.ndimension torch.Tensor.__len__")
def dim(cx: Context, input: Tensor) -> Any:
    """The number of axes."""
    rank = input.shape.rank
    return Unknown("a number of axes that is not known") if rank is None else rank


@rule("torch.numel torch.Tensor.numel torch.Tensor.nelement")
def numel(cx: Context, input: Tensor) -> Any:
    """How many numbers the tensor holds."""
    return product(input.shape.back) if input.shape.row is None else cx.fresh()


@rule(
    "torch.is_tensor torch.is_floating_point torch.Tensor.is_floating_point torch.is_complex torch.Tensor.is_complex torch.Tensor.requires_grad torch.Tensor.is_cuda torch.Tensor.is_leaf torch.Tensor.is_sparse"
)
def question(cx: Context, input: Any, *args: Any) -> Any:
    """A question about the tensor."""
    return Unknown("a test that is open")


@rule(
    "torch.Tensor.item torch.Tensor.tolist torch.Tensor.numpy torch.Tensor.element_size torch.Tensor.data_ptr torch.Tensor.storage_offset torch.Tensor.backward torch.Tensor.register_hook torch.Tensor.get_device torch.Tensor.itemsize torch.Tensor.nbytes torch.Tensor.layout"
)
def outside(cx: Context, input: Tensor, *args: Any, **keywords: Any) -> Any:
    """Numbers outside tensors: not followed."""
    return Unknown("a number that is read out of a tensor")
