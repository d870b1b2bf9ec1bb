"""Formulas as trees of MathML elements, from which a client builds nodes without parsing HTML."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree


@lru_cache(maxsize=4096)
def mathml(tex: str, display: bool = False) -> Any:
    """A formula in TeX as `{tag, attributes, children}`. A formula that cannot be read becomes its own text."""
    from latex2mathml.converter import convert

    try:
        return _element(ElementTree.fromstring(convert(tex, display="block" if display else "inline")))
    except Exception:  # the library raises errors of many kinds for a formula that it does not know
        return {"tag": "math", "attributes": {}, "children": [{"tag": "mtext", "attributes": {}, "children": [tex]}]}


def is_readable(tex: str) -> bool:
    """Whether a formula in TeX is shown as one, and not as its source: a command that is not known would stay what it is."""
    tree = mathml(tex)
    return tree["children"][0]["tag"] != "mtext" and not any(text.startswith("\\") for text in _texts(tree))


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
        return
    for child in node["children"]:
        yield from _texts(child)


def _element(node: ElementTree.Element) -> dict[str, Any]:
    children: list[Any] = [node.text] if node.text else []
    for child in node:
        children.append(_element(child))
        if child.tail:
            children.append(child.tail)
    return {"tag": node.tag.split("}")[-1], "attributes": dict(node.attrib), "children": children}
