"""What rules give for sizes that have names and for tensors of unknown rank, and what they refuse: the specification in short lines."""

from __future__ import annotations

import pytest
import torch

from qkv.ops import RULES, Mismatch
from qkv.shapes import Truth
from tests.ops.support import accepts, parts_named, refusal, result_of, shape_of

# -- products ----------------------------------------------------------------------------------------------------------------


def test_scores_are_queries_by_keys() -> None:
    assert shape_of("q @ k.transpose(-2, -1)", q="B H T d", k="B H S d") == "B H T S"


def test_a_forgotten_transpose_works_only_by_coincidence() -> None:
    finding = refusal("x.view(B, T, H, d); q @ q", x="B T H d", q="B H T d")
    assert (finding.code, finding.truth, finding.fix, finding.at) == (
        "shape-matmul",
        Truth.SOMETIMES,
        "transpose-last-two",
        "other",
    )


def test_a_forgotten_transpose_is_an_error_with_numbers() -> None:
    finding = refusal("q @ k", q="4 8 32 64", k="4 8 32 64")
    assert (finding.code, finding.truth, finding.fix) == ("shape-matmul", Truth.NEVER, "transpose-last-two")
    assert "transpose(-2, -1)" in (finding.hint or "")


def test_no_transpose_is_offered_where_none_would_help() -> None:
    assert refusal("q @ k", q="4 32 64", k="4 48 16").fix is None


def test_the_batch_of_a_product_is_stretched() -> None:
    assert shape_of("a @ b", a="B 1 T d", b="HEADS d n") == "B HEADS T n"


def test_a_matrix_of_unknown_rank_gives_what_it_can() -> None:
    assert shape_of("x @ w", x="...", w="C D") == "... ? D"


def test_a_number_is_no_matrix() -> None:
    assert refusal("x @ y", x="", y="3 4").code == "shape-matmul"


def test_bmm_learns_that_there_are_three_axes() -> None:
    assert shape_of("torch.bmm(x, y)", x="...", y="... n") == "? ? n"


def test_bmm_refuses_four_axes() -> None:
    assert refusal("torch.bmm(x, y)", x="2 3 4 5", y="2 3 5 6").parts["rank"] == 4


def test_kinds_of_numbers_are_not_mixed_in_a_product() -> None:
    assert refusal("x @ y", x="3 4", y="float64:4 5").code == "dtype-mismatch"


# -- broadcasting ------------------------------------------------------------------------------------------------------------


def test_the_smaller_shape_is_stretched() -> None:
    assert shape_of("x + b", x="B T C", b="C") == "B T C"


def test_a_residual_of_unknown_rank_keeps_its_prefix() -> None:
    assert shape_of("x + x * 2", x="... C") == "... C"


def test_an_inputs_size_may_be_one_so_nothing_is_learnt() -> None:
    assert shape_of("x + y", x="B T C", y="b t c") == "? ? ?"


def test_the_other_side_stands_where_it_is_certain() -> None:
    assert shape_of("x + y", x="B T C", y="T 512") == "B T 512"
    assert shape_of("x + y", x="B T C", y="T DIM") == "B T DIM"


def test_two_settings_are_a_contract() -> None:
    assert shape_of("x + y", x="B DIM", y="B WIDTH") in ("B WIDTH", "B DIM")


def test_sizes_that_the_author_holds_apart_do_not_meet() -> None:
    """A padding mask (B, T) lined up with scores (B, H, T, T): B meets T."""
    finding = refusal("scores.view(B, H, T, T); scores + mask", scores="B H T T", mask="B T")
    assert (finding.code, finding.truth) == ("shape-broadcast", Truth.SOMETIMES)


def test_numbers_that_do_not_fit_are_an_error_that_says_what_to_do() -> None:
    finding = refusal("scores + mask", scores="4 8 32 32", mask="4 32")
    assert (finding.code, finding.parts["left"], finding.parts["right"]) == ("shape-broadcast", 32, 4)
    assert "unsqueeze" in (finding.hint or "")


def test_one_more_is_never_the_same() -> None:
    assert refusal("x[:, 1:] + x", x="B T").truth is Truth.NEVER


def test_an_unknown_mask_is_no_larger_than_the_scores() -> None:
    assert shape_of("scores.masked_fill(mask, 0)", scores="B H T S", mask="bool:...") == "B H T S"
    assert shape_of("scores + mask", scores="B H T S", mask="...") == "B H T S"


def test_a_known_bias_says_little_of_unknown_scores() -> None:
    assert shape_of("scores + bias", scores="...", bias="HEADS T T") == "... HEADS ? ?"


def test_in_place_nothing_grows() -> None:
    assert refusal("x += y; x", x="3", y="2 3").code == "shape-broadcast"
    assert shape_of("x += y; x", x="B T C", y="...") == "B T C"


# -- views -------------------------------------------------------------------------------------------------------------------


def test_heads_are_split_and_the_product_of_sizes_stays() -> None:
    assert shape_of("x.view(B, T, HEADS, d)", x="B T C", _="HEADS d") == "B T HEADS d"


def test_what_is_left_is_worked_out() -> None:
    assert shape_of("x.view(B, T, HEADS, -1)", x="B T C", _="HEADS") == "B T HEADS C//HEADS"
    assert shape_of("x.view(B, -1, C)", x="B H W C") == "B H*W C"
    assert shape_of("x.reshape(B * T, -1)", x="B T H d") == "B*T H*d"


def test_heads_are_merged_again() -> None:
    assert (
        shape_of(
            "x.view(B, T, HEADS, C // HEADS).transpose(1, 2).transpose(1, 2).reshape(B, T, C)", x="B T C", _="HEADS"
        )
        == "B T C"
    )


def test_a_view_after_a_transpose_needs_a_copy() -> None:
    finding = refusal("x.transpose(1, 2).view(B, T, H * d)", x="B H T d")
    assert (finding.code, finding.fix, finding.at) == ("shape-view-stride", "reshape", "input")


def test_contiguous_makes_it_viewable() -> None:
    assert shape_of("x.transpose(1, 2).contiguous().view(B, T, H * d)", x="B H T d") == "B T H*d"


def test_splitting_an_axis_after_a_transpose_needs_none() -> None:
    assert shape_of("x.transpose(0, 1).view(T, B, 3, 4)", x="B T 12") == "T B 3 4"


def test_numbers_that_do_not_multiply_out() -> None:
    finding = refusal("x.view(2, 10, 8, 32)", x="2 10 512")
    assert (finding.code, finding.parts["left"], finding.parts["right"]) == ("shape-view", 10240, 5120)


def test_heads_that_do_not_divide_the_width() -> None:
    assert refusal("x.view(B, T, 12, d)", x="B T 64", _="d").code == "shape-view"


def test_a_prefix_that_both_share_is_left_alone() -> None:
    assert shape_of("x.view(*x.shape[:-1], 8, 64)", x="2 5 512") == "2 5 8 64"


def test_merging_the_last_axes_of_an_unknown_rank() -> None:
    assert shape_of("x.flatten(-2)", x="... H d") == "... H*d"


# -- axes --------------------------------------------------------------------------------------------------------------------


def test_axes_counted_from_the_end_are_learnt() -> None:
    assert shape_of("x.transpose(-2, -1)", x="...") == "... ? ?"
    assert shape_of("x.transpose(-2, -1)", x="... C") == "... C ?"


def test_of_an_unknown_rank_axis_one_may_be_any() -> None:
    assert shape_of("x.transpose(1, 2)", x="... C") == "..."


def test_permute_learns_the_rank() -> None:
    assert shape_of("x.permute(0, 2, 1)", x="... C") == "? C ?"


def test_an_axis_that_is_not_there() -> None:
    finding = refusal("x.transpose(1, 3)", x="B T C")
    assert (finding.code, finding.parts["axis"], finding.parts["rank"]) == ("shape-axis", 3, 3)


def test_softmax_must_be_told_its_axis_as_a_method() -> None:
    assert refusal("x.softmax()", x="B T").fix == "dim=-1"
    assert shape_of("F.softmax(x)", x="B T") == "B T"


def test_a_mean_over_the_last_axis_keeps_the_prefix() -> None:
    assert shape_of("x.mean(-1, keepdim=True)", x="... C") == "... 1"
    assert shape_of("x.mean(-1)", x="... C") == "..."


# -- slices ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        ("x[:, :-1]", "B T-1 C"),
        ("x[:, 1:]", "B T-1 C"),
        ("x[:, -1]", "B C"),
        ("x[:, 0, :]", "B C"),
        ("x[:, None]", "B 1 T C"),
        ("x[..., : C // 2]", "B T C//2"),
        ("x[..., C // 2 :]", "B T C//2"),
        ("x[..., ::2]", "B T C//2"),
        ("x[..., 1::2]", "B T C//2"),
        ("x[:, :4]", "B 4 C"),
        ("x[:, :512]", "B ? C"),
    ],
)
def test_slices_of_named_sizes(line: str, shape: str) -> None:
    assert shape_of(line, x="B T C") == shape


def test_a_buffer_is_cut_to_the_input() -> None:
    assert shape_of("m[:, :, :T, :T]", m="1 1 BLOCK BLOCK", _="T") == "1 1 T T"


def test_a_mask_picks_an_unknown_number() -> None:
    assert shape_of("x[m]", x="B T C", m="bool:B T") == "? C"


# -- joining and cutting -----------------------------------------------------------------------------------------------------


def test_the_cache_grows() -> None:
    assert shape_of("torch.cat([past, k], dim=2)", past="B H P d", k="B H T d") == "B H P+T d"


def test_joined_tensors_agree_in_every_other_axis() -> None:
    finding = refusal("torch.cat([x, y], dim=1)", x="2 8 5 64", y="2 8 1 64")
    assert (finding.code, finding.parts["left"], finding.parts["right"]) == ("shape-cat", 5, 1)


def test_a_class_token_is_put_in_front() -> None:
    assert shape_of("torch.cat((token.expand(B, -1, -1), x), dim=1)", token="1 1 DIM", x="B T DIM") == "B T+1 DIM"


def test_queries_keys_and_values_are_cut_apart() -> None:
    assert [part.shape for part in result_of("x.chunk(3, dim=-1)", x="2 5 96")] == [
        part.shape for part in result_of("x.split(32, dim=2)", x="2 5 96")
    ]
    assert shape_of("torch.cat([x, x, x], dim=-1).split(C, dim=-1)[1]", x="B T C") == "B T C"


# -- kinds of numbers, and devices -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("x.masked_fill(x, 0)", "dtype-mask"),
        ("1 - m", "dtype-mask"),
        ("-m", "dtype-mask"),
        ("~x", "dtype-mask"),
        ("x & m", "dtype-mask"),
        ("x[x]", "dtype-index"),
        ("torch.gather(x, 1, x)", "dtype-index"),
        ("i.mean()", "dtype-mismatch"),
        ("i.softmax(-1)", "dtype-mismatch"),
        ("i.exp_()", "dtype-mismatch"),
        ("x.cuda() + x.cpu()", "device-mismatch"),
        ("x.view(2.0, 3)", "dtype-size"),
    ],
)
def test_what_is_of_the_wrong_kind(line: str, code: str) -> None:
    assert refusal(line, x="4 4", m="bool:4 4", i="int64:4 4").code == code


def test_a_device_that_only_one_side_names_is_fine() -> None:
    accepts("x.cuda() + x", x="4 4")


# -- findings ----------------------------------------------------------------------------------------------------------------

REFUSED = {
    "q @ k": {"q": "4 8 32 64", "k": "4 8 32 64"},
    "q + k": {"q": "4 8 32", "k": "4 8 16"},
    "q.view(3, 5)": {"q": "4 4"},
    "q.transpose(0, 1).view(16)": {"q": "4 4"},
    "torch.cat([q, k])": {"q": "4 4", "k": "4 5"},
    "q[9]": {"q": "4 4"},
    "q.permute(0, 1)": {"q": "2 3 4"},
    "q.expand(3, 3)": {"q": "2 3"},
    "torch.gather(q, 1, i)": {"q": "3 4", "i": "int64:3"},
    "torch.addmm(b, q, k)": {"b": "7", "q": "3 4", "k": "4 5"},
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_findings_sentences_speak_only_of_what_it_holds(line: str) -> None:
    """A part is one of the finding's own, or a parameter of the rule that was called."""
    finding = refusal(line, **REFUSED[line])
    parameters = {parameter.name for entry in RULES.values() for parameter in entry.parameters}
    assert parts_named(finding) <= set(finding.parts) | parameters
    assert finding.at is None or finding.at in parameters


def test_every_spelling_of_a_rule_is_one_of_torchs() -> None:
    def exists(name: str) -> bool:
        found: object = torch
        for part in name.split(".")[1:]:
            found = getattr(found, part, None)
        return found is not None

    ours = {name for name in RULES if name.startswith("torch.") and ".cuda." not in name}
    assert not sorted(name for name in ours if not exists(name))


def test_a_rule_says_what_it_does() -> None:
    assert not [name for name, entry in RULES.items() if not entry.doc]


def test_a_bad_call_is_not_reported() -> None:
    assert str(result_of("x.transpose(0)", x="3 4")).startswith("Unknown")


def test_a_mismatch_is_raised_not_returned() -> None:
    with pytest.raises(Mismatch):
        result_of("x.view(5)", x="2 3")
