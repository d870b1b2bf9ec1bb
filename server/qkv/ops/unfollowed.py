"""Names of torch that have no rule on purpose, each with the reason that a hover shows."""

from __future__ import annotations

NOT_TENSORS = "it gives no tensor whose shape could be followed"
REASONS = {
    "torch.load": "it comes from a file",
}
PREFIXES = {
    "torch.optim": "optimisers are not followed",
}


def reason(name: str) -> str | None:
    """Why a qualified name has no rule; None where it has one, or where nobody has said why."""
    if name in REASONS:
        return REASONS[name]
    return next((why for prefix, why in PREFIXES.items() if name == prefix or name.startswith(f"{prefix}.")), None)
