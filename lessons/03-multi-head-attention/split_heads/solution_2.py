import torch


def split_heads(x, h):
    return torch.stack(x.chunk(h, dim=-1), dim=1)
