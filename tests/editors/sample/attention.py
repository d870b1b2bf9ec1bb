import math

import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(512, 3 * 512)
        self.out = nn.Linear(512, 512)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, 8, 64).transpose(1, 2)
        k = k.view(B, T, 8, 64).transpose(1, 2)
        v = v.view(B, T, 8, 64).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(64)
        weights = scores.softmax(dim=-1)
        y = (weights @ v).transpose(1, 2).reshape(B, T, C)
        return self.out(y)


layer = Attention()
print(layer(torch.randn(4, 32, 512)).shape)
