def split_heads(x, h):
    B, n, d = x.shape
    return x.view(B, n, h, d // h)
