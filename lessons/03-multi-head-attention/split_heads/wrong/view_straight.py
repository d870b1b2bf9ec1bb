def split_heads(x, h):
    B, n, d = x.shape
    return x.reshape(B, h, n, d // h)
