"""What the machine around the cards must hold: host memory, disk, and the fixed hours of a run."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.states import STATE_BYTES, lora_params, trained_embeddings
from sizing.task import Task
from sizing.units import GB, GIB

PROCESS_RAM = 6.0 * GIB  # Python, CUDA context, data loader workers, per card
PINNED = (
    1.4  # pinned buffers and copies beside offloaded states (reported: 744 GB for a 32B job, 16 B x P x 1.4)
)
DISK_GB_S = 1.0  # sequential read and write of a rented machine's local disk
ENVIRONMENT_GB = 25.0  # system image, CUDA wheels, caches


@dataclass(frozen=True)
class Host:
    """Host memory of one machine (GiB), disk of the job (GiB), seconds to load once and to save once."""

    cpu_ram_gib: float
    disk_gib: float
    load_s: float
    save_s: float


def trained_params(task: Task) -> float:
    """Parameters with an optimizer state."""
    if task.trains_all:
        return float(task.model.params)
    return lora_params(task.model, task.lora_rank, task.targets) + trained_embeddings(
        task.model, task.targets
    )


def host(task: Task, dataset_gb: float = 0.0) -> Host:
    """Host needs of a task."""
    m = task.model
    weights = 2.0 * m.params
    here = max(1, -(-task.cards // task.nodes))
    ram = PROCESS_RAM * here + min(weights, 64.0 * GIB) * 0.5
    if task.offload in ("optimizer", "cpu") and task.method != "inference":
        ram += PINNED * (4.0 + 12.0) * trained_params(task) / task.nodes
    if task.offload == "cpu":
        ram += PINNED * weights / task.nodes
    if task.optimizer.startswith("paged") and task.trains_all:
        ram += STATE_BYTES["adamw-8bit" if task.optimizer.endswith("8bit") else "adamw"][0] * m.params
    checkpoint = 0.0
    if task.method != "inference":
        sharded = task.trains_all and task.zero in ("1", "2", "3")
        checkpoint = (
            (2.0 + (12.0 if sharded else 4.0)) * m.params if task.trains_all else 16.0 * trained_params(task)
        )
    disk = ENVIRONMENT_GB * GB + weights + 2.0 * checkpoint + dataset_gb * GB
    if task.method in ("lora", "qlora"):
        disk += weights  # the merged model
    load = weights / task.nodes / (DISK_GB_S * GB) + 60.0
    save = checkpoint / task.nodes / (DISK_GB_S * GB) + 10.0 if task.method != "inference" else 0.0
    return Host(ram / GIB, disk / GIB, load, save)
