"""Which operators of torch the code of published packages uses, how often, and whether the rule table knows them.

    operator_coverage.py FOLDER… [--top 60] [--missing] [--json]

Each folder holds Python files (an unpacked package); nothing of them is imported or run. A name counts where it is called, or read
as an attribute that only tensors have. Spellings of one operator (`torch.softmax`, `x.softmax`, `F.softmax`) count together. Of a
method, the receiver is not known here: it counts if tensors have such a method and the receiver is no module, class or settings.

A name is known by a rule, declared as not followed (with the reason that a hover shows), or missing. Exit 1 where a used name is missing.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import pathlib
import sys
from collections.abc import Iterator

from qkv.interp.library import LIBRARY
from qkv.interp.methods import TRANSPARENT
from qkv.ops import FORWARDS, LAYERS, RULES
from qkv.ops.unfollowed import reason

ROOTS = ("torch", "einops", "einx")
NO_TENSORS = frozenset(["self", "cls", "config", "cfg", "args", "model", "module", "layer", "block", "logger"])
READ_BY_THE_INTERPRETER = frozenset(["shape", "dtype", "device"])
OF_DICTS_AND_LISTS = frozenset(["values", "index", "copy", "items", "keys"])
NO_OPERATORS = (
    "torch.nn.functional",
    "torch.nn",
    "torch.nn.init",
    "torch.nn.utils",
    "torch.utils",
    "torch.Tensor",
    "torch.nn.Module",
    "torch.dtype",
)
TENSOR_MEMBERS = pathlib.Path(__file__).with_name("tensor_members.txt")


def imports(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for, as a dotted name."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return None


def names_used(tree: ast.Module, members: frozenset[str]) -> Iterator[str]:
    """The qualified names of torch that a module calls; of methods, `torch.Tensor.NAME`."""
    known = imports(tree)
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if called is None and isinstance(node, ast.Attribute) and node.attr in members and node.attr in ATTRIBUTES:
            called = node
        if not isinstance(called, (ast.Attribute, ast.Name)):
            continue
        text = dotted(called)
        first, _, rest = (text or "").partition(".")
        if first in known:
            full = known[first] + (f".{rest}" if rest else "")
            if full.split(".")[0] in ROOTS:
                yield canonical(full)
        elif isinstance(called, ast.Attribute) and called.attr in members and not _is_no_tensor(called.value):
            yield f"torch.Tensor.{called.attr}"


ATTRIBUTES = frozenset(
    ["shape", "dtype", "device", "ndim", "T", "mT", "data", "grad", "real", "imag", "is_cuda", "requires_grad"]
)


def _is_no_tensor(receiver: ast.expr) -> bool:
    if isinstance(receiver, (ast.Constant, ast.JoinedStr, ast.Dict, ast.List)):
        return True
    if (
        isinstance(receiver, ast.Call)
        and isinstance(receiver.func, ast.Name)
        and receiver.func.id in ("super", "str", "dict", "list")
    ):
        return True
    return isinstance(receiver, ast.Name) and receiver.id in NO_TENSORS


def canonical(name: str) -> str:
    """The spelling that the rule table uses."""
    for long, short in (
        ("torch.nn.modules.", "torch.nn."),
        ("torch.functional.", "torch."),
        ("einops.layers.torch.", "einops.layers.torch."),
    ):
        if name.startswith(long):
            last = name.rpartition(".")[2]
            return f"{short}{last}"
    return name


def coverage(name: str) -> str:
    """`rule`, `declared` or `missing`."""
    if name in RULES or name in LAYERS or name in FORWARDS or name in LIBRARY:
        return "rule"
    member = name.removeprefix("torch.Tensor.")
    if name.startswith("torch.Tensor.") and (member in READ_BY_THE_INTERPRETER or member in TRANSPARENT):
        return "rule"
    return "declared" if reason(name) is not None else "missing"


def count(folders: list[pathlib.Path]) -> collections.Counter[str]:
    """How often each name is used."""
    members = frozenset(TENSOR_MEMBERS.read_text(encoding="utf-8").split()) - OF_DICTS_AND_LISTS
    found: collections.Counter[str] = collections.Counter()
    for folder in folders:
        for path in folder.rglob("*.py"):
            try:
                tree = ast.parse(path.read_text(encoding="utf-8"))
            except (SyntaxError, UnicodeDecodeError):
                continue
            found.update(name for name in names_used(tree, members) if name not in NO_OPERATORS)
    return found


def merged(name: str) -> str:
    """The name under which spellings count together."""
    last = name.rpartition(".")[2]
    if name.startswith(("torch.Tensor.", "torch.nn.functional.")) or name.count(".") == 1:
        return last.rstrip("_") if not last.startswith("_") else last
    return name.removeprefix("torch.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--top", type=int, default=60)
    parser.add_argument("--missing", action="store_true", help="list what has neither a rule nor a reason")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    uses = count(options.folders)
    totals = collections.Counter(dict.fromkeys(("rule", "declared", "missing"), 0))
    spelled: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for name, times in uses.items():
        totals[coverage(name)] += times
        spelled[merged(name)][coverage(name)] += times
    names = collections.Counter({name: sum(kinds.values()) for name, kinds in spelled.items()})
    operators = totals["rule"] + totals["missing"]
    figures = {
        "names": len(names),
        "names_with_a_rule": sum(kinds["rule"] > 0 for kinds in spelled.values()),
        "uses": sum(totals.values()),
        **totals,
        "share_of_uses_with_a_rule": round(totals["rule"] / max(operators, 1), 4),
    }
    if options.json:
        print(json.dumps(figures | {"uses_of": dict(uses.most_common())}))
        return 1 if totals["missing"] else 0
    if options.missing:
        for name, times in uses.most_common():
            if coverage(name) == "missing":
                print(f"{times:6} {name}")
    else:
        for name, times in names.most_common(options.top):
            print(f"{times:6} {name:32} {', '.join(f'{kind} {n}' for kind, n in spelled[name].most_common())}")
    print(
        f"{figures['uses']} uses of {figures['names']} names (spellings merged): {totals['rule']} by a rule ({figures['names_with_a_rule']} names), "
        f"{totals['declared']} declared as not followed, {totals['missing']} missing.\n"
        f"Of the uses that are operators (not declared), {100 * figures['share_of_uses_with_a_rule']:.2f} % have a rule."
    )
    return 1 if totals["missing"] else 0


if __name__ == "__main__":
    sys.exit(main())
