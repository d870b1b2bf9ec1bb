"""The text of the pages, one module a family of codes."""
