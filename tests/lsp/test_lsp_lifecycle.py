"""How a server begins, lives on and ends: exit codes, dead clients, cancelled requests, crashes, hostile folders."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from lsp_session import SERVER, TIMEOUT, session
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from qkv import __version__


def patched(code: str) -> tuple[str, ...]:
    """A server process in which something was replaced before it started."""
    return (sys.executable, "-c", f"{dedent(code)}\nimport sys\nfrom qkv.cli import main\nsys.exit(main(['lsp']))\n")


def message(method: str, params: Any, number: int | None = None) -> bytes:
    """A message as it goes over the wire."""
    body = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number is not None else {})
    content = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(content), content)


START = message("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1) + message("initialized", {})


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (START + message("shutdown", None, 2) + message("exit", None), 0),
        (START + message("exit", None), 1),
        (START, 1),
        (b"", 1),
        (b"Content-Length: 5\r\n\r\n{{{{{" + START + message("shutdown", None, 2) + message("exit", None), 0),
    ],
    ids=["shutdown and exit", "exit alone", "the stream ends", "nothing at all", "nonsense first"],
)
def test_exit_codes_and_nothing_but_the_protocol_on_standard_output(said: bytes, code: int) -> None:
    ended = subprocess.run(SERVER, input=said, capture_output=True, timeout=TIMEOUT, check=False)
    assert ended.returncode == code, ended.stderr.decode()
    for part in ended.stdout.split(b"Content-Length: ")[1:]:
        length, _, rest = part.partition(b"\r\n")
        assert len(rest.partition(b"\r\n\r\n")[2]) == int(length)


def test_it_ends_when_the_process_that_started_it_is_gone() -> None:
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    start = message("initialize", {"processId": int(dead.stdout), "rootUri": None, "capabilities": {}}, 1)
    server = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert server.stdin is not None
    server.stdin.write(start)
    server.stdin.flush()
    assert server.wait(TIMEOUT) == 1
    server.stdin.close()


def test_the_version() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "qkv", "lsp", "--version"], capture_output=True, text=True, check=True
    )
    assert ended.stdout == f"qkv {__version__}\n"


@pytest.mark.parametrize("address", ["8000", "here:port", "127.0.0.1:99999"])
def test_an_address_that_is_none_is_said(address: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "qkv", "lsp", "--tcp", address], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2 and "HOST:PORT" in ended.stderr and "Traceback" not in ended.stderr


@pytest.mark.asyncio
async def test_over_a_socket() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "qkv", "lsp", "--tcp", "127.0.0.1:0", stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    said = await asyncio.wait_for(process.stderr.readline(), TIMEOUT)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(said.rsplit(b":", 1)[1]))
    writer.write(START + message("shutdown", None, 2) + message("exit", None))
    answer = await asyncio.wait_for(reader.read(), TIMEOUT)
    assert b'"name": "qkv"' in answer
    writer.close()
    assert await asyncio.wait_for(process.wait(), TIMEOUT) == 0


@pytest.mark.asyncio
async def test_a_crash_in_one_feature_is_logged_and_answers_null_and_the_rest_works() -> None:
    crash = """
        import qkv.lsp.hover
        def crash(*_):
            raise RuntimeError("crashed on purpose")
        qkv.lsp.hover.hover_at = crash
    """
    async with session(command=patched(crash), pull=True) as client:
        uri = client.open("x = softmax(y)  # qkv: ignore[shape-axis]\n")
        assert await client.hover(uri, 0, 5) is None
        assert len((await client.pull(uri)).items) == 1
        logged = [one.message for one in client.client.log_messages if one.type == lsp.MessageType.Error]
        assert len(logged) == 1 and "crashed on purpose" in logged[0] and "textDocument/hover" in logged[0]


ENDLESS = """
    import threading
    import qkv.lsp.analyses as analyses
    take = analyses.take_snapshot
    def endless(path, text, *, cancelled, **more):
        while "for ever" in text and not cancelled():
            threading.Event().wait(0.001)
        return take(path, text, cancelled=cancelled, **more)
    analyses.take_snapshot = endless
"""


@pytest.mark.asyncio
async def test_a_cancelled_request_stops_the_work_that_it_asked_for() -> None:
    async with session(command=patched(ENDLESS), pull=True) as client:
        uri = client.open("# for ever\n", "file:///workspace/a.py")
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(0, 0))
        asked = client.client.protocol.send_request("textDocument/hover", params, msg_id="slow")
        client.client.cancel_request(lsp.CancelParams("slow"))
        with pytest.raises(JsonRpcException) as refused:
            await asyncio.wait_for(asyncio.wrap_future(asked), TIMEOUT)
        assert refused.value.code == lsp.LSPErrorCodes.RequestCancelled
        # There is one analysis at a time: this one would wait for the other for ever.
        assert await client.hover(client.open("w = softmax(x)\n", "file:///workspace/b.py"), 0, 5) is not None


@pytest.mark.asyncio
async def test_a_newer_text_stops_the_analysis_of_the_older_one() -> None:
    async with session(command=patched(ENDLESS), pull=True) as client:
        uri = client.open("# for ever\n")
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(0, 5))
        asked = client.client.text_document_hover_async(params)
        client.replace(uri, 2, "w = softmax(x)\n")
        assert await asyncio.wait_for(asked, TIMEOUT) is not None


@pytest.mark.asyncio
async def test_whoever_prints_does_not_disturb_the_protocol() -> None:
    noisy = """
        import os
        import qkv.lsp.hover as hover
        shown = hover.hover_at
        def noisy(*arguments):
            print("noise from Python")
            os.system("echo noise from a child process")
            return shown(*arguments)
        hover.hover_at = noisy
    """
    async with session(command=patched(noisy)) as client:
        uri = client.open("w = softmax(x)\n")
        assert await client.hover(uri, 0, 5) is not None


@pytest.mark.asyncio
async def test_a_folder_that_is_a_trap_is_read_and_nothing_in_it_runs(tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    trap = f"#!/bin/sh\necho ran > '{mark}'\n"
    bin_folder = tmp_path / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    for name in ("python", "python3", "activate"):
        (bin_folder / name).write_text(trap)
        (bin_folder / name).chmod(0o755)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.0\n")
    packages = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "trap.pth").write_text(f"import os; open({str(mark)!r}, 'w').close()\n")
    for name in ("helper", "sitecustomize", "conftest", "torch"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    text = "import torch\nimport helper\nfrom helper import thing\n\nw = thing(torch.ones(2)).softmax(-1)\n"
    env = {**os.environ, "VIRTUAL_ENV": str(tmp_path / ".venv"), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    async with session(pull=True, folder=tmp_path.as_uri(), env=env) as client:
        uri = client.open(text, (tmp_path / "model.py").as_uri())
        assert await client.hover(uri, 4, 27) is not None
        await client.pull(uri)
        await client.hints(uri)
        await client.hover(uri, 1, 9)
    assert not mark.exists()
