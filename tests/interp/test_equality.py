"""Equality has four answers: always, never, sometimes, unknown; and only evidence turns "sometimes" into a finding."""

from tests.interp.support import check


def test_a_forgotten_transpose_works_only_by_coincidence():
    """d and T stood side by side in one unpacking, so the author means two different things by them."""
    check("""
        B, H, T, d = q.shape
        k = q * 2
        a = q @ k                      # warning: [shape-matmul] d = T
        b = q @ k.transpose(-2, -1)    # shape: (B, H, T, T)
    """)


def test_a_layer_teaches_the_width_of_its_input():
    """`C = n_embd` is a contract between a module and its caller, not a coincidence."""
    analysis = check("""
        class Layer(nn.Module):
            def __init__(self, n_embd):
                super().__init__()
                self.proj = nn.Linear(n_embd, 3 * n_embd)

            def forward(self, x):
                B, T, C = x.shape
                y = self.proj(x)            # shape: (B, T, 3 * C)
                return y
    """)
    assert any("C = n_embd" in fact.needs for fact in analysis.facts)


def test_a_size_that_is_tied_and_then_needed_to_be_another_is_a_finding():
    check("""
        class Layer(nn.Module):
            def __init__(self, n_embd):
                super().__init__()
                self.up = nn.Linear(n_embd, 4 * n_embd)

            def forward(self, x):
                h = self.up(x)
                return self.up(h)           # error: [shape-linear]
    """)


def test_whole_numbers_that_differ_are_an_error():
    check("""
        a = torch.randn(4, 32, 64)
        b = torch.randn(4, 32, 64)
        c = a @ b                      # error: [shape-matmul] b.transpose(-2, -1)
    """)


def test_an_exact_division_is_a_need_not_a_finding():
    check("""
        B, T, C = x.shape
        heads = x.view(B, T, n_head, C // n_head).transpose(1, 2)      # shape: (B, n_head, T, C // n_head)
        joined = heads.transpose(1, 2).reshape(B, T, C)                # shape: (B, T, C)
    """)


def test_two_inputs_whose_sizes_must_agree_are_a_contract():
    """The widths must agree, so they do from here on. The batches may be stretched, so nothing is learnt of them."""
    analysis = check("""
        B, T, d = q.shape
        Bk, S, dk = k.shape
        scores = q @ k.transpose(1, 2)          # shape: (?, T, S)
    """)
    assert analysis.findings == ()


def test_a_size_of_an_input_may_be_one_so_broadcasting_is_silent():
    check("""
        B, T, C = x.shape
        b, t, c = y.shape
        z = x + y
    """)


def test_a_data_dependent_size_proves_nothing():
    check("""
        mask = x > 0
        picked = x[mask]
        other = x[~mask]
        both = picked + other
    """)
