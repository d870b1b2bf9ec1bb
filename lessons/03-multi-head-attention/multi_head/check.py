"""multi_head: what the checker knows."""

import torch

AXES = {"x": "(B, n, d)", "Wq": "(d, d)", "Wk": "(d, d)", "Wv": "(d, d)", "Wo": "(d, d)", "result": "(B, n, d)"}


def inputs(g: torch.Generator):
    """The arguments of one call, all random from g."""
    matrices = [torch.randn(12, 12, generator=g) / 2 for _ in range(4)]
    return torch.randn(2, 5, 12, generator=g), *matrices, 3


def shape_stays(answer, x, Wq, Wk, Wv, Wo, h):
    """The result must have the shape of x: (B, n, d)."""
    return torch.tensor(answer(x, Wq, Wk, Wv, Wo, h).shape), torch.tensor(x.shape)


def tokens_have_no_order(answer, x, Wq, Wk, Wv, Wo, h):
    """Without positions, turning the order of the tokens round must turn the results round and change nothing else."""
    return answer(x.flip(1), Wq, Wk, Wv, Wo, h), answer(x, Wq, Wk, Wv, Wo, h).flip(1)


def no_look_at_other_items(answer, x, Wq, Wk, Wv, Wo, h):
    """The items of a batch must not see each other: each alone gives what it gives in the batch."""
    return answer(x[1:], Wq, Wk, Wv, Wo, h), answer(x, Wq, Wk, Wv, Wo, h)[1:]


def uses_the_output_projection(answer, x, Wq, Wk, Wv, Wo, h):
    """The last step must multiply by Wo: with a Wo of zeros, nothing is left."""
    return answer(x, Wq, Wk, Wv, torch.zeros_like(Wo), h), torch.zeros_like(x)


def one_token_is_its_own_value(answer, x, Wq, Wk, Wv, Wo, h):
    """A token that is alone attends to itself with weight 1: the result must be x Wv Wo, with the heads joined in order."""
    alone = x[:, :1]
    return answer(alone, Wq, Wk, Wv, Wo, h), alone @ Wv @ Wo


def equal_scores_average_the_values(answer, x, Wq, Wk, Wv, Wo, h):
    """With queries of zeros all weights are equal: every token must get the mean of the values, times Wo."""
    mean = (x @ Wv).mean(dim=1, keepdim=True).expand_as(x)
    return answer(x, torch.zeros_like(Wq), Wk, Wv, Wo, h), mean @ Wo


def weights_sum_to_one(answer, x, Wq, Wk, Wv, Wo, h):
    """The weights of each token must sum to 1: where all tokens have the same value, every result must be that value, times Wo."""
    marked, only_mark = x.clone(), torch.zeros_like(Wv)
    marked[..., 0], only_mark[0] = 1, Wv[0]
    return answer(marked, Wq, Wk, only_mark, Wo, h), (Wv[0] @ Wo).expand_as(x)


def a_query_decides_its_own_row(answer, x, Wq, Wk, Wv, Wo, h):
    """A token's own query must decide its weights: with a query of zeros it gets the mean of the values, whatever the others ask."""
    quiet, from_one_feature = x.clone(), torch.zeros_like(Wq)
    quiet[:, 1, 0], from_one_feature[0] = 0, 3
    mean = (quiet @ Wv).mean(dim=1)
    return answer(quiet, from_one_feature, Wk, Wv, Wo, h)[:, 1], mean @ Wo


def heads_are_blocks(answer, x, Wq, Wk, Wv, Wo, h):
    """Each head must use its own block of columns: queries of zeros in the block of head 0 must leave the other heads as they were."""
    width = x.shape[-1] // h
    silenced, keep = Wq.clone(), torch.eye(x.shape[-1])
    silenced[:, :width] = 0
    return answer(x, silenced, Wk, Wv, keep, h)[..., width:], answer(x, Wq, Wk, Wv, keep, h)[..., width:]


def heads_may_be_permuted(answer, x, Wq, Wk, Wv, Wo, h):
    """Moving whole heads, and the rows of Wo with them, must change nothing."""
    d = x.shape[-1]
    order = torch.arange(d).view(h, d // h).roll(1, 0).flatten()
    return answer(x, Wq[:, order], Wk[:, order], Wv[:, order], Wo[order], h), answer(x, Wq, Wk, Wv, Wo, h)


def scale_follows_the_head_width(answer, x, Wq, Wk, Wv, Wo, h):
    """The scores must be divided by the root of the head width, sqrt(d / h), and the softmax must run over the keys of each head."""
    B, n, d = x.shape
    q, k, v = ((x @ W).view(B, n, h, d // h).transpose(1, 2) for W in (Wq, Wk, Wv))
    weights = torch.softmax(q @ k.transpose(-2, -1) / (d // h) ** 0.5, dim=-1)
    return answer(x, Wq, Wk, Wv, Wo, h), (weights @ v).transpose(1, 2).flatten(2) @ Wo


PROPERTIES = [
    shape_stays,
    uses_the_output_projection,
    no_look_at_other_items,
    one_token_is_its_own_value,
    equal_scores_average_the_values,
    weights_sum_to_one,
    a_query_decides_its_own_row,
    tokens_have_no_order,
    heads_are_blocks,
    heads_may_be_permuted,
    scale_follows_the_head_width,
]
