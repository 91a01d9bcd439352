"""What errors of libraries mean: memory that ran out, a device that is lost, or nothing of the kind."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from edge_clm.errors import DeviceFault, MemoryExhausted, ModelDamaged
from edge_clm.model.faults import judged


def coded(code: int, text: str) -> torch.AcceleratorError:
    """An error as torch raises it, which sets the code from C++."""
    error = torch.AcceleratorError(text)
    error.error_code = code  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB."),
        coded(2, "CUDA error: out of memory"),
        torch.AcceleratorError("CUDA error: out of memory\nCUDA kernel errors might be"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        MemoryError(),
    ],
)
def test_lack_of_memory_is_no_fault_of_the_device(error: Exception) -> None:
    """The caller is told that the page is too much; the process can go on."""
    assert type(judged(error)) is MemoryExhausted


@pytest.mark.parametrize(
    "error",
    [
        coded(700, "CUDA error: an illegal memory access was encountered"),
        torch.AcceleratorError("CUDA error: unspecified launch failure"),
        torch.AcceleratorError("whatever it says"),
        RuntimeError("CUDA error: device-side assert triggered"),
        RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"),
        RuntimeError("CUDA driver error: unknown error"),
    ],
)
def test_a_fault_of_the_device_is_told_apart(error: Exception) -> None:
    """What leaves the process without a usable device is a device fault."""
    fault = judged(error)
    assert type(fault) is DeviceFault
    assert "\n" not in fault.message


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("mat1 and mat2 shapes cannot be multiplied"),
        ValueError("CUDA error"),
        RuntimeError("the page says CUDA error: out of memory"),
        KeyError("out of memory"),
    ],
)
def test_other_errors_are_left_alone(error: Exception) -> None:
    """No word that may come from a page makes an error fatal."""
    assert judged(error) is None


def test_what_an_error_was_raised_from_counts() -> None:
    """A model that does not fit is not called damaged, whoever caught the error first."""
    try:
        try:
            raise torch.OutOfMemoryError("CUDA out of memory")
        except RuntimeError as error:
            raise ModelDamaged("cannot be loaded") from error
    except ModelDamaged as damaged:
        assert type(judged(damaged)) is MemoryExhausted
    assert judged(ModelDamaged("cannot be loaded")) is None


def test_real_allocations_that_fail_are_known() -> None:
    """What torch and NumPy raise on this machine for more memory than there is."""
    with pytest.raises(RuntimeError) as torchs:
        torch.empty(1 << 60, dtype=torch.uint8)
    with pytest.raises(MemoryError) as numpys:
        np.empty(1 << 60, dtype=np.uint8)
    assert type(judged(torchs.value)) is type(judged(numpys.value)) is MemoryExhausted
