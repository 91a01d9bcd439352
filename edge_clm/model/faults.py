"""What an error of a library comes down to: memory that ran out, or a device that is lost."""

from __future__ import annotations

import torch

from edge_clm.errors import DeviceFault, EdgeClmError, MemoryExhausted

_NO_MEMORY = 2
"""cudaErrorMemoryAllocation: the one error of the device that leaves it usable."""
_LACKING = (
    "CUDA error: out of memory",
    "CUDA error: CUBLAS_STATUS_ALLOC_FAILED",
    "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
    "[enforce fail at alloc_cpu.cpp",
)
_LOST = ("CUDA error", "CUDA driver error", "cuDNN error", "HIP error")
_ONNX, _ONNX_LACKING = "[ONNXRuntimeError]", "Failed to allocate memory"
_SHOWN = 120


def judged(error: BaseException) -> EdgeClmError | None:
    """MemoryExhausted or DeviceFault where `error`, or what it was raised from, means that; else None.

    After a device fault every further call of this process fails, or hangs: it has to end.
    """
    link: BaseException | None = error
    while link is not None:
        # What libraries say is compared from its beginning: further on it may hold a page's words.
        said = str(link)
        if _is_lack(link, said):
            return MemoryExhausted("there is not enough memory for this page and this model")
        if isinstance(link, torch.AcceleratorError) or _is_said_by_torch(link, said, _LOST):
            shown = said.partition("\n")[0][:_SHOWN]
            return DeviceFault(f"the device failed: {shown}", retry_after_s=5.0)
        link = link.__cause__
    return None


def _is_lack(error: BaseException, said: str) -> bool:
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    if getattr(error, "error_code", None) == _NO_MEMORY:
        return isinstance(error, torch.AcceleratorError)
    onnx = said.startswith(_ONNX) and _ONNX_LACKING in said
    return onnx or _is_said_by_torch(error, said, _LACKING)


def _is_said_by_torch(error: BaseException, said: str, beginnings: tuple[str, ...]) -> bool:
    return isinstance(error, RuntimeError) and said.startswith(beginnings)
