"""Real shapes, line by line: what the names of one file hold once a statement is done. Standard library and torch only."""

import ast
import inspect
import sys

MOST_ROWS = 5000
MOST_MAPS = 8
"""So many attention maps are kept as pictures."""
MAP_SIDE = 64
"""And so much of each, in rows and columns."""
INSIDE = {"<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
"""What runs in the middle of a statement and binds nothing that outlives it."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Statement:
    """A statement that binds names, or a compound one's first lines. `body` is where control goes once they are bound, if not anywhere."""

    def __init__(self, node, parts, column_of):
        self.first = node.lineno
        self.last = max(part.end_lineno for part in parts)
        self.body = (
            (node.body[0].lineno, node.body[-1].end_lineno) if isinstance(node, (ast.For, ast.AsyncFor)) else None
        )
        self.names = [(name, leaf.lineno, column_of(leaf)) for part in parts for name, leaf in stored(part)]

    def binds_before(self, line):
        """Whether going on to a line (None: leaving the function) means that the names are bound."""
        return self.body is None or (line is not None and self.body[0] <= line <= self.body[1])


def header(node):
    """The parts of a statement that run before its body; all of it for a simple statement."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return [node.target, node.iter]
    if isinstance(node, (ast.While, ast.If)):
        return [node.test]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [part for item in node.items for part in (item.context_expr, item.optional_vars) if part is not None]
    if hasattr(node, "body"):
        return []
    if hasattr(node, "cases"):  # match
        return [node.subject]
    return [node]


def stored(node):
    """The names and attributes that a part binds, as (text, node)."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id, node
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        text = dotted(node)
        if text:
            yield text, node
    elif not isinstance(node, ast.Lambda):
        inside = isinstance(node, COMPREHENSIONS)
        for child in ast.iter_child_nodes(node):
            for text, leaf in stored(child):
                if not inside or isinstance(child, ast.NamedExpr):
                    yield text, leaf


def dotted(node):
    """`self.head.weight` as text, or None where it starts with something else than a name."""
    if isinstance(node, ast.Name):
        return node.id
    owner = dotted(node.value) if isinstance(node, ast.Attribute) else None
    return owner and f"{owner}.{node.attr}"


class Places:
    """Where a file binds names: its statements by line, and its functions' parameters by first line and name."""

    def __init__(self, code):
        self.lines = code.splitlines()
        self.statements = {}
        self.parameters = {}
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                self.parameters[first, node.name] = [
                    (one.arg, one.lineno, self.column_of(one)) for one in parameters(node.args)
                ]
            parts = header(node) if isinstance(node, ast.stmt) else []
            if parts:
                statement = Statement(node, parts, self.column_of)
                for line in range(statement.first, statement.last + 1):
                    self.statements[line] = statement

    def column_of(self, node):
        """A node's first column, from 1, in code points."""
        text = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        return len(text.encode("utf-8")[: node.col_offset].decode("utf-8", "replace")) + 1


def parameters(arguments):
    """A function's parameters that hold one value each."""
    return [*getattr(arguments, "posonlyargs", []), *arguments.args, *arguments.kwonlyargs]


class Tracer:
    """Notes each tensor that one file binds to a name: the last value, and how often it was bound."""

    def __init__(self, path, code):
        self.path = path
        self.places = Places(code)
        self.found = {}
        self.kept = {}
        self.tensor = ()

    def start(self):
        sys.settrace(self.enter)

    def stop(self):
        sys.settrace(None)

    def enter(self, frame, event, argument):
        code = frame.f_code
        if event != "call" or code.co_filename != self.path or code.co_name in INSIDE:
            return None
        if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            self.look(frame, self.places.parameters.get((code.co_firstlineno, code.co_name), ()))
        current = [None]

        def local(frame, event, argument):
            if event == "exception":
                current[0] = None
                return local
            line = frame.f_lineno if event == "line" else None
            statement = self.places.statements.get(line)
            last = current[0]
            again = statement is last and statement is not None and statement.first == statement.last
            if last is not None and (statement is not last or again) and last.binds_before(line):
                self.look(frame, last.names)
            current[0] = statement
            return local

        return local

    def look(self, frame, names):
        """Note what names hold now."""
        if not self.tensor and "torch" in sys.modules:
            self.tensor = getattr(sys.modules["torch"], "Tensor", ())
        for name, line, column in names:
            value = value_of(frame.f_locals, name)
            if isinstance(value, self.tensor):
                key = (line, column, name)
                if key in self.found or len(self.found) < MOST_ROWS:
                    self.note(key, value)

    def note(self, key, value):
        times = self.found[key]["times"] + 1 if key in self.found else 1
        found = self.found[key] = row(key, value, times)
        self.kept.pop(key, None)
        if found["attention_map"] and len(self.kept) < MOST_MAPS:
            matrix = value.detach()[(0,) * (value.dim() - 2)]
            self.kept[key] = (tuple(value.shape), matrix[:MAP_SIDE, :MAP_SIDE].float().cpu().tolist())

    def rows(self):
        """What was seen, by place."""
        return [self.found[key] for key in sorted(self.found)]

    def maps(self):
        """The attention maps among it, as (line, column, name, shape, the first matrix)."""
        return [(*key, *self.kept[key]) for key in sorted(self.kept)]


def value_of(names, dotted_name):
    """What a name or an attribute holds, or None."""
    first, *rest = dotted_name.split(".")
    value = names.get(first)
    try:
        for name in rest:
            value = getattr(value, name)
    except Exception:  # a property may raise anything
        return None
    return value


def row(key, value, times):
    line, column, name = key
    facts = {
        "line": line,
        "column": column,
        "name": name,
        "shape": [int(size) for size in value.shape],
        "dtype": str(value.dtype).replace("torch.", ""),
        "device": str(value.device),
        "bytes": int(value.numel() * value.element_size()),
        "nan": 0,
        "inf": 0,
        "attention_map": False,
        "times": times,
    }
    try:
        if value.device.type != "meta" and (value.dtype.is_floating_point or value.dtype.is_complex):
            plain = value.detach()
            facts["nan"] = int(plain.isnan().sum())
            facts["inf"] = int(plain.isinf().sum())
            facts["attention_map"] = is_attention_map(plain)
    except Exception:  # an exotic tensor: its shape is still worth showing
        return facts
    return facts


def is_attention_map(value):
    """Whether the last axis holds shares: nothing below 0, and sums of 1."""
    if value.dim() < 2 or value.shape[-1] < 2 or not value.dtype.is_floating_point or value.numel() == 0:
        return False
    numbers = value.float()
    return bool((numbers >= 0).all()) and bool(((numbers.sum(-1) - 1).abs() < 1e-3).all())
