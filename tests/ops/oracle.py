"""Holds the operator rules against torch itself.

A case is one line of Python in `cases/FAMILY.txt`, for example

    torch.matmul(f[2, 3, 4], f[4, 5])
    x = f[3, 4]; x[0] = f[4]; x                   # statements, the last one is the result
    f[2, 3].transpose(0, 1).view(6)               # raises: both refuse (true of many mutants too)
    nn.Linear(4, 8)(f[2, 3, 4]).shape[-1]
    torch.unique(i[5])                            # `# unknown` at the end where the rule may know nothing

`f[2, 3]` is a float32 tensor of that shape, `f[()]` a scalar; `d` float64, `h` float16, `g` bfloat16, `c` complex64, `i` int64 (0 and
1), `j` int32, `u` uint8, `b` bool, and `up_to(7)[2, 3]` int64 with numbers 0 to 6. `torch`, `F`, `nn`, `einops`, `einx`, `math`, `inf` are
there too. To add a case, add a line; a test fails for a rule that no case uses.

Each line is run by torch and by the rules, and both must give the same shape, dtype, layout (where the rule knows it), bounds and
numbers, or must both refuse. Then it is run

 - with one number changed (`mutants`): an axis one longer, or 1, one axis more or less, another argument;
 - with one size named (`named`): what the rule gives must fit torch's result when the number is put back, and nothing is refused;
 - with the first axes of one tensor hidden (`hidden`): the same.

`KNOWN` lists the differences that are meant, each with its reason.
"""

from __future__ import annotations

import ast
import copy
import math
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import einops
import einops.layers.torch
import einx
import torch
import torch.nn.attention.flex_attention

from qkv.ops import FORWARDS, LAYERS, RULES, Context, Mismatch, apply, call_layer, make_layer
from qkv.shapes import Dim, Dtype, Expr, Kind, Layer, Named, Shape, Size, Slice, Some, Store, Tensor, Unknown
from qkv.shapes import dim as dims
from qkv.shapes.solve import axis, fresh_row, resolve, resolve_value, symbol
from qkv.shapes.values import contiguous_strides

CASES = pathlib.Path(__file__).parent / "cases"
MODULES = {"torch": "torch", "F": "torch.nn.functional", "nn": "torch.nn", "einops": "einops", "einx": "einx"}
MAKERS = {
    "f": "float32",
    "d": "float64",
    "h": "float16",
    "g": "bfloat16",
    "c": "complex64",
    "i": "int64",
    "j": "int32",
    "u": "uint8",
    "b": "bool",
}

UNEQUAL = r"scaled_dot_product_attention\(f\[[^\]]*\]{turn}, f\[{before}(\d+), {behind}\]{turn}, f\[{before}(?!\1,)\d+, {behind}\]"
KNOWN: list[tuple[str, str, str]] = [
    (
        "mutated",
        UNEQUAL.format(turn="", before=r"\d+, \d+, ", behind=r"\d+"),
        "the CPU's kernel reads beyond the values where there are more keys",
    ),
    ("mutated", UNEQUAL.format(turn=r"\.transpose\(1, 2\)", before=r"\d+, ", behind=r"\d+, \d+"), "the same"),
    ("mutated", r"einsum.*d\[", "numbers are converted where nothing is summed up"),
    ("hidden", r"nn.Transformer.*16\)\(f\[4, 8\]\)", "a sequence of which nothing is known is taken to have a batch"),
    (
        "hidden",
        r"Conv1d.*f\[3, 8\]\)$|(2d|unfold).*\(f\[3, [78], [68]\]|2d.*f\[3, 8, 7\]\)$|LSTM.*\(f\[3, 4\]\)$|LSTMCell.*\(f\[4\]\)",
        "the same of images, and of single steps",
    ),
    ("mutated", r"torch.tensor\(\[1, 3", "the numbers of a list are not looked at"),
    ("mutated", r"arange\(\d+\) - \d", "numbers that may be below 0 need not be"),
    (
        "mutated",
        r"Norm1d\(3\)\(f\[1, 3\]\)|Norm1d\(3\)\(f\[2, 3, 1\]\)|instance_norm\(f\[\d, \d(, 1)?\]\)",
        "one number alone cannot be normalised while training",
    ),
    (
        "mutated",
        r"(?i)gaussian_?nll|cosine_?embedding|margin_?(ranking_?)?loss|ctc_?loss",
        "losses that attention code hardly uses are followed, not judged",
    ),
    ("mutated", r"attn_mask=b\[.*is_causal=True", "whether a mask besides is_causal is refused depends on the kernel"),
    (
        "mutated",
        r"^(?!.*(view|reshape|flatten|sum|matmul)).*\[[^\]]*\b0\b",
        "operators refuse empty tensors, or not, each in its own way",
    ),
    ("mutated", r"get_at", "positions beyond the end of an axis are not followed in einx"),
    ("mutated", r"masked_scatter", "how many numbers are True is not known"),
    (
        "mutated",
        r"clamp",
        "limits in the wrong order, or beyond the numbers: the larger limit wins, and bounds are for what is in order",
    ),
    (
        "hidden",
        r"f\[\d\] @|@ f\[\d\]|matmul\(f\[\d\]\)",
        "a tensor of unknown rank in a product is taken to have two axes or more",
    ),
    ("hidden", r"masked_fill", "a mask of which nothing is known is taken to be no larger than the scores"),
    ("hidden", r"f\[\d\]\.t\(\)", "a tensor that is turned with t() is taken to be a matrix"),
    ("named", r"f\[[57]", "a named size is taken to divide evenly into chunks"),
    ("named", r"\[:, 5:\]|\[:, :10\]", "a slice of a named size is taken to lie within it"),
    ("hidden", r"\[:, 5:\]|\[:, :10\]|chunk", "the same, of a size that is not known"),
]
"""Differences that are meant: (in which variation, a pattern of the case's text, why)."""


@dataclass(frozen=True)
class Case:
    """One line: its text, the file it is from, and whether the rule may know nothing."""

    text: str
    family: str
    unknown: bool = False

    def __str__(self) -> str:
        return self.text


def load(family: str | None = None) -> list[Case]:
    """The cases of one file, or of all."""
    found: list[Case] = []
    for path in sorted(CASES.glob(f"{family or '*'}.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            code, _, remark = line.partition("  #")
            if code.strip() and not code.startswith("#"):
                found.append(Case(code.strip(), path.stem, "unknown" in remark))
    return found


def known_difference(variation: str, text: str) -> str | None:
    """Why torch and the rules are meant to differ on this text."""
    return next((reason for where, pattern, reason in KNOWN if where == variation and re.search(pattern, text)), None)


# -- torch's answer --------------------------------------------------------------------------------------------------------


class Maker:
    """`f[2, 3]`: a real tensor."""

    def __init__(self, dtype: torch.dtype, below: int = 2) -> None:
        self.dtype = dtype
        self.below = below

    def __getitem__(self, size: Any) -> torch.Tensor:
        shape = size if isinstance(size, tuple) else (size,)
        if self.dtype.is_floating_point or self.dtype.is_complex:
            return torch.rand(shape, dtype=torch.float64).to(self.dtype)
        numbers = torch.randint(0, self.below, shape)
        if numbers.numel():
            numbers.view(-1)[-1] = self.below - 1
        return numbers.to(self.dtype)


class Refused:
    """torch, or a rule, refused; `why` is the message."""

    def __init__(self, why: str) -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"refused: {self.why[:100]}"


def real(text: str) -> Any:
    """What torch says of a line: its result, or Refused."""
    torch.random.default_generator.manual_seed(0)  # `torch.manual_seed` formats a stack for every kind of device
    space: dict[str, Any] = {name: Maker(getattr(torch, dtype)) for name, dtype in MAKERS.items()}
    space |= {
        "up_to": lambda below: Maker(torch.int64, below),
        "torch": torch,
        "F": torch.nn.functional,
        "nn": torch.nn,
    }
    space |= {"einops": einops, "einx": einx, "math": math, "inf": math.inf}
    *before, last = ast.parse(text).body
    try:
        with torch.no_grad():
            exec(compile(ast.Module(before, []), "case", "exec"), space)
            return eval(compile(ast.Expression(last.value), "case", "eval"), space)  # type: ignore[attr-defined]
    except Exception as problem:
        return Refused(f"{type(problem).__name__}: {problem}")


# -- the rules' answer -----------------------------------------------------------------------------------------------------


@dataclass
class Abstract:
    """Evaluates a line with the rules. `sizes` puts names in the place of some numbers, `hide` hides first axes of one maker's tensor."""

    sizes: dict[int, Expr] = field(default_factory=dict)
    hide: tuple[int, int] | None = None
    store: Store = field(default_factory=Store)
    names: dict[str, Any] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    makers: int = 0

    def run(self, text: str, refuse: bool = False) -> Any:
        """The result, or Refused; with `refuse`, the Mismatch is raised."""
        self.cx = Context(self.store)
        *before, last = ast.parse(text).body
        try:
            for statement in before:
                self._statement(statement)
            return resolve_value(self.store, self._value(last.value))  # type: ignore[attr-defined]
        except Mismatch as finding:
            if refuse:
                raise
            return Refused(f"{finding.code}: {finding.template} {finding.parts}")

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            value, target = self._value(node.value), node.targets[0]
            if isinstance(target, ast.Subscript):
                self._rule(
                    "torch.Tensor.__setitem__", (self._value(target.value), self._index(target.slice), value), {}
                )
            elif isinstance(target, ast.Tuple):
                assert isinstance(value, tuple)
                self.names |= {item.id: part for item, part in zip(target.elts, value, strict=True)}  # type: ignore[attr-defined]
            else:
                self.names[target.id] = value  # type: ignore[attr-defined]
        elif isinstance(node, ast.AugAssign):
            name = f"torch.Tensor.__i{OPERATORS[type(node.op)]}__"
            target = node.target.id  # type: ignore[union-attr]
            self.names[target] = self._rule(name, (self.names[target], self._value(node.value)), {})
        else:
            self._value(node.value)  # type: ignore[attr-defined]

    def _rule(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        self.used.add(f"rule {RULES[name].names[0]}")
        return apply(self.cx, RULES[name], arguments, keywords)

    def _value(self, node: ast.expr) -> Any:
        return getattr(self, f"_{type(node).__name__.lower()}")(node)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        return math.inf if node.id == "inf" else Reference(MODULES.get(node.id, f"builtins.{node.id}"))

    def _tuple(self, node: ast.Tuple | ast.List) -> Any:
        return tuple(self._value(item) for item in node.elts)

    _list = _tuple

    def _slice(self, node: ast.Slice) -> Any:
        return Slice(*(None if part is None else self._value(part) for part in (node.lower, node.upper, node.step)))

    def _attribute(self, node: ast.Attribute) -> Any:
        value = self._value(node.value)
        if isinstance(value, Reference):
            return reference(f"{value.name}.{node.attr}")
        if isinstance(value, Named) and node.attr in value.fields:
            return value.item(node.attr)
        if isinstance(value, Layer):
            return value.members.get(node.attr, Unknown(""))
        if isinstance(value, Tensor) and f"torch.Tensor.{node.attr}" in RULES and node.attr in ATTRIBUTES:
            return self._rule(f"torch.Tensor.{node.attr}", (value,), {})
        if isinstance(value, Tensor) and node.attr == "shape":
            return resolve_value(self.store, Size(value.shape))
        if isinstance(value, Tensor) and node.attr == "dtype":
            return Dtype(value.dtype) if value.dtype else Unknown("")
        return BoundMethod(value, node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        maker = self._maker(node)
        if maker is not None:
            return maker
        value = self._value(node.value)
        if isinstance(value, Tensor):
            return self._rule("torch.Tensor.__getitem__", (value, self._index(node.slice)), {})
        index = self._value(node.slice)
        if isinstance(value, Size) and isinstance(index, int):
            return axis(self.store, value.shape, index)[1]
        if isinstance(value, tuple) and isinstance(index, Slice):
            return value[slice(index.start, index.stop, index.step)]  # type: ignore[misc]
        if isinstance(value, tuple) and isinstance(index, int) and not -len(value) <= index < len(value):
            raise Mismatch("python", "there is no such item")
        return value[index] if isinstance(value, tuple) else Unknown("")

    def _index(self, node: ast.expr) -> tuple[Any, ...]:
        return self._tuple(node) if isinstance(node, ast.Tuple) else (self._value(node),)

    def _maker(self, node: ast.Subscript) -> Tensor | None:
        below = 2
        name = node.value
        if isinstance(name, ast.Call) and isinstance(name.func, ast.Name) and name.func.id == "up_to":
            dtype, below = "int64", name.args[0].value  # type: ignore[attr-defined]
        elif isinstance(name, ast.Name) and name.id in MAKERS and name.id not in self.names:
            dtype = MAKERS[name.id]
        else:
            return None
        number = self.makers
        self.makers += 1
        shape = Shape(tuple(self.sizes.get(size, size) for size in self._index(node.slice) if size != ()))
        if self.hide is not None and self.hide[0] == number:
            shape = Shape(shape.back[self.hide[1] :], fresh_row(self.store))
        whole = dtype in ("int64", "int32", "uint8") and 0 not in shape.back
        return Tensor(shape, dtype, None, contiguous_strides(shape), 0 if whole else None, below - 1 if whole else None)

    def _call(self, node: ast.Call) -> Any:
        callee = self._value(node.func)
        arguments = tuple(item for part in node.args for item in self._arguments(part))
        keywords = {keyword.arg: self._value(keyword.value) for keyword in node.keywords if keyword.arg}
        if isinstance(callee, BoundMethod):
            if not isinstance(callee.value, Tensor):
                return Unknown("")
            return self._rule(f"torch.Tensor.{callee.name}", (callee.value, *arguments), keywords)
        if isinstance(callee, Layer):
            self.used.add(f"forward {FORWARDS[callee.name].names[0]}")
            return call_layer(self.cx, callee, arguments, keywords)
        assert isinstance(callee, Reference), f"{ast.unparse(node.func)} cannot be called"
        if callee.name in LAYERS:
            self.used.add(f"layer {LAYERS[callee.name].names[0]}")
            return make_layer(self.cx, callee.name, arguments, keywords)
        if callee.name in ("builtins.len", "builtins.float"):
            return {"len": len, "float": float}[callee.name[9:]](arguments[0])
        return self._rule(callee.name, arguments, keywords)

    def _arguments(self, node: ast.expr) -> tuple[Any, ...]:
        if not isinstance(node, ast.Starred):
            return (self._value(node),)
        value = self._value(node.value)
        return value if isinstance(value, tuple) else (value,)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right, name = self._value(node.left), self._value(node.right), OPERATORS[type(node.op)]
        if isinstance(left, Tensor):
            return self._rule(f"torch.Tensor.__{name}__", (left, right), {})
        if isinstance(right, Tensor):
            return self._rule(f"torch.Tensor.__r{name}__", (right, left), {})
        if isinstance(left, tuple) and isinstance(right, tuple):
            return left + right
        function = {"add": dims.add, "sub": dims.subtract, "mul": dims.multiply, "floordiv": dims.floor_divide}.get(
            name
        )
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return Unknown("")
        return function(left, right) if function is not None else left / right

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self._value(node.operand)
        name = {ast.USub: "neg", ast.Invert: "invert", ast.UAdd: "pos"}[type(node.op)]
        return self._rule(f"torch.Tensor.__{name}__", (value,), {}) if isinstance(value, Tensor) else -value

    def _compare(self, node: ast.Compare) -> Any:
        name = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}[
            type(node.ops[0])
        ]
        return self._rule(f"torch.Tensor.__{name}__", (self._value(node.left), self._value(node.comparators[0])), {})


OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
ATTRIBUTES = {name for name in dir(torch.Tensor) if not callable(getattr(torch.Tensor, name, None))}


@dataclass(frozen=True)
class Reference:
    """A name of torch that has not been called yet."""

    name: str


@dataclass(frozen=True)
class BoundMethod:
    """`x.view`, before its call."""

    value: Any
    name: str


def reference(name: str) -> Any:
    """What a dotted name stands for: a dtype, a number, or a function to be called."""
    last = name.rpartition(".")[2]
    found = getattr(torch, last, None) if name == f"torch.{last}" else None
    if isinstance(found, torch.dtype):
        return Dtype(str(found).removeprefix("torch."))
    return float(found) if isinstance(found, float) else Reference(name)


# -- do they agree? --------------------------------------------------------------------------------------------------------


def differences(store: Store, guess: Any, truth: Any, values: dict[Any, int] | None = None) -> list[str]:
    """What a rule says and torch does not. Sizes that a rule does not know fit anything; `values` puts numbers in for names."""
    if isinstance(truth, torch.Tensor):
        return _tensor_differences(store, guess, truth, values or {})
    if isinstance(truth, (tuple, list)):
        return _tuple_differences(store, guess, truth, values or {})
    if isinstance(guess, Unknown) or guess is None:
        return []
    if isinstance(truth, torch.nn.Module):
        return [] if isinstance(guess, Layer) else [f"{guess!r} is no layer"]
    if isinstance(truth, torch.dtype):
        return [] if guess == Dtype(str(truth).removeprefix("torch.")) else [f"{guess} is not {truth}"]
    if isinstance(truth, torch.device):
        return []
    if isinstance(guess, (int, Expr)) and isinstance(truth, (int, float)):
        return [] if _fits(store, guess, int(truth), values or {}) else [f"{guess} is not {truth}"]
    return [] if guess == truth or truth is None else [f"{guess!r} is not {truth!r}"]


def _tuple_differences(store: Store, guess: Any, truth: Any, values: dict[Any, int]) -> list[str]:
    if isinstance(guess, Unknown):
        return []
    if isinstance(guess, Some):
        return [text for part in truth for text in differences(store, guess.item, part, values)]
    if isinstance(guess, Size):
        return _shape_differences(store, guess.shape, tuple(truth), values)
    if not isinstance(guess, tuple) or len(guess) != len(truth):
        return [f"{guess!r} is not {len(truth)} results"]
    return [text for one, other in zip(guess, truth, strict=True) for text in differences(store, one, other, values)]


def _fits(store: Store, dim: Dim, number: int, values: dict[Any, int]) -> bool:
    put = dims.substitute(resolve(store, dim), values)
    return not isinstance(put, int) or put == number


def _shape_differences(store: Store, shape: Shape, truth: tuple[int, ...], values: dict[Any, int]) -> list[str]:
    back = truth[len(truth) - len(shape.back) :] if shape.back else ()
    fits = len(truth) >= shape.least_rank and (shape.row is not None or len(truth) == len(shape.back))
    fits = fits and all(
        _fits(store, dim, size, values)
        for dim, size in zip(shape.front + shape.back, truth[: len(shape.front)] + back, strict=True)
    )
    return [] if fits else [f"{shape} is not {truth}"]


def _tensor_differences(store: Store, guess: Any, truth: torch.Tensor, values: dict[Any, int]) -> list[str]:
    if isinstance(guess, Unknown):
        return []
    if not isinstance(guess, Tensor):
        return [f"{guess!r} is not a tensor"]
    guess = resolve_value(store, guess)
    found = _shape_differences(store, guess.shape, tuple(truth.shape), values)
    if guess.dtype is not None and guess.dtype != str(truth.dtype).removeprefix("torch."):
        found.append(f"{guess.dtype} is not {truth.dtype}")
    if not found and guess.strides is not None and truth.numel() and truth.layout is torch.strided:
        matter = [(a, b) for a, b, size in zip(guess.strides, truth.stride(), truth.shape, strict=True) if size != 1]
        if not all(_fits(store, step, real_step, values) for step, real_step in matter):
            found.append(f"strides {guess.strides} are not {truth.stride()}")
    return found + _bound_differences(guess, truth, values)


def _bound_differences(guess: Tensor, truth: torch.Tensor, values: dict[Any, int]) -> list[str]:
    if not truth.numel() or truth.dtype.is_floating_point or truth.dtype.is_complex:
        return []
    found: list[str] = []
    low, high = (dims.substitute(bound, values) if bound is not None else None for bound in (guess.low, guess.high))
    if isinstance(low, int) and low > int(truth.min()):
        found.append(f"the least is {int(truth.min())}, not {low}")
    if isinstance(high, int) and high < int(truth.max()):
        found.append(f"the largest is {int(truth.max())}, not {high}")
    return found


def says_nothing(guess: Any) -> bool:
    """Whether a rule gave no shape, although all sizes were numbers."""
    if isinstance(guess, tuple):
        return any(says_nothing(item) for item in guess)
    return isinstance(guess, Unknown) or (isinstance(guess, Tensor) and guess.shape.row is not None)


# -- variations ------------------------------------------------------------------------------------------------------------


def mutants(text: str) -> Iterator[str]:
    """The line with one number changed, one axis added or taken away."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            old = node.value
            for new in dict.fromkeys((old + 1, 1, 2 * old)):
                if new != old:
                    node.value = new
                    yield ast.unparse(tree)
            node.value = old
        elif _is_maker(node):
            yield from _other_ranks(tree, node)


def _other_ranks(tree: ast.Module, node: ast.Subscript) -> Iterator[str]:
    old = node.slice
    axes = list(old.elts) if isinstance(old, ast.Tuple) else [old]
    for new in (axes[1:], [ast.Constant(2), *axes], axes[:-1], axes[::-1]):
        node.slice = ast.Tuple(copy.deepcopy(new), ast.Load())
        yield ast.unparse(tree)
    node.slice = old


def _is_maker(node: ast.AST) -> bool:
    if not isinstance(node, ast.Subscript):
        return False
    name = node.value.func if isinstance(node.value, ast.Call) else node.value
    return isinstance(name, ast.Name) and (name.id in MAKERS or name.id == "up_to")


def maker_sizes(text: str) -> list[tuple[int, ...]]:
    """The shapes that a line's makers make, in the order of evaluation."""
    found: list[tuple[int, ...]] = []

    class Visitor(ast.NodeVisitor):
        def visit_Subscript(self, node: ast.Subscript) -> None:
            if _is_maker(node):
                items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                found.append(tuple(item.value for item in items if isinstance(item, ast.Constant)))
            else:
                self.generic_visit(node)

    Visitor().visit(ast.parse(text))
    return found


def named(text: str, kind: Kind) -> Iterator[tuple[str, Abstract, dict[Any, int]]]:
    """The line with one size after the other turned into a named one: (what was named, evaluator, the number to put back)."""
    for size in sorted({size for shape in maker_sizes(text) for size in shape if size > 1}):
        abstract = Abstract()
        name = symbol(abstract.store, "s", kind)
        abstract.sizes[size] = name
        yield f"{size} as {kind.name}", abstract, {dims.alone(name): size}


def hidden(text: str) -> Iterator[tuple[str, Abstract]]:
    """The line with first axes of one tensor hidden: (what was hidden, evaluator)."""
    for number, shape in enumerate(maker_sizes(text)):
        for count in range(1, len(shape) + 1):
            yield f"{count} axes of tensor {number}", Abstract(hide=(number, count))
