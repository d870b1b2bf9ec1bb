"""What `term_at` returns beside the term, what an analysis may tell it, and that no text makes it raise."""

from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from qkv.glossary import Known, prepare, term_at
from qkv.source import Span


def test_the_span_is_the_part_of_the_identifier_that_names_the_term(index):
    page = prepare("self.q_proj = nn.Linear(d, d)", "python")
    assert term_at(index, page, 1, 9).span == Span(1, 8, 1, 12)
    assert term_at(index, page, 1, 9).term.name == "projection"


def test_a_place_that_says_nothing_takes_the_whole_identifier(index):
    page = prepare("class Attention(nn.Module):\n    def __init__(self, n_heads): ...", "python")
    assert term_at(index, page, 2, 24).span == Span(2, 24, 2, 31)


def test_a_term_may_run_over_the_end_of_a_line(index):
    match = term_at(index, prepare("Here is the residual\nstream of a model.", "markdown"), 2, 3)
    assert (match.term.id, match.span) == ("residual-stream", Span(1, 13, 2, 7))


def test_columns_count_code_points(index):
    assert term_at(index, prepare('s = "😋"; w = q.softmax(-1)', "python"), 1, 16).span == Span(1, 16, 1, 23)


def test_an_analysis_can_say_that_it_is_attention_code(index):
    page = prepare("def mix(query, other):\n    return query + other\n", "python")
    assert term_at(index, page, 1, 10) is None
    assert term_at(index, page, 1, 10, Known(is_attention=True)).term.id == "query"


def test_an_analysis_can_say_that_it_is_not(index):
    page = prepare("class Attention(nn.Module):\n    def forward(self, query): ...", "python")
    assert term_at(index, page, 2, 25).term.id == "query"
    assert term_at(index, page, 2, 25, Known(is_attention=False)) is None


def test_a_name_that_holds_no_tensor_is_no_query(index):
    page = prepare("class Attention(nn.Module):\n    def forward(self, query): ...", "python")
    assert term_at(index, page, 2, 25, Known(is_tensor=False)) is None


def test_positions_outside_the_text_name_nothing(index):
    for language in ("python", "markdown"):
        page = prepare("softmax\n", language)
        for line, column in ((0, 1), (1, 0), (1, 8), (2, 1), (3, 1), (1, 999), (-1, -1)):
            assert term_at(index, page, line, column) is None


PIECES = st.sampled_from(
    [
        *(
            '"',
            "'",
            '"""',
            "'''",
            "#",
            "\n",
            "\r\n",
            "\\",
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            ":",
            "`",
            "```",
            "~~~",
            ":::",
            "$",
            "|",
            "---",
            "\t",
            "  ",
        ),
        *(
            "softmax",
            "key",
            "value",
            "q",
            "k",
            "head",
            "causal mask",
            "F.",
            "nn.",
            "import ",
            "from torch import ",
            "def f(",
            "class A:",
            "for k in ",
        ),
        *(
            'f"',
            "f'{",
            "self.",
            "attn_weights",
            'float("-inf")',
            "@",
            "=",
            "http://a/b",
            "token",
            "\x00",
            "\ufeff",
            "😋",
            "𝑄",
            "\x0c",
            "\u2028",
            "é",
        ),
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    pieces=st.lists(PIECES, max_size=40), language=st.sampled_from(["python", "markdown"]), seed=st.integers(0, 2**16)
)
def test_no_half_typed_text_makes_it_raise(index, pieces, language, seed):
    text = "".join(pieces)
    page = prepare(text, language)
    chosen = random.Random(seed)
    lines = text.split("\n")
    for _ in range(8):
        line = chosen.randrange(len(lines))
        match = term_at(index, page, line + 1, chosen.randrange(len(lines[line]) + 2))
        assert match is None or match.span.line <= line + 1 <= match.span.end_line


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=200), language=st.sampled_from(["python", "markdown"]))
def test_no_text_at_all_makes_it_raise(index, text, language):
    page = prepare(text, language)
    for number, line in enumerate(text.split("\n"), 1):
        for column in range(1, len(line) + 2, 7):
            term_at(index, page, number, column)


def test_every_prefix_of_a_file_can_be_asked(index):
    text = 'def attend(q, k, v):\n    """Mix the values."""\n    w = F.softmax(q @ k.mT, dim=-1)\n    return f"{w @ v!r:>{8}}"\n'
    for end in range(len(text)):
        page = prepare(text[:end], "python")
        for number, line in enumerate(text[:end].split("\n"), 1):
            term_at(index, page, number, max(1, len(line)))


def test_a_long_file_is_asked_in_little_time(index):
    """Bounds on the processor's time, far above what is measured, to catch a quadratic step."""
    block = (
        'class Block{0}(nn.Module):\n    """Attention and a feed-forward network."""\n    def forward(self, q, k, v):\n'
        + ("        scores = q @ k.transpose(-2, -1)  # every query meets every key\n" * 17)
    )
    text = "import torch\nfrom torch import nn\n" + "".join(block.format(number) for number in range(100))
    assert text.count("\n") >= 2000
    started = time.thread_time()
    for line in (3, 1000, 1999):
        page = prepare(text, "python")
        assert term_at(index, page, line // 20 * 20 + 8, 9).term.name == "score matrix"
    assert time.thread_time() - started < 0.6
