"""Walk Python with abstract values; yield facts and findings."""

from qkv.interp.facts import Analysis, Axis, Fact, Finding, MaskUse, Named, Operand, Operation, Reason, Seen

__all__ = ["Analysis", "Axis", "Fact", "Finding", "MaskUse", "Named", "Operand", "Operation", "Reason", "Seen"]
