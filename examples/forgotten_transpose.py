"""Self-attention with one mistake: the keys are never turned, so queries meet them the wrong way round."""

import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, width, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.head_width = width // n_heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.n_heads, self.head_width).transpose(1, 2)
        k = k.view(B, T, self.n_heads, self.head_width).transpose(1, 2)
        v = v.view(B, T, self.n_heads, self.head_width).transpose(1, 2)
        scores = q @ k / math.sqrt(self.head_width)
        weights = scores.softmax(dim=-1)
        y = (weights @ v).transpose(1, 2).reshape(B, T, C)
        return self.out(y)


if __name__ == "__main__":
    layer = SelfAttention(width=512, n_heads=8)
    tokens = torch.randn(4, 32, 512)
    print(layer(tokens).shape)
