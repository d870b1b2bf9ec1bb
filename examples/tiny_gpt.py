"""A small language model over characters, written plainly: nothing in it is annotated, and every shape is known."""

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 65
    context: int = 128
    width: int = 192
    n_heads: int = 6
    n_layers: int = 4
    dropout: float = 0.1


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.width % config.n_heads == 0
        self.n_heads = config.n_heads
        self.to_qkv = nn.Linear(config.width, 3 * config.width, bias=False)
        self.to_out = nn.Linear(config.width, config.width, bias=False)
        self.drop = nn.Dropout(config.dropout)
        causal = torch.tril(torch.ones(config.context, config.context, dtype=torch.bool))
        self.register_buffer("causal", causal.view(1, 1, config.context, config.context))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.to_qkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)
        k = k.view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)
        v = v.view(B, T, self.n_heads, C // self.n_heads).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(~self.causal[:, :, :T, :T], float("-inf"))
        weights = self.drop(F.softmax(scores, dim=-1))
        y = weights @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.to_out(y)


class FeedForward(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up = nn.Linear(config.width, 4 * config.width)
        self.down = nn.Linear(4 * config.width, config.width)
        self.drop = nn.Dropout(config.dropout)

    def forward(self, x):
        hidden = F.gelu(self.up(x))
        return self.drop(self.down(hidden))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm_1 = nn.LayerNorm(config.width)
        self.attention = Attention(config)
        self.norm_2 = nn.LayerNorm(config.width)
        self.feed_forward = FeedForward(config)

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.feed_forward(self.norm_2(x))


class TinyGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab, config.width)
        self.position_embedding = nn.Embedding(config.context, config.width)
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.n_layers)])
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Linear(config.width, config.vocab, bias=False)

    def forward(self, tokens, targets=None):
        B, T = tokens.shape
        positions = torch.arange(T, device=tokens.device)
        x = self.drop(self.token_embedding(tokens) + self.position_embedding(positions))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.reshape(B * T, -1), targets.reshape(B * T))
        return logits, loss

    @torch.no_grad()
    def generate(self, tokens, steps, temperature=1.0):
        for _ in range(steps):
            window = tokens[:, -self.config.context :]
            logits, _ = self(window)
            probabilities = F.softmax(logits[:, -1, :] / temperature, dim=-1)
            following = torch.multinomial(probabilities, num_samples=1)
            tokens = torch.cat([tokens, following], dim=1)
        return tokens


if __name__ == "__main__":
    torch.manual_seed(0)
    model = TinyGPT(Config())
    batch = torch.randint(0, 65, (8, 33))
    logits, loss = model(batch[:, :-1], batch[:, 1:])
    print(logits.shape, round(loss.item(), 2))
    text = model.generate(batch[:1, :4], steps=3)
    print(text.shape)
