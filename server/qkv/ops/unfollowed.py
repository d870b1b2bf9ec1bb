"""Names of torch that have no rule on purpose, each with the reason that a hover shows."""

from __future__ import annotations

OUTSIDE = "it comes from outside the program"
DEVICES = "devices and their memory are not followed"
PROCESSES = "other processes are not followed"
SETTINGS = "a setting of torch: it gives no tensor"
LISTS = "it works on whole lists of tensors at once, for optimisers"
GRADIENTS = "gradients are not followed"
BLOCK = "a block that changes how torch works inside it; what happens in it is followed"
STORAGE = "the memory behind a tensor is not followed"
SPARSE = "sparse and nested tensors are not followed"
DISTRIBUTION = "probability distributions are not followed"
TRANSFORMS = "functions made from functions are not followed"

REASONS = {
    "torch.load": OUTSIDE,
    "torch.save": "it writes a file",
    "torch.no_grad": BLOCK,
    "torch.enable_grad": BLOCK,
    "torch.inference_mode": BLOCK,
    "torch.autocast": "a block in which torch picks the kind of number; shapes are followed in it",
    "torch.set_grad_enabled": BLOCK,
    "torch.is_grad_enabled": SETTINGS,
    "torch.Generator": "random numbers are not followed",
    "torch.set_float32_matmul_precision": SETTINGS,
    "torch.set_num_threads": SETTINGS,
    "torch.set_printoptions": SETTINGS,
    "torch.use_deterministic_algorithms": SETTINGS,
    "torch.set_deterministic_debug_mode": SETTINGS,
    "torch.get_deterministic_debug_mode": SETTINGS,
    "torch.get_default_device": SETTINGS,
    "torch.set_default_device": SETTINGS,
    "torch.get_autocast_dtype": SETTINGS,
    "torch.get_autocast_cpu_dtype": SETTINGS,
    "torch.get_autocast_gpu_dtype": SETTINGS,
    "torch.is_autocast_enabled": SETTINGS,
    "torch.is_autocast_cpu_enabled": SETTINGS,
    "torch.is_storage": STORAGE,
    "torch.typename": SETTINGS,
    "torch.seed": "random numbers are not followed",
    "torch.initial_seed": "random numbers are not followed",
    "torch.get_rng_state": "random numbers are not followed",
    "torch.set_rng_state": "random numbers are not followed",
    "torch.expand_copy": "a form of `expand` that only compilers use",
    "torch.cond": TRANSFORMS,
    "torch.Tensor.backward": GRADIENTS,
    "torch.Tensor.register_hook": GRADIENTS,
    "torch.Tensor.register_post_accumulate_grad_hook": GRADIENTS,
    "torch.Tensor.retain_grad": GRADIENTS,
    "torch.Tensor.record_stream": DEVICES,
    "torch.Tensor.untyped_storage": STORAGE,
    "torch.Tensor.storage": STORAGE,
    "torch.Tensor.data_ptr": STORAGE,
    "torch.Tensor.set_": STORAGE,
    "torch.Tensor.sparse_mask": SPARSE,
    "torch.Tensor.coalesce": SPARSE,
    "torch.Tensor.to_sparse": SPARSE,
    "torch.Tensor.to_dense": SPARSE,
    "torch.nn.Module.__init__": "the constructor of all modules: nothing follows from it",
    "torch.nn.init._calculate_fan_in_and_fan_out": "two numbers for the scale of weights are not followed",
    "torch.nn._get_activation_fn": "it picks a function by its name",
    "torch.nn.utils.fusion.fuse_conv_bn_eval": "two modules made one",
    "torch.nn.utils.clip_grad_value_": GRADIENTS,
    "torch.nn.attention.sdpa_kernel": BLOCK,
    "torch.nn.attention.flex_attention.create_block_mask": "a mask made from a function, which is no tensor",
}
"""By exact name."""

PREFIXES = {
    "torch.optim": "optimisers are not followed",
    "torch.distributed": PROCESSES,
    "torch.multiprocessing": PROCESSES,
    "torch.distributions": DISTRIBUTION,
    "torch.utils.data": "data sets and loaders are not followed",
    "torch.utils": "tools around torch are not followed",
    "torch.hub": OUTSIDE,
    "torch.serialization": OUTSIDE,
    "torch.cuda": DEVICES,
    "torch.xpu": DEVICES,
    "torch.npu": DEVICES,
    "torch.mps": DEVICES,
    "torch.backends": SETTINGS,
    "torch.amp": BLOCK,
    "torch.autograd": GRADIENTS,
    "torch.func": TRANSFORMS,
    "torch.jit": "how torch compiles is not followed",
    "torch.compiler": "how torch compiles is not followed",
    "torch.fx": "how torch compiles is not followed",
    "torch.onnx": "how models are exported is not followed",
    "torch.export": "how models are exported is not followed",
    "torch.profiler": "measurements are not followed",
    "torch.nested": SPARSE,
    "torch.sparse": SPARSE,
    "torch.quantization": "quantised numbers are not followed",
    "torch.ao": "quantised numbers are not followed",
    "torch.ops": "operators by their inner names are not followed",
    "torch.library": "operators of one's own are not followed",
    "torch.overrides": "operators of one's own are not followed",
    "torch.testing": "tools for tests are not followed",
    "torch.random": "random numbers are not followed",
    "torch.tensor.dtype": "an attribute of a function",
    "torch._": "an inner name of torch, which may change with any version",
}
"""By the first part of the name."""


def reason(name: str) -> str | None:
    """Why a qualified name has no rule; None where it has one, or where nobody has said why."""
    if name in REASONS:
        return REASONS[name]
    if name.startswith("torch._"):
        return LISTS if name.startswith("torch._foreach") else PREFIXES["torch._"]
    while "." in name:
        if name in PREFIXES:
            return PREFIXES[name]
        name = name.rpartition(".")[0]
    return None
