"""`qkv/…` requests about the course and the glossary, in a learner's folder of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsp_session import Session, session

pytestmark = pytest.mark.asyncio
PART = "multi-head-attention"


@asynccontextmanager
async def course(home: Path) -> AsyncIterator[Session]:
    """A session with a learner's folder, and this Python to run answers with."""
    async with session(settings={"interpreter": sys.executable}, env={**os.environ, "QKV_HOME": str(home)}) as client:
        yield client


async def test_the_list_and_a_part(tmp_path: Path) -> None:
    async with course(tmp_path) as client:
        listed = await client.request("qkv/course", {})
        assert listed["version"] == 1 and PART in [part["id"] for part in listed["parts"]]
        part = await client.request("qkv/lesson", {"part": PART})
        assert part["id"] == PART and part["sections"] and len(part["quiz"]) == 5
        section = part["sections"][0]["id"]
        await client.request("qkv/markRead", {"part": PART, "section": section})
        assert ("qkv/progressChanged", {}) in client.told.notified
        again = await client.request("qkv/lesson", {"part": PART})
        assert again["sections"][0]["read"] is True


async def test_a_question_and_its_notes(tmp_path: Path) -> None:
    async with course(tmp_path) as client:
        quiz = (await client.request("qkv/lesson", {"part": PART}))["quiz"]
        answer = await client.request("qkv/answer", {"part": PART, "question": quiz[0]["id"], "chosen": [0]})
        assert set(answer) == {"right", "notes", "answered", "rightCount", "state"}
        assert answer["answered"] == 1 and answer["notes"][0]["option"] == 0


async def test_an_exercise_from_its_draft_to_its_check(tmp_path: Path) -> None:
    async with course(tmp_path) as client:
        opened = await client.request("qkv/openExercise", {"exercise": "split_heads"})
        assert opened["created"] and Path(opened["file"]).is_relative_to(tmp_path)
        uri = client.open(
            "def split_heads(x, h):\n    B, n, d = x.shape\n    return x.view(B, h, n, d // h)\n",
            Path(opened["file"]).as_uri(),
        )
        checked = await client.request("qkv/checkExercise", {"exercise": "split_heads"})
        assert (checked["status"], checked["feedback"]["kind"], checked["feedback"]["key"]) == (
            "wrong",
            "known",
            "view_straight",
        )
        right = "def split_heads(x, h):\n    B, n, d = x.shape\n    return x.view(B, n, h, d // h).transpose(1, 2)\n"
        client.replace(uri, 2, right)
        checked = await client.request("qkv/checkExercise", {"exercise": "split_heads"})
        assert checked["status"] == "passed", checked
        hints = await client.request("qkv/hint", {"exercise": "split_heads"})
        assert hints["shown"] == 1
        assert "def split_heads" in (await client.request("qkv/solution", {"exercise": "split_heads"}))["code"]
        reset = await client.request("qkv/resetExercise", {"exercise": "split_heads"})
        assert reset["reset"][0]["exercise"] == "split_heads"


async def test_a_cell_runs(tmp_path: Path) -> None:
    async with course(tmp_path) as client:
        sections = (await client.request("qkv/lesson", {"part": PART}))["sections"]
        cells = [block["id"] for section in sections for block in section["blocks"] if block["kind"] == "cell"]
        answer = await client.request("qkv/run", {"id": "a", "part": PART, "cell": cells[0], "code": "print(6 * 7)\n"})
        assert (answer["status"], answer["stdout"]) == ("finished", "42\n"), answer
        assert answer["path"] == f"{PART}/{cells[0]}"


async def test_the_vocabulary(tmp_path: Path) -> None:
    async with course(tmp_path) as client:
        terms = (await client.request("qkv/vocabulary", {}))["terms"]
        assert "causal-mask" in [term["id"] for term in terms]
        term = await client.request("qkv/term", {"id": "causal-mask"})
        assert term["name"] == "causal mask" and term["blocks"]


async def test_what_does_not_exist_is_a_sentence(tmp_path: Path) -> None:
    async with course(tmp_path) as client:
        for method, params in [
            ("qkv/lesson", {"part": "nowhere"}),
            ("qkv/lesson", {}),
            ("qkv/term", {"id": "nothing"}),
            ("qkv/openExercise", {"exercise": "nothing"}),
            ("qkv/answer", {"part": PART, "question": "nothing", "chosen": [0]}),
            ("qkv/run", {"id": "a", "part": PART, "cell": "nothing"}),
        ]:
            with pytest.raises(Exception, match=r"no|missing"):
                await client.request(method, params)
