import torch

q = torch.randn(4, 8, 32, 64)
k = torch.randn(4, 8, 32, 64)
scores = q @ k
weights = scores.softmax(dim=-1)
