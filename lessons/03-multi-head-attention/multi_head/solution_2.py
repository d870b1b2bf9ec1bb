import torch.nn.functional as F


def multi_head(x, Wq, Wk, Wv, Wo, h):
    B, n, d = x.shape
    q, k, v = ((x @ W).view(B, n, h, d // h).transpose(1, 2) for W in (Wq, Wk, Wv))
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2) @ Wo
