"""What a text without a card is instead: the sentence that helps whoever pasted it."""

from __future__ import annotations

import re

# In the order asked: the first that the text matches is told.
_HINTS: tuple[tuple[str, str], ...] = (
    (r"npu-smi", "this is npu-smi, of an Ascend machine: there is no NVIDIA card in it"),
    (r"ROCm System Management|rocm-smi|amd-smi", "this is rocm-smi, of an AMD machine"),
    (
        r"hy-smi|mthreads-gmi|ixsmi|cnmon|mx-smi",
        "this is another maker's tool: there is no NVIDIA card in it",
    ),
    (r"couldn't communicate with the NVIDIA driver", "nvidia-smi found no driver on that machine"),
    (r"Failed to initialize NVML", "nvidia-smi failed: driver and library do not match; restart the machine"),
    (r"Unable to determine the device handle|GPU is lost", "a card of that machine fell off the bus"),
    (r"No devices were found", "nvidia-smi found no card on that machine"),
    (r"command not found|不是内部或外部命令|is not recognized", "nvidia-smi is not installed there"),
    (r"<nvidia_smi_log>", "this is XML: leave -x out"),
    (r"^#\s*gpu\b", "this is a dmon log: give --dmon"),
    (r"NVIDIA-SMI\s+\d", "the table is cut before the memory of the first card: paste the whole text"),
    (r"\|\s*\d+'C,", "this is gpustat: paste the output of nvidia-smi itself"),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE | re.MULTILINE), words) for pattern, words in _HINTS)


def hint(text: str) -> str:
    """The sentence for the first thing recognised; empty for a text that says nothing."""
    return next((words for pattern, words in _COMPILED if pattern.search(text)), "")
