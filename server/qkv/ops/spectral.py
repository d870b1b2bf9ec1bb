"""Complex numbers as pairs of real ones, and Fourier transforms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qkv.ops.axes import as_dim, axes_given, locate, replace_axis, require_axes, size, splice
from qkv.ops.broadcast import broadcast, same
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.dtypes import REAL_OF, WITH_COMPLEX, as_float, is_complex, is_float, result_dtype
from qkv.ops.table import rule
from qkv.shapes import Dim, Shape, Tensor
from qkv.shapes.dim import add, floor_divide, multiply, subtract
from qkv.shapes.values import contiguous_strides


@rule("torch.complex", term="rotary embedding")
def complex(cx: Context, real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers from their real and their imaginary parts."""
    shape = broadcast(cx, real.shape, imag.shape, ("real", "imag"))
    if real.dtype is not None and imag.dtype is not None and real.dtype != imag.dtype:
        raise Mismatch(
            "dtype-mismatch",
            "{real} holds {left} and {imag} holds {right}; the parts must be alike.",
            left=real.dtype,
            right=imag.dtype,
        )
    return Tensor(shape, WITH_COMPLEX.get(result_dtype(real, imag) or ""), real.device)


@rule("torch.polar", term="rotary embedding")
def polar(cx: Context, abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers from their lengths and their angles."""
    shape = broadcast(cx, abs.shape, angle.shape, ("abs", "angle"))
    if abs.dtype is not None and angle.dtype is not None and abs.dtype != angle.dtype:
        raise Mismatch(
            "dtype-mismatch",
            "{abs} holds {left} and {angle} holds {right}; both must be alike.",
            left=abs.dtype,
            right=angle.dtype,
        )
    return Tensor(shape, WITH_COMPLEX.get(result_dtype(abs, angle) or ""), abs.device)


@rule("torch.view_as_complex", term="rotary embedding")
def view_as_complex(cx: Context, input: Tensor) -> Tensor:
    """Pairs of real numbers on the last axis, which must have size 2, as complex numbers. That axis is gone."""
    if is_complex(input.dtype) or (input.dtype is not None and not is_float(input.dtype)):
        raise Mismatch(
            "dtype-mismatch",
            "{input} holds {have}, and complex numbers are made of floating point ones.",
            at="input",
            have=input.dtype,
        )
    if input.shape.rank == 0:
        raise Mismatch("shape-view", "{input} is a single number, and a complex number is made of two.")
    shape, at = locate(cx, input.shape, -1)
    last = size(shape, at)
    require_equal(
        cx,
        last,
        2,
        Mismatch(
            "shape-view",
            "{input} is {input.shape}: complex numbers are read from pairs, so its last axis must have size 2, and it has {left}.",
            hint="Cut the last axis into pairs: `{input}.reshape(*{input}.shape[:-1], -1, 2)`.",
            left=last,
        ),
    )
    strides = None
    if (
        input.strides is not None
        and shape.row is None
        and all(isinstance(step, int) and step % 2 == 0 for step in input.strides[:-1])
    ):
        strides = tuple(step // 2 for step in input.strides[:-1] if isinstance(step, int))
    return Tensor(splice(shape, at, ()), WITH_COMPLEX.get(input.dtype or ""), input.device, strides)


@rule("torch.view_as_real", term="rotary embedding")
def view_as_real(cx: Context, input: Tensor) -> Tensor:
    """Complex numbers as pairs of real ones, on a new last axis of size 2."""
    if input.dtype is not None and not is_complex(input.dtype):
        raise Mismatch("dtype-mismatch", "{input} holds {have}, which is not complex.", at="input", have=input.dtype)
    strides = None
    if input.strides is not None and input.shape.row is None:
        strides = (*(multiply(step, 2) for step in input.strides), 1)
    shape = Shape((*input.shape.back, 2), input.shape.row, input.shape.front)
    return Tensor(shape, REAL_OF.get(input.dtype or ""), input.device, strides)


@rule("torch.real torch.imag torch.Tensor.real torch.Tensor.imag")
def part(cx: Context, input: Tensor) -> Tensor:
    """The real (or the imaginary) parts."""
    if input.dtype is not None and not is_complex(input.dtype):
        return replace(input, sure=True)
    strides = None
    if input.strides is not None and input.dtype is not None:
        strides = tuple(multiply(step, 2) for step in input.strides)
    return Tensor(input.shape, REAL_OF.get(input.dtype or ""), input.device, strides)


@rule("torch.angle torch.Tensor.angle")
def angle(cx: Context, input: Tensor) -> Tensor:
    """The angles of complex numbers."""
    return replace(same(input), dtype=REAL_OF.get(input.dtype or "", as_float(input.dtype)))


@rule("torch.conj torch.Tensor.conj torch.conj_physical torch.Tensor.conj_physical")
def conj(cx: Context, input: Tensor) -> Tensor:
    """Complex numbers with the sign of their imaginary parts turned."""
    return replace(input, sure=True)


# -- Fourier transforms ----------------------------------------------------------------------------------------------------


def _complex_of(dtype: str | None) -> str | None:
    return dtype if is_complex(dtype) else WITH_COMPLEX.get(as_float(dtype) or "")


def _transformed(input: Tensor, shape: Shape, dtype: str | None) -> Tensor:
    return Tensor(shape, dtype, input.device, contiguous_strides(shape) if shape.rank == 1 else None)


def _length(cx: Context, n: Any, otherwise: Dim) -> Dim:
    return otherwise if n is None else as_dim(cx, n)


@rule("torch.fft.fft torch.fft.ifft")
def fft(cx: Context, input: Tensor, n: Any = None, dim: int = -1, norm: Any = None) -> Tensor:
    """The Fourier transform (or its inverse) along an axis, cut or filled up to n numbers."""
    shape, at = locate(cx, input.shape, dim)
    return _transformed(input, replace_axis(shape, at, _length(cx, n, size(shape, at))), _complex_of(input.dtype))


@rule("torch.fft.rfft")
def rfft(cx: Context, input: Tensor, n: Any = None, dim: int = -1, norm: Any = None) -> Tensor:
    """The Fourier transform of real numbers along an axis: n // 2 + 1 complex numbers."""
    if is_complex(input.dtype):
        raise Mismatch(
            "dtype-mismatch",
            "{input} holds complex numbers, and `rfft` is for real ones.",
            hint="Use `torch.fft.fft`.",
            at="input",
        )
    shape, at = locate(cx, input.shape, dim)
    half = add(floor_divide(_length(cx, n, size(shape, at)), 2), 1)
    return _transformed(input, replace_axis(shape, at, half), _complex_of(input.dtype))


@rule("torch.fft.irfft torch.fft.hfft")
def irfft(cx: Context, input: Tensor, n: Any = None, dim: int = -1, norm: Any = None) -> Tensor:
    """The inverse of `rfft`: n real numbers, 2 · (size - 1) where n is left out."""
    shape, at = locate(cx, input.shape, dim)
    whole = _length(cx, n, multiply(subtract(size(shape, at), 1), 2))
    if isinstance(whole, int) and whole < 1:
        raise Mismatch("shape-axis", "{input} is {input.shape}: from axis {axis} no numbers would be left.", axis=dim)
    return _transformed(input, replace_axis(shape, at, whole), REAL_OF.get(_complex_of(input.dtype) or ""))


def _axes(input: Tensor, s: Any, dim: Any) -> tuple[int, ...]:
    if dim is not None:
        return require_axes(dim)
    if s is not None:
        if not isinstance(s, tuple):
            raise CannotTell("over how many axes it goes is not known here")
        return tuple(range(-len(s), 0))  # pyright: ignore[reportUnknownArgumentType]
    if input.shape.rank is None:
        raise CannotTell("the number of axes is not known")
    return tuple(range(input.shape.rank))


def _over_several(cx: Context, input: Tensor, s: Any, dim: Any) -> tuple[Shape, list[int]]:
    shape, found = input.shape, list[int]()
    sizes: tuple[Any, ...] = s if isinstance(s, tuple) else (None,) * len(_axes(input, s, dim))
    for index, wanted in zip(_axes(input, s, dim), sizes, strict=True):
        shape, at = locate(cx, shape, index)
        if at in found:
            raise Mismatch("shape-axis", "Axis {axis} is named twice.", axis=index)
        found.append(at)
        if wanted is not None and wanted != -1:
            shape = replace_axis(shape, at, as_dim(cx, wanted))
    return shape, found


@rule("torch.fft.fft2 torch.fft.ifft2")
def fft2(cx: Context, input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """The Fourier transform over two axes."""
    return _transformed(input, _over_several(cx, input, s, dim)[0], _complex_of(input.dtype))


@rule("torch.fft.fftn torch.fft.ifftn")
def fftn(cx: Context, input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
    """The Fourier transform over several axes."""
    return _transformed(input, _over_several(cx, input, s, dim)[0], _complex_of(input.dtype))


@rule("torch.fft.rfft2")
def rfft2(cx: Context, input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """The Fourier transform of real numbers over two axes; the last of them is halved."""
    if is_complex(input.dtype):
        raise Mismatch(
            "dtype-mismatch",
            "{input} holds complex numbers, and `rfft2` is for real ones.",
            hint="Use `torch.fft.fft2`.",
            at="input",
        )
    shape, axes = _over_several(cx, input, s, dim)
    half = add(floor_divide(size(shape, axes[-1]), 2), 1)
    return _transformed(input, replace_axis(shape, axes[-1], half), _complex_of(input.dtype))


@rule("torch.fft.irfft2")
def irfft2(cx: Context, input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
    """The inverse of `rfft2`."""
    shape, axes = _over_several(cx, input, s, dim)
    if s is None:
        whole = multiply(subtract(size(shape, axes[-1]), 1), 2)
        if isinstance(whole, int) and whole < 1:
            raise Mismatch("shape-axis", "{input} is {input.shape}: from its last axis no numbers would be left.")
        shape = replace_axis(shape, axes[-1], whole)
    return _transformed(input, shape, REAL_OF.get(_complex_of(input.dtype) or ""))


@rule("torch.fft.fftshift torch.fft.ifftshift")
def fftshift(cx: Context, input: Tensor, dim: Any = None) -> Tensor:
    """The frequencies moved so that 0 stands in the middle (or back)."""
    shape = input.shape
    for index in axes_given(dim) or () if dim is not None else ():
        shape, _ = locate(cx, shape, index)
    return replace(input, shape=shape, strides=contiguous_strides(shape), sure=True)


@rule("torch.fft.fftfreq")
def fftfreq(cx: Context, n: Dim, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies that the numbers of a Fourier transform stand for."""
    return Tensor(Shape((n,)), "float32" if dtype is None else getattr(dtype, "name", None), None, (1,))


@rule("torch.fft.rfftfreq")
def rfftfreq(cx: Context, n: Dim, d: Any = 1.0, *, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies that the numbers of `rfft` stand for."""
    return Tensor(
        Shape((add(floor_divide(n, 2), 1),)), "float32" if dtype is None else getattr(dtype, "name", None), None, (1,)
    )


@rule("torch.hann_window torch.hamming_window torch.blackman_window torch.bartlett_window torch.kaiser_window")
def window(
    cx: Context,
    window_length: Dim,
    *parameters: Any,
    dtype: Any = None,
    device: Any = None,
    periodic: Any = True,
    **more: Any,
) -> Tensor:
    """A window: numbers that rise from 0 and fall again."""
    return Tensor(Shape((window_length,)), "float32" if dtype is None else getattr(dtype, "name", None), None, (1,))


@rule("torch.stft torch.Tensor.stft torch.istft torch.Tensor.istft")
def stft(cx: Context, input: Tensor, *parameters: Any, **more: Any) -> Tensor:
    """Fourier transforms of a window that moves along a signal."""
    raise CannotTell("spectrograms are not followed")
