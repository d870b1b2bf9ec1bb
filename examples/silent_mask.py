"""Runs without an error and learns the wrong thing: the mask lets each token see only what comes after it."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    def __init__(self, width, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.n_heads, C // self.n_heads).permute(2, 0, 3, 1, 4)
        # True means "may be seen" in this function, and this mask is True above the diagonal.
        mask = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(B, T, C))


if __name__ == "__main__":
    layer = CausalAttention(width=128, n_heads=4)
    print(layer(torch.randn(2, 16, 128)).shape)
