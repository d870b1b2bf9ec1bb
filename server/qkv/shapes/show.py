"""Sizes as text: a Python expression of names and integers, in the user's own names."""

from __future__ import annotations

from qkv.shapes.dim import Atom, Dim, Expr, Kind, Quotient, Symbol, of, polynomial, rational


def show(dim: Dim, names: dict[Dim, str] | None = None) -> str:
    """A size as a Python expression of names and integers; `?` where a part has no name.

    `names` holds the user's own names for whole expressions (`hs` for `C // n_head`) and for single sizes.
    """
    names = names or {}
    if isinstance(dim, int):
        return str(dim)
    if dim in names:
        return names[dim]
    text = _show_rational(dim, names) or _show_exact(dim, names)
    return "?" if "?" in text else text


def _show_rational(dim: Expr, names: dict[Dim, str]) -> str | None:
    """The rational form, where it reads as a polynomial or as one quotient."""
    form = rational(dim)
    whole = all(value.denominator == 1 and all(p > 0 for _, p in monomial) for monomial, value in form.items())
    if whole:
        terms = {monomial: int(value) for monomial, value in form.items()}
        made = polynomial(terms)
        return names.get(made) or (str(made) if isinstance(made, int) else _show_exact(made, names))
    if len(form) != 1:
        return None
    monomial, value = next(iter(form.items()))
    above = polynomial({tuple((a, p) for a, p in monomial if p > 0): value.numerator})
    below = polynomial({tuple((a, -p) for a, p in monomial if p < 0): value.denominator})
    whole_quotient = of(Quotient(above, below))
    if whole_quotient in names:
        return names[whole_quotient]
    if isinstance(above, int) and isinstance(below, int):
        return None  # all names cancel out: `b // 2 // b` is not the number 1 // 2
    left, right = show(above, names), show(below, names)
    if isinstance(below, Expr) and ("*" in right or "//" in right or len(below.terms) > 1):
        right = f"({right})"
    if isinstance(above, Expr) and len(above.terms) > 1:
        left = f"({left})"
    return f"{left} // {right}"


def _show_exact(dim: Expr, names: dict[Dim, str]) -> str:
    parts: list[str] = []
    ordered = sorted(dim.terms, key=lambda term: term[1] < 0)
    for monomial, factor in ordered:
        factors = [
            _show_atom(
                atom, names, len(monomial) > 1 or count > 1 or factor not in (1, -1) or (factor < 0 and not parts)
            )
            for atom, count in monomial
            for _ in range(count)
        ]
        if abs(factor) != 1 or not factors:
            factors.insert(0, str(abs(factor)))
        text = " * ".join(factors)
        if not parts:
            parts.append(f"-{text}" if factor < 0 else text)
        else:
            parts.append(f"- {text}" if factor < 0 else f"+ {text}")
    return " ".join(parts)


def _show_atom(atom: Atom, names: dict[Dim, str], inside: bool) -> str:
    alias = names.get(of(atom))
    if alias is not None:
        return alias
    if isinstance(atom, Symbol):
        return atom.name if atom.kind is not Kind.FRESH and atom.name else "?"
    left, right = show(atom.numerator, names), show(atom.denominator, names)
    if isinstance(atom.numerator, Expr) and (" " in left):
        left = f"({left})"
    if " " in right:
        right = f"({right})"
    text = f"{left} {'//' if isinstance(atom, Quotient) else '%'} {right}"
    return f"({text})" if inside else text
