"""The language server: the only folder that knows the protocol. Conversion here, answers in `ide`."""
