"""split_heads: what the checker knows."""

import torch

AXES = {"x": "(B, n, d)", "result": "(B, h, n, d_h)"}


def inputs(g: torch.Generator):
    """The arguments of one call, all random from g; no two axes alike."""
    return torch.randn(2, 5, 12, generator=g), 3


def axes_in_order(answer, x, h):
    """The axes must stand in the order batch, head, token, feature: (B, h, n, d_h)."""
    B, n, d = x.shape
    return torch.tensor(answer(x, h).shape), torch.tensor([B, h, n, d // h])


def first_head_is_first_features(answer, x, h):
    """Head 0 of a token must hold the first d_h features of that same token, in their order."""
    return answer(x, h)[:, 0], x[:, :, : x.shape[-1] // h]


def one_token_stays_one_token(answer, x, h):
    """A token's heads must be cut from that token alone: changing token 1 may change nothing in the others."""
    changed = x.clone()
    changed[:, 1] = 0
    keep = [t for t in range(x.shape[1]) if t != 1]
    return answer(changed, h)[:, :, keep], answer(x, h)[:, :, keep]


def round_trip(answer, x, h):
    """Joining the heads again, one after the other, must give x back."""
    return answer(x, h).transpose(1, 2).flatten(2), x


PROPERTIES = [axes_in_order, one_token_stays_one_token, first_head_is_first_features, round_trip]
