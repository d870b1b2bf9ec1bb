"""Python as it is written: containers, closures, settings, inheritance, and files that do not parse."""

from tests.interp.support import analysed, check


def test_settings_of_one_object_are_one_size():
    check("""
        class Layer(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.a = nn.Linear(config.width, config["hidden"])
                self.b = nn.Linear(config.hidden, config.width)

            def forward(self, x):
                B, T, C = x.shape
                h = self.a(x)               # shape: (B, T, hidden)
                y = self.b(h)               # shape: (B, T, C)
                return y
    """)


def test_sequential_of_a_list_is_run_in_order():
    check("""
        class Net(nn.Module):
            def __init__(self, d):
                super().__init__()
                self.net = nn.Sequential(*[nn.Linear(d, d), nn.GELU(), nn.Linear(d, 4)])

            def forward(self, x):
                B, T, C = x.shape
                y = self.net(x)             # shape: (B, T, 4)
                return y
    """)


def test_a_base_class_gives_its_layers():
    check("""
        class Base(nn.Module):
            def __init__(self, d):
                super().__init__()
                self.proj = nn.Linear(d, 2 * d)

        class Derived(Base):
            def __init__(self, d):
                super().__init__(d)
                self.out = nn.Linear(2 * d, 7)

            def forward(self, x):
                B, T, C = x.shape
                y = self.out(self.proj(x))      # shape: (B, T, 7)
                return y
    """)


def test_a_generator_expression_unpacks():
    check("""
        B, T, C = x.shape
        q, k, v = (t.view(B, T, 4, C // 4).transpose(1, 2) for t in (x, x, x))      # shape: v (B, 4, T, C // 4)
        q, k = map(lambda t: t * 2, (q, k))                                        # shape: k (B, 4, T, C // 4)
    """)


def test_a_starred_shape_keeps_its_prefix():
    check("""
        y = x.view(*x.shape[:-1], heads, -1)
        B, T, H, d = y.shape
        z = y.transpose(1, 2)               # shape: (B, heads, T, d)
    """)


def test_a_dataclass_gives_its_defaults():
    check("""
        from dataclasses import dataclass

        @dataclass
        class Config:
            width: int = 64
            heads: int = 4

        def program(config):
            return torch.zeros(config.heads, config.width)

        y = program(Config(heads=8))        # shape: (8, 64)
    """)


def test_a_half_typed_function_does_not_hide_the_others():
    analysis = analysed("""
        def f(x):
            y = x @

        def g(x):
            B, T = x.shape
            y = x * 2
    """)
    assert [fact.name for fact in analysis.facts if fact.function == "g"] == ["x", "y"]
    assert analysis.syntax


def test_an_unknown_operator_is_unknown_and_says_so():
    analysis = analysed("""
        def f(x):
            y = torch.an_operator_of_the_future(x)
    """)
    fact = next(fact for fact in analysis.facts if fact.name == "y")
    assert fact.axes is None
    assert fact.unknown is not None and "an_operator_of_the_future" in fact.unknown


def test_the_main_block_is_run():
    check("""
        def f(x):
            return x @ x                    # error: [shape-matmul]

        if __name__ == "__main__":
            f(torch.zeros(2, 3))
    """)


def test_recursion_ends():
    check("""
        def f(x, n):
            return x if n == 0 else f(x * 2, n - 1)

        y = f(torch.zeros(2, 3), 2)         # shape: (2, 3)
    """)
