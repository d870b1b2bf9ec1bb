"""Recurrent layers: one step after another along the axis of positions."""

from __future__ import annotations

from typing import Any

from qkv.ops.agree import require_one_dtype
from qkv.ops.context import CannotTell, Context, Mismatch, require_equal
from qkv.ops.parameters import known_size, parameter, switched_on
from qkv.ops.table import forward, layer
from qkv.shapes import Dim, Expr, Layer, Shape, Tensor, Unknown
from qkv.shapes.dim import multiply
from qkv.shapes.solve import resolve_shape, solve_rank
from qkv.shapes.values import contiguous_strides

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
"""How many blocks of weights a step has."""


def _members(
    cx: Context, gates: int, width: Any, hidden: Any, layers: Any, bias: Any, two: Any, out: Any, dtype: Any
) -> dict[str, Any]:
    """The weights, layer by layer and direction by direction, under torch's names."""
    if not isinstance(layers, int) or not isinstance(two, bool) or layers > 16:
        return {}
    rows = multiply(gates, known_size(cx, hidden))
    given = out if isinstance(out, (int, Expr)) and out != 0 else hidden
    found: dict[str, Any] = {}
    for number in range(layers):
        inner = width if number == 0 else multiply(2 if two else 1, known_size(cx, given))
        for end in ("", "_reverse") if two else ("",):
            found[f"weight_ih_l{number}{end}"] = parameter(cx, rows, inner, dtype=dtype)
            found[f"weight_hh_l{number}{end}"] = parameter(cx, rows, given, dtype=dtype)
            if switched_on(bias):
                found[f"bias_ih_l{number}{end}"] = parameter(cx, rows, dtype=dtype)
                found[f"bias_hh_l{number}{end}"] = parameter(cx, rows, dtype=dtype)
    return found


def _recurrent(name: str) -> None:
    """Register one kind of layer. A plain RNN has one setting more, which may stand fourth."""

    def construct(
        cx: Context,
        input_size: Dim,
        hidden_size: Dim,
        num_layers: Any = 1,
        *rest: Any,
        bias: Any = True,
        batch_first: Any = False,
        dropout: Any = 0.0,
        bidirectional: Any = False,
        proj_size: Any = 0,
        nonlinearity: Any = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> Any:
        """Reads a sequence step by step and carries a state along."""
        if isinstance(proj_size, int) and isinstance(hidden_size, int) and proj_size >= hidden_size > 0:
            template = "A state of {hidden} numbers can only be projected to fewer; {proj} is none."
            raise Mismatch("shape-linear", template, at="proj_size", hidden=hidden_size, proj=proj_size)
        order = ["bias", "batch_first", "dropout", "bidirectional", "proj_size"]
        told = {"bias": bias, "batch_first": batch_first, "bidirectional": bidirectional, "proj_size": proj_size}
        positional = rest[1:] if name == "RNN" and rest and isinstance(rest[0], str) else rest
        told |= dict(zip(order, positional, strict=False))
        weights = _members(
            cx,
            GATES[name],
            input_size,
            hidden_size,
            num_layers,
            told["bias"],
            told["bidirectional"],
            told["proj_size"],
            dtype,
        )
        return {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers, **told, **weights}

    layer(f"torch.nn.{name}", term="recurrent network")(construct)


for _name in GATES:
    _recurrent(_name)


@forward("torch.nn.RNN torch.nn.GRU torch.nn.LSTM")
def recurrent_call(cx: Context, layer: Layer, input: Any, hx: Any = None) -> Any:
    """The outputs of all steps, and the last state: (layers, batch, hidden), of an LSTM two of them."""
    if not isinstance(input, Tensor):
        raise CannotTell("a packed sequence is not followed")
    told: Any = layer.members
    dims = _sequence(cx, input, told, layer)
    batch_first = told.get("batch_first")
    if len(dims) == 3 and not isinstance(batch_first, bool):
        raise CannotTell("whether the batch comes first is not known", input.dtype)
    batch = () if len(dims) == 2 else (dims[0 if batch_first else 1],)
    hidden = known_size(cx, told.get("hidden_size"))
    projected = told.get("proj_size")
    given = projected if isinstance(projected, (int, Expr)) and projected != 0 else hidden
    given = cx.fresh() if isinstance(projected, Unknown) else given
    two = told.get("bidirectional")
    directions: Dim = (2 if two else 1) if isinstance(two, bool) else cx.fresh()
    stacked = multiply(directions, known_size(cx, told.get("num_layers")))
    state, cell = Shape((stacked, *batch, given)), Shape((stacked, *batch, hidden))
    _require_state(cx, layer, hx, state, cell)
    output = _made(Shape((*dims[:-1], multiply(directions, given))), input, exact=not batch_first)
    last = _made(state, input)
    return (output, (last, _made(cell, input)) if layer.name.endswith("LSTM") else last)


def _made(shape: Shape, input: Tensor, exact: bool = True) -> Tensor:
    """A new tensor; with the batch first, the layout is that of a turned one, which is not followed."""
    return Tensor(shape, input.dtype, input.device, contiguous_strides(shape) if exact else None)


def _sequence(cx: Context, input: Tensor, told: Any, layer: Layer) -> tuple[Dim, ...]:
    """The sizes of an input, (positions, batch, width) or (batch, positions, width), perhaps without a batch."""
    weight = told.get("weight_ih_l0")
    if isinstance(weight, Tensor):
        require_one_dtype({"input": input, "weight": weight}, "A recurrent layer")
    rank = input.shape.rank
    if rank is not None and rank not in (2, 3):
        raise Mismatch(
            "shape-axis",
            "{input} is {input.shape}; {layer} takes (batch, positions, width), or (positions, width) without a batch.",
            at="input",
        )
    solved = solve_rank(cx.store, input.shape, 3 if rank is None else rank)
    if solved is None:
        raise Mismatch("shape-axis", "{input} is {input.shape}; {layer} takes two or three axes.", at="input")
    wanted = told.get("input_size")
    if isinstance(wanted, (int, Expr)):
        have = solved.back[-1]
        mismatch = Mismatch(
            "shape-linear",
            "{input} is {input.shape}: its last axis is {left}, but {layer} reads vectors of {right} numbers.",
            hint="Make the layer with `input_size` {left}, or bring the last axis to {right} first.",
            at="input",
            left=have,
            right=wanted,
        )
        require_equal(cx, have, wanted, mismatch)
    return resolve_shape(cx.store, solved).back


def _require_state(cx: Context, layer: Layer, hx: Any, state: Shape, cell: Shape) -> None:
    """Hold the state that a call starts with against what the layer needs."""
    pairs: list[tuple[Any, Shape]] = [(hx, state)]
    if layer.name.endswith("LSTM"):
        pair: tuple[Any, ...] = hx if isinstance(hx, tuple) else ()
        pairs = list(zip(pair, (state, cell), strict=False))
    for value, wanted in pairs:
        if not isinstance(value, Tensor) or value.shape.rank is None:
            continue
        template = "The state that {layer} starts with is {have}, but it must be {wanted}: layers times directions, batch, hidden."
        hint = "The batch is the second axis of a state, whatever `batch_first` is."
        if value.shape.rank != wanted.rank:
            raise Mismatch("shape-axis", template, at="hx", have=value.shape, wanted=wanted)
        for left, right in zip(value.shape.back, wanted.back, strict=True):
            mismatch = Mismatch(
                "shape-axis", template, hint=hint, at="hx", have=value.shape, wanted=wanted, left=left, right=right
            )
            require_equal(cx, left, right, mismatch)


# -- one step --------------------------------------------------------------------------------------------------------------


def _cell(name: str) -> None:
    def construct(
        cx: Context,
        input_size: Dim,
        hidden_size: Dim,
        bias: Any = True,
        nonlinearity: Any = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> Any:
        """One step of a recurrent layer."""
        rows = multiply(GATES[name], known_size(cx, hidden_size))
        biases = {
            key: parameter(cx, rows, dtype=dtype) if switched_on(bias) else None for key in ("bias_ih", "bias_hh")
        }
        return {
            "input_size": input_size,
            "hidden_size": hidden_size,
            "weight_ih": parameter(cx, rows, input_size, dtype=dtype),
            "weight_hh": parameter(cx, rows, hidden_size, dtype=dtype),
            **biases,
        }

    layer(f"torch.nn.{name}Cell", term="recurrent network")(construct)


for _name in GATES:
    _cell(_name)


@forward("torch.nn.RNNCell torch.nn.GRUCell torch.nn.LSTMCell")
def cell_call(cx: Context, layer: Layer, input: Tensor, hx: Any = None) -> Any:
    """The state after one step; of an LSTM the state and the memory."""
    told: Any = layer.members
    if input.shape.rank is not None and input.shape.rank not in (1, 2):
        raise Mismatch("shape-axis", "{input} is {input.shape}; {layer} takes one step, (batch, width).", at="input")
    wanted = told.get("input_size")
    dims = _of_width(
        cx, input, wanted, "{input} is {input.shape}: {layer} reads vectors of {right} numbers, not {left}.", "input"
    )
    hidden = known_size(cx, told.get("hidden_size"))
    states: tuple[Any, ...] = hx if isinstance(hx, tuple) else (hx,)
    for state in states:
        if isinstance(state, Tensor):
            _require_cell_state(cx, state, (*dims[:-1], hidden))
    shape = Shape((*dims[:-1], hidden))
    made = _made(shape, input)
    return (made, made) if layer.name.endswith("LSTMCell") else made


def _of_width(cx: Context, tensor: Tensor, wanted: Any, template: str, at: str) -> tuple[Dim, ...]:
    solved = solve_rank(cx.store, tensor.shape, 2 if tensor.shape.rank is None else tensor.shape.rank)
    if solved is None:
        raise CannotTell("the number of axes does not fit", tensor.dtype)
    if isinstance(wanted, (int, Expr)):
        have = solved.back[-1]
        require_equal(cx, have, wanted, Mismatch("shape-linear", template, at=at, left=have, right=wanted))
    return solved.back


def _require_cell_state(cx: Context, state: Tensor, wanted: tuple[Dim, ...]) -> None:
    if state.shape.rank is None:
        return
    template = "The state that {layer} starts with is {have}, but it must be {wanted}: batch, hidden."
    if state.shape.rank != len(wanted):
        raise Mismatch("shape-axis", template, at="hx", have=state.shape, wanted=Shape(wanted))
    for left, right in zip(state.shape.back, wanted, strict=True):
        mismatch = Mismatch(
            "shape-axis", template, at="hx", have=state.shape, wanted=Shape(wanted), left=left, right=right
        )
        require_equal(cx, left, right, mismatch)
