"""Diagnostics: pushed or pulled, never both; for the newest version only; with settings, links and fixes."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_session import session
from lsprotocol import types as lsp

pytestmark = pytest.mark.asyncio

CRASH = "import torch\n\nq = torch.randn(4, 8, 32, 64)\nk = torch.randn(4, 8, 32, 64)\nscores = q @ k\n"
UNUSED = "x = 1  # qkv: ignore[shape-matmul]\n"


def codes(diagnostics: list[lsp.Diagnostic]) -> list[str]:
    """The codes of what was said."""
    return [str(diagnostic.code) for diagnostic in diagnostics]


async def test_pushed_to_a_client_that_cannot_pull() -> None:
    async with session() as client:
        assert client.capabilities.diagnostic_provider is None
        uri = client.open(CRASH)
        (found,) = await client.published(uri, 1)
        assert (found.code, found.severity, found.source) == ("shape-matmul", lsp.DiagnosticSeverity.Error, "qkv")
        assert found.range.start.line == 4
        client.replace(uri, 2, CRASH.replace("@ k", "@ k.transpose(-2, -1)"))
        assert await client.published(uri, 2) == []


async def test_only_the_newest_of_many_versions_is_pushed() -> None:
    async with session() as client:
        uri = client.open("")
        for version in range(2, 30):
            client.replace(uri, version, CRASH if version == 29 else "x = (\n")
        assert codes(await client.published(uri, 29)) == ["shape-matmul"]
        assert [params.version for params in client.told.published if params.version not in (1, 29)] == []


async def test_closing_takes_everything_back() -> None:
    async with session() as client:
        uri = client.open(UNUSED)
        assert codes(await client.published(uri, 1)) == ["unused-ignore"]
        client.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        assert await client.published(uri, None) == []


async def test_pulled_by_a_client_that_can_be_told_to_pull_again() -> None:
    async with session(pull=True) as client:
        assert client.capabilities.diagnostic_provider is not None
        uri = client.open(CRASH)
        report = await client.pull(uri)
        assert codes(report.items) == ["shape-matmul"]
        again = await client.pull(uri, report.result_id)
        assert again.kind == "unchanged" and again.result_id == report.result_id
        client.replace(uri, 2, UNUSED)
        assert codes((await client.pull(uri, report.result_id)).items) == ["unused-ignore"]
        assert client.told.published == []


async def test_settings_are_asked_for_per_document_and_changed_settings_count_at_once() -> None:
    async with session(pull=True, settings={"ignore": ["unused"]}) as client:
        uri = client.open(UNUSED)
        assert (await client.pull(uri)).items == ()
        client.client.set_configuration({"qkv": {"severity": {"unused-ignore": "warning"}}})
        before = client.client.diagnostic_refresh_count
        client.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
        (found,) = (await client.pull(uri)).items
        assert found.severity == lsp.DiagnosticSeverity.Warning
        assert client.client.diagnostic_refresh_count == before + 1


async def test_a_client_that_cannot_be_asked_gives_settings_at_the_start() -> None:
    async with session(configuration=False, pull=True, options={"settings": {"ignore": ["unused"]}}) as client:
        uri = client.open(UNUSED)
        assert (await client.pull(uri)).items == ()
        client.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({"qkv": {}}))
        assert codes((await client.pull(uri)).items) == ["unused-ignore"]


async def test_a_broken_project_file_is_said_once_and_the_defaults_are_used(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.qkv\n")
    async with session(pull=True) as client:
        for name in ("a.py", "b.py"):
            uri = client.open(UNUSED, (tmp_path / name).as_uri())
            assert codes((await client.pull(uri)).items) == ["unused-ignore"]
        assert [message.message for message in client.client.messages if "pyproject.toml" in message.message] != []
        assert len(client.client.messages) == 1


@pytest.mark.parametrize(
    ("options", "start"),
    [({"links": "command", "uriScheme": "code-oss"}, "code-oss://qkv.qkv/open?diagnostic:shape-matmul"), ({}, None)],
)
async def test_a_diagnostic_leads_to_its_page(options: dict[str, str], start: str | None) -> None:
    async with session(pull=True, options=options) as client:
        (found,) = (await client.pull(client.open(CRASH))).items
        link = found.code_description.href if found.code_description else None
        assert link == start or (start is None and link is not None and link.startswith("file:"))


async def test_the_quick_fix_mends_it() -> None:
    async with session(pull=True) as client:
        uri = client.open(CRASH)
        (found,) = (await client.pull(uri)).items
        actions = await client.actions(uri, found.range, found)
        (turn, ignore) = actions
        assert turn.is_preferred and turn.kind == lsp.CodeActionKind.QuickFix and turn.diagnostics == (found,)
        assert not ignore.is_preferred and ignore.title == "Ignore shape-matmul on this line"
        for version, action in enumerate(actions, 2):
            client.replace(uri, version, applied(CRASH, action, uri))
            assert (await client.pull(uri)).items == ()


def applied(text: str, action: lsp.CodeAction, uri: str) -> str:
    """A text of one-unit characters after an action's edits."""
    assert action.edit is not None and action.edit.changes is not None
    lines = text.split("\n")
    for edit in sorted(action.edit.changes[uri], key=lambda one: -one.range.start.character):
        line, start, end = edit.range.start.line, edit.range.start.character, edit.range.end.character
        lines[line] = lines[line][:start] + edit.new_text + lines[line][end:]
    return "\n".join(lines)


async def test_hints_lead_to_where_an_axis_got_its_name() -> None:
    text = "import torch\n\n\ndef heads(x: torch.Tensor):\n    B, T, C = x.shape\n    y = x.view(B, T, 8, C // 8)\n    return y\n"
    async with session() as client:
        uri = client.open(text)
        hints = await client.hints(uri)
        (hint,) = [hint for hint in hints if hint.position.line == 5]
        assert hint.position.character == 5
        label = [part for part in hint.label if isinstance(part, lsp.InlayHintLabelPart)]
        assert "".join(part.value for part in label) == ": (B, T, 8, C // 8)"
        (batch,) = [part for part in label if part.value == "B"]
        assert batch.location is not None and batch.location.uri == uri and batch.location.range.start.line == 4


async def test_a_cell_is_a_document_and_a_notebook_one_module() -> None:
    cells = {
        "vscode-notebook-cell:/w/a.ipynb#1": "%matplotlib inline\nimport torch\nq = torch.randn(4, 8, 32, 64)\n",
        "vscode-notebook-cell:/w/a.ipynb#2": "# the scores of *softmax*\n",
        "vscode-notebook-cell:/w/a.ipynb#3": "scores = q @ q\n",
    }
    first, prose, last = cells
    async with session(notebooks=True) as client:
        client.client.notebook_document_did_open(
            lsp.DidOpenNotebookDocumentParams(
                lsp.NotebookDocument(
                    "file:///w/a.ipynb",
                    "jupyter-notebook",
                    1,
                    [
                        lsp.NotebookCell(
                            lsp.NotebookCellKind.Markup if uri == prose else lsp.NotebookCellKind.Code, uri
                        )
                        for uri in cells
                    ],
                ),
                [
                    lsp.TextDocumentItem(uri, "markdown" if uri == prose else "python", 1, text)
                    for uri, text in cells.items()
                ],
            )
        )
        (found,) = await client.published(last)
        assert found.code == "shape-matmul" and found.range.start == lsp.Position(0, 9)
        assert await client.published(first) == []
        shown = await client.hover(prose, 0, 18)
        assert shown is not None
        edit = lsp.NotebookDocumentCellContentChanges(
            lsp.VersionedTextDocumentIdentifier(uri=last, version=2),
            [lsp.TextDocumentContentChangeWholeDocument("scores = q @ q.transpose(-2, -1)\n")],
        )
        client.client.notebook_document_did_change(
            lsp.DidChangeNotebookDocumentParams(
                lsp.VersionedNotebookDocumentIdentifier(2, "file:///w/a.ipynb"),
                lsp.NotebookDocumentChangeEvent(cells=lsp.NotebookDocumentCellChanges(text_content=[edit])),
            )
        )
        assert await client.published(last, 2) == []


async def test_a_saved_file_changes_what_is_said_about_the_files_that_import_it(tmp_path: Path) -> None:
    sizes = "import torch\n\ndef keys():\n    return torch.randn(4, 8, {})\n"
    use = "import torch\nfrom sizes import keys\n\nscores = torch.randn(4, 8, 64) @ keys()\n"
    (tmp_path / "sizes.py").write_text(sizes.format(32))
    async with session() as client:
        user = client.open(use, (tmp_path / "use.py").as_uri())
        assert codes(await client.published(user)) == ["shape-matmul"]
        helper = client.open(sizes.format(32), (tmp_path / "sizes.py").as_uri())
        client.replace(helper, 2, "import torch\n\ndef keys():\n    return torch.randn(4, 64, 8)\n")
        before = len(client.told.published)
        client.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(helper)))
        async with client.told.changed:
            await client.told.changed.wait_for(lambda: any(one.uri == user for one in client.told.published[before:]))
        assert await client.published(user) == []
