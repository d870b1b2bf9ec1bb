"""`textDocument/codeAction`: quick fixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from qkv.ide.diagnostics import Diagnostic, diagnostics
from qkv.ide.edits import Fix
from qkv.ide.fixes import can_ignore, ignore_line
from qkv.ide.snapshot import Snapshot
from qkv.lsp.diagnostics import convert
from qkv.lsp.documents import Unit

if TYPE_CHECKING:
    from qkv.lsp.server import Server

OPTIONS = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])


async def code_actions(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    """The quick fixes of all diagnostics that touch the range, the safe ones first."""
    only = params.context.only
    if not ls.client.literal_actions or (only and not any(_asks_for_fixes(kind) for kind in only)):
        return None
    current = await ls.current(params.text_document.uri)
    if current is None:
        return None
    unit, snapshot = current
    actions: list[lsp.CodeAction] = []
    for diagnostic in diagnostics(snapshot):
        uri, shown = convert(ls, unit, diagnostic)
        if uri == params.text_document.uri and _touch(shown.range, params.range):
            actions += _actions(ls, unit, snapshot, diagnostic, _as_sent(shown, params.context.diagnostics))
    return sorted(actions, key=lambda action: not action.is_preferred)


def _asks_for_fixes(kind: lsp.CodeActionKind | str) -> bool:
    wanted = str(getattr(kind, "value", kind))
    return wanted == "" or wanted == "quickfix" or wanted.startswith("quickfix.")


def _touch(a: lsp.Range, b: lsp.Range) -> bool:
    def key(position: lsp.Position) -> tuple[int, int]:
        return position.line, position.character

    return key(a.start) <= key(b.end) and key(b.start) <= key(a.end)


def _as_sent(shown: lsp.Diagnostic, sent: Sequence[lsp.Diagnostic]) -> lsp.Diagnostic:
    """The client's own copy of a diagnostic, so that it knows what the action mends."""
    return next((one for one in sent if one.code == shown.code and one.range == shown.range), shown)


def _actions(
    ls: Server, unit: Unit, snapshot: Snapshot, diagnostic: Diagnostic, shown: lsp.Diagnostic
) -> list[lsp.CodeAction]:
    actions = [_action(ls, unit, fix, shown, preferred=fix.safe) for fix in diagnostic.fixes]
    line = _module_line(snapshot, diagnostic)
    if diagnostic.severity in ("error", "warning") and line is not None and can_ignore(snapshot.source, line):
        actions.append(_action(ls, unit, ignore_line(snapshot, line, diagnostic.code), shown, preferred=False))
    return actions


def _module_line(snapshot: Snapshot, diagnostic: Diagnostic) -> int | None:
    """The line of the module at whose end an ignore comment would go: the finding's last one."""
    line = diagnostic.span.end_line
    return snapshot.cells.line_at(diagnostic.cell or 0, line) if snapshot.cells else line


def _action(ls: Server, unit: Unit, fix: Fix, shown: lsp.Diagnostic, *, preferred: bool) -> lsp.CodeAction:
    return lsp.CodeAction(
        fix.title,
        lsp.CodeActionKind.QuickFix,
        diagnostics=[shown],
        is_preferred=True if preferred and ls.client.preferred_actions else None,
        edit=_workspace_edit(ls, unit, fix),
    )


def _workspace_edit(ls: Server, unit: Unit, fix: Fix) -> lsp.WorkspaceEdit:
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in fix.edits:
        uri, where = unit.place_in_cell(edit.cell, edit.span, ls.client.encoding)
        changes.setdefault(uri, []).append(lsp.TextEdit(where, edit.text))
    if not ls.client.document_changes:
        return lsp.WorkspaceEdit(changes=changes)
    versions = {document.uri: document.version for document in unit.documents}
    return lsp.WorkspaceEdit(
        document_changes=[
            lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, versions.get(uri)), edits)
            for uri, edits in changes.items()
        ]
    )
