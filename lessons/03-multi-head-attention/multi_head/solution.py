import torch


def multi_head(x, Wq, Wk, Wv, Wo, h):
    B, n, d = x.shape
    q, k, v = ((x @ W).view(B, n, h, d // h).transpose(1, 2) for W in (Wq, Wk, Wv))
    scores = q @ k.transpose(-2, -1) / (d // h) ** 0.5
    heads = torch.softmax(scores, dim=-1) @ v
    return heads.transpose(1, 2).reshape(B, n, d) @ Wo
