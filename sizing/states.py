"""States of training on one card: weights, gradients, master copies, optimizer states, adapters, sharded.

Formulas and sources: docs/sizing.md §2.2-2.3. Everything here is bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sizing.model import ModelFacts
from sizing.task import Task

# Stored bytes per quantised weight: payload + scales (block sizes of bitsandbytes and GPTQ g128).
QUANT_BYTES = {
    "nf4": 0.5 + 4 / 64,
    "nf4-dq": 0.5 + 1 / 64 + 4 / (64 * 256),
    "int4": 0.5 + 4 / 128,
    "gptq-int4": 0.5 + 4 / 128,
    "int8": 1.0 + 2 / 128,
    "gptq-int8": 1.0 + 4 / 128,
}
# Bytes of optimizer state per trained parameter when the state is kept in (fp32, the weight's own 16 bits).
# Paged states live in managed memory that gives way to the rest: they count as host memory.
STATE_BYTES = {
    "adamw": (8.0, 4.0),
    "adamw-fused": (8.0, 4.0),
    "adamw-8bit": (2.1, 2.1),
    "paged-adamw": (0.0, 0.0),
    "paged-adamw-8bit": (0.0, 0.0),
    "adafactor": (4.0, 0.1),
    "lion": (4.0, 2.0),
    "sgd": (4.0, 2.0),
    "muon": (4.0, 2.0),
    "galore": (1.0, 0.6),
    "lisa": (0.8, 0.5),
    "none": (0.0, 0.0),
}
NO_STEP_TEMP = frozenset(
    {"adamw-fused", "adamw-8bit", "paged-adamw", "paged-adamw-8bit", "galore", "lisa", "sgd", "none"}
)


def lora_params(model: ModelFacts, rank: int, targets: frozenset[str]) -> float:
    """Trainable adapter parameters: rank·(in + out) of every targeted matrix (routed experts are left
    alone)."""
    h, q, kv = model.hidden, model.q_width, model.kv_width
    out = model.heads * model.mla.value if model.mla else q
    ffn = model.ffn if model.experts is None else max(model.experts.shared, 0)
    width = {
        "q": h + q,
        "k": h + kv,
        "v": h + kv,
        "o": out + h,
        "gate": h + ffn,
        "up": h + ffn,
        "down": ffn + h,
    }
    if not model.gated:
        width["gate"] = 0
    if model.experts is not None and not ffn:
        width.update(gate=0, up=0, down=0)
    return float(model.layers * rank * sum(width[t] for t in targets if t in width))


def trained_embeddings(model: ModelFacts, targets: frozenset[str]) -> float:
    """Embedding and head parameters trained in full beside an adapter."""
    embed = model.embedding_params if "embed" in targets else 0
    return float(embed + (model.head_params if "head" in targets else 0))


# Transformer Engine keeps an 8-bit copy of every matrix and its transpose beside the 16-bit weights.
FP8_COPIES = 2.0


@dataclass(frozen=True)
class Held:
    """Parameters that one card holds before sharding over data-parallel ranks."""

    matrices: float
    outside: float  # embeddings, head, norms
    layers: float  # layers whose activations this card keeps
    spread_experts: float = (
        0.0  # of `matrices`: routed experts already spread, whose states cannot be sharded again
    )

    @property
    def all(self) -> float:
        return self.matrices + self.outside


def held(task: Task) -> Held:
    """Parameters of one card after tensor, pipeline and expert parallel (worst stage)."""
    m, tp, pp = task.model, task.tp, task.pp
    matrices, experts = float(m.matrix_params), 0.0
    if m.experts is not None and task.profile.megatron:
        experts = m.expert_params / min(m.experts.count, max(1, min(8, task.cards // pp // tp)))
        matrices += experts - m.expert_params
    parts = task.cards if task.zero == "device_map" else 1
    outside = (m.embedding_params + m.head_params) / tp
    if pp > 1 or parts > 1:
        outside = max(m.embedding_params, m.vocab * m.hidden) / tp
    local = matrices / (tp * pp * parts)
    return Held(local, outside + m.small_params + m.extra_params, m.layers / parts, experts / (tp * pp))


def _weight_bytes(task: Task) -> float:
    """Bytes per unquantised weight as it is stored for compute."""
    if task.precision in ("fp32", "amp_bf16"):
        return 4.0
    return 2.0


def full_states(task: Task, local: Held) -> dict[str, float]:
    """Weights, gradients, master copies and optimizer states per card, and the step's temporary."""
    full, apart = local.all, local.spread_experts
    n = task.sharding
    zero = int(task.zero) if task.zero.isdigit() else 0
    shard = {0: (1, 1, 1), 1: (1, 1, n), 2: (1, 1, n), 3: (n, n, n)}[zero]
    weight = _weight_bytes(task)
    fp32_states, own_states = STATE_BYTES[task.optimizer]
    master = task.profile.zero_master if zero else task.profile.master
    if task.precision in ("fp32", "amp_bf16"):
        master = "amp"
    states = {"fp32": fp32_states, "amp": fp32_states, "bf16": own_states}[master]
    grads = 4.0 if task.profile.megatron else weight
    copies = 4.0 if master == "fp32" else 0.0
    cast = 2.0 * full if master == "amp" and task.precision != "fp32" else 0.0
    found = {
        "weights": weight * full / shard[0] + cast,
        "gradients": 0.0 if task.in_backward else grads * full / shard[1],
        "master": copies * ((full - apart) / shard[2] + apart),
        "optimizer": states * ((full - apart) / shard[2] + apart),
        "step_temporary": 0.0,
    }
    if task.profile.step_temp and task.optimizer not in NO_STEP_TEMP and not task.in_backward:
        found["step_temporary"] = weight * full / shard[2]
    if master == "fp32" and zero and not task.profile.megatron:
        # the step works on an fp32 copy of the gradients, which takes the place of a sharded 16-bit one
        found["step_temporary"] = (2.0 if zero == 3 else 4.0) * full / shard[2]
    if task.optimizer == "lisa":  # two sampled layers, embedding and head are trained at a time
        live = 2.0 / task.model.layers + 2.0 * task.model.vocab * task.model.hidden / task.model.params
        found["gradients"] *= min(1.0, live)
    if task.precision == "fp8" and task.profile.megatron:
        found["weights"] += FP8_COPIES * local.matrices / shard[0]
    if task.offload in ("optimizer", "cpu"):
        found["master"] = found["optimizer"] = found["step_temporary"] = 0.0
    if task.offload == "cpu":
        found["weights"] = found["gradients"] = 0.0
    return found


def adapter_states(task: Task, local: Held) -> dict[str, float]:
    m = task.model
    zero = int(task.zero) if task.zero.isdigit() else 0
    shard = task.sharding if zero == 3 else 1
    weight = _weight_bytes(task)
    matrices = QUANT_BYTES[task.quant] if task.quant else weight
    outside = max(weight, task.profile.embed_bytes) if task.quant else weight
    trained = trained_embeddings(m, task.targets)
    head = m.head_params / task.tp if task.quant and task.profile.head_quantised else 0.0
    base = matrices * (local.matrices + head) + outside * (local.outside - head)
    if task.precision == "amp_bf16" and not task.quant:
        base += 2.0 * local.all  # autocast keeps 16-bit copies through the step
    train = lora_params(m, task.lora_rank, task.targets) / (task.tp * task.pp)
    per = task.profile.adapter_bytes
    states = STATE_BYTES[task.optimizer][0] / 8.0 if task.optimizer in STATE_BYTES else 1.0
    adapters = train * (per / 2 + per / 2 * states)
    found = {
        "weights": base / shard,
        "adapters": adapters / shard,
        "trained_embeddings": trained * (12.0 if zero < 2 else 16.0),
    }
    if task.offload == "cpu":
        found["weights"] = 0.0
    return found
