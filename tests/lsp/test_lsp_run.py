"""`qkv/run`, `qkv/stop` and `qkv/status`."""

from __future__ import annotations

import asyncio
import sys

import pytest
from lsp_session import TIMEOUT, session

pytestmark = pytest.mark.asyncio
SETTINGS = {"interpreter": sys.executable}


async def test_output_comes_while_it_runs_and_the_answer_at_the_end() -> None:
    async with session(settings=SETTINGS) as client:
        uri = client.open("import sys\nprint('out', __name__)\nprint('err', file=sys.stderr)\n")
        answer = await client.request("qkv/run", {"id": "a", "uri": uri})
        assert (answer["status"], answer["exit_code"], answer["path"]) == ("finished", 0, "/workspace/model.py")
        assert (answer["stdout"], answer["stderr"]) == ("out __main__\n", "err\n")
        told = [params for method, params in client.told.notified if method == "qkv/output"]
        assert {one["id"] for one in told} == {"a"}
        for stream in ("stdout", "stderr"):
            assert "".join(one["text"] for one in told if one["stream"] == stream) == answer[stream]


async def test_code_may_be_given_instead_of_the_file() -> None:
    async with session(settings=SETTINGS) as client:
        answer = await client.request("qkv/run", {"id": "a", "uri": "file:///nowhere/x.py", "code": "1 / 0\n"})
        assert answer["status"] == "failed" and answer["error"]["type"] == "ZeroDivisionError"


async def test_stop_ends_what_would_never_end_and_keeps_its_output() -> None:
    async with session(settings=SETTINGS) as client:
        code = "print('begun', flush=True)\nwhile True: pass\n"
        running = asyncio.ensure_future(client.request("qkv/run", {"id": "a", "uri": "file:///x.py", "code": code}))
        async with client.told.changed:
            await asyncio.wait_for(client.told.changed.wait_for(lambda: client.told.notified), TIMEOUT)
        assert await client.request("qkv/stop", {"id": "a"}) == {"stopped": True}
        answer = await running
        assert (answer["status"], answer["stdout"]) == ("stopped", "begun\n")
        assert await client.request("qkv/stop", {"id": "a"}) == {"stopped": False}


async def test_an_interpreter_that_is_not_there_is_a_sentence_and_no_failure() -> None:
    async with session(settings={"interpreter": "/nowhere/python"}) as client:
        answer = await client.request("qkv/run", {"id": "a", "uri": "file:///x.py", "code": ""})
        assert answer["status"] == "not-started" and "/nowhere/python" in answer["reason"]
        status = await client.request("qkv/status", {})
        assert status["interpreter"] is None and "/nowhere/python" in status["problems"][0]["what"]


async def test_status_names_both_pythons() -> None:
    async with session(settings=SETTINGS) as client:
        status = await client.request("qkv/status", {})
        assert set(status) == {"version", "python", "interpreter", "problems"}
        assert status["interpreter"]["path"] == sys.executable


async def test_a_request_that_asks_for_nothing_is_an_error_with_a_sentence() -> None:
    async with session(settings=SETTINGS) as client:
        with pytest.raises(Exception, match="'id' is missing"):
            await client.request("qkv/run", {})
        with pytest.raises(Exception, match="cannot be read"):
            await client.request("qkv/run", {"id": "a", "uri": "file:///nowhere/x.py"})
