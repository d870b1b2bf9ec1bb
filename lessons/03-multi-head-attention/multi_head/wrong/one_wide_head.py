import torch


def multi_head(x, Wq, Wk, Wv, Wo, h):
    d = x.shape[-1]
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    return torch.softmax(q @ k.transpose(-2, -1) / d**0.5, dim=-1) @ v @ Wo
