"""qkv: shapes, a glossary and a course for attention code in PyTorch."""

__version__ = "0.1.0"
