def split_heads(x, h):
    B, n, d = x.shape
    return x.view(B, n, d // h, h).permute(0, 3, 1, 2)
