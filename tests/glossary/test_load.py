"""Reading a term's file: what is taken from it, and what is said about a broken one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qkv.content import content_folder
from qkv.glossary import TermError, load_glossary, read_term

FRONT = """---
id: sum
name: sum
also: [total, grand total]
code: {api: [torch.sum], identifiers: [total_sum]}
needs_attention_context: true
formula: '\\sum_i x_i'
formula_text: Σᵢ xᵢ
shape: (n,) → ()
see: [mean]
lesson: lesson:blend
---
"""
BODY = """
All numbers
added up. It is one number.

More about it.

```python
print(1 + 2)
```
"""


def test_a_term_is_read_from_yaml_and_markdown():
    term = read_term("glossary/sum.md", FRONT + BODY)
    assert (term.id, term.name, term.also, term.formula) == ("sum", "sum", ("total", "grand total"), r"\sum_i x_i")
    assert (term.code.api, term.code.identifiers) == (("torch.sum",), ("total_sum",))
    assert term.needs_attention_context and term.at_home_in == ("attention",) and term.prose
    assert term.definition == "All numbers added up. It is one number."
    assert (term.more, term.example) == ("More about it.", "print(1 + 2)\n")


def test_json_in_the_front_matter_is_read_alike():
    json_front = """---
id: "sum"
name: "sum"
also: ["total", "grand total"]
code: {"api": ["torch.sum"], "identifiers": ["total_sum"]}
needs_attention_context: true
formula: "\\\\sum_i x_i"
formula_text: "Σᵢ xᵢ"
shape: "(n,) → ()"
see: ["mean"]
lesson: "lesson:blend"
---
"""
    assert read_term("sum.md", json_front + BODY) == read_term("sum.md", FRONT + BODY)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("---\nid", "id", 1, "front matter"),
        ("lesson:blend\n---", "lesson:blend", 1, "no second line"),
        ("also: [total", "also: [[total", 5, "not YAML"),
        ("also: [total, grand total]", "also: total", 4, "a list of texts"),
        ("also: [total, grand total]", "also: [1]", 4, "a list of texts"),
        ("name: sum", "name:", 3, "a text is needed"),
        ("true", "maybe", 6, "true or false"),
        ("lesson:blend", "blend", 11, "lesson:causal-mask"),
        ("id: sum", "id: Sum", 2, "the file's name"),
        ("{api: [torch.sum], identifiers: [total_sum]}", "[torch.sum]", 5, "api"),
        ("see: [mean]", "sea: [mean]", 10, "no such key"),
        ("see: [mean]", "at_home_in: [physics]", 10, "attention, network, language"),
        ("```python", "```text", 12, "```python block"),
        ("All numbers\nadded up. It is one number.\n\nMore about it.\n", "", 12, "definition"),
    ],
)
def test_a_broken_file_says_where_and_why(old, new, line, says):
    text = (FRONT + BODY).replace(old, new, 1)
    assert text != FRONT + BODY
    with pytest.raises(TermError) as error:
        read_term("glossary/sum.md", text)
    assert error.value.problem.line == line
    assert says in error.value.problem.message
    assert str(error.value).startswith(f"glossary/sum.md:{line}:")


def test_a_broken_file_takes_no_other_term_with_it(tmp_path: Path):
    (tmp_path / "sum.md").write_text(FRONT + BODY, encoding="utf-8")
    (tmp_path / "broken.md").write_text("nothing", encoding="utf-8")
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "notes.txt").write_text("not a term", encoding="utf-8")
    glossary = load_glossary(tmp_path)
    assert list(glossary.terms) == ["sum"]
    assert [Path(problem.path).name for problem in glossary.problems] == ["binary.md", "broken.md"]


def test_the_shipped_glossary_needs_no_yaml_reader_and_nothing_heavy():
    """A cold `qkv hover` reads all of it; YAML would take a hundred times as long as JSON."""
    program = (
        "import sys; from pathlib import Path; from qkv.glossary import *; g = load_glossary(Path(sys.argv[1]));"
        "i = build_index(g); term_at(i, prepare('x.softmax(-1)', 'python'), 1, 4);"
        "print(*[m for m in ('ruamel.yaml', 'torch', 'pygls', 'lsprotocol', 'jedi', 'markdown_it') if m in sys.modules])"
    )
    folder = str(content_folder("glossary"))
    answer = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == ""
