"""Equality has four answers: always, never, sometimes, unknown; and only evidence turns "sometimes" into a finding."""

from tests.interp.support import check


def test_a_forgotten_transpose_works_only_by_coincidence():
    check("""
        B, H, T, d = q.shape
        k = q * 2
        a = q @ k                      # warning: [shape-matmul] d = T
        b = q @ k.transpose(-2, -1)    # shape: (B, H, T, T)
    """)


def test_sizes_of_two_inputs_are_a_contract_not_a_coincidence():
    check("""
        B, H, T, d = q.shape
        a = q @ k                      # shape: k (...)
    """.replace("# shape: k (...)", ""))


def test_a_layer_teaches_the_width_of_its_input():
    check("""
        class Layer(nn.Module):
            def __init__(self, n_embd):
                super().__init__()
                self.proj = nn.Linear(n_embd, 3 * n_embd)

            def forward(self, x):
                B, T, C = x.shape
                y = self.proj(x)            # shape: (B, T, 3 * C)
                return y
    """)


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
        c = a @ b                      # error: [shape-matmul]
    """)
