"""Memory of one card, part by part, and the peak: the largest phase, never the sum of all parts.

Formulas and sources: docs/sizing.md §2. Everything here is bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sizing.model import ModelFacts
from sizing.task import Task
from sizing.units import GIB

# Stored bytes per quantised weight: payload + scales (block sizes of bitsandbytes and GPTQ g128).
QUANT_BYTES = {
    "nf4": 0.5 + 4 / 64, "nf4-dq": 0.5 + 1 / 64 + 4 / (64 * 256), "int4": 0.5 + 4 / 128,
    "gptq-int4": 0.5 + 4 / 128, "int8": 1.0 + 2 / 128, "gptq-int8": 1.0 + 4 / 128,
}  # fmt: skip
# The final soft-cap of Gemma-2 keeps another half-precision pair of logits.
SOFTCAP_BYTES = 2.0
# Bytes of optimizer state per trained parameter when the state is kept in (fp32, the weight's own 16 bits).
# Paged states live in managed memory that gives way to the rest: they count as host memory.
STATE_BYTES = {
    "adamw": (8.0, 4.0), "adamw-fused": (8.0, 4.0), "adamw-8bit": (2.1, 2.1), "paged-adamw": (0.0, 0.0),
    "paged-adamw-8bit": (0.0, 0.0), "adafactor": (4.0, 0.1), "lion": (4.0, 2.0), "sgd": (4.0, 2.0), "muon": (4.0, 2.0),
    "galore": (1.0, 0.6), "lisa": (0.8, 0.5), "none": (0.0, 0.0),
}  # fmt: skip
NO_STEP_TEMP = frozenset({"adamw-fused", "adamw-8bit", "paged-adamw", "paged-adamw-8bit", "galore", "lisa", "sgd", "none"})


@dataclass(frozen=True)
class Parts:
    """Named parts in bytes and the peak over phases."""

    parts: dict[str, float]
    phases: dict[str, float]

    @property
    def peak(self) -> float:
        return max(self.phases.values())

    @property
    def binding(self) -> str:
        return max(self.phases, key=lambda p: self.phases[p])


def lora_params(model: ModelFacts, rank: int, targets: frozenset[str]) -> float:
    """Trainable adapter parameters: rank·(in + out) of every targeted matrix (routed experts are left alone)."""
    h, q, kv = model.hidden, model.q_width, model.kv_width
    out = model.heads * model.mla.value if model.mla else q
    ffn = model.ffn if model.experts is None else max(model.experts.shared, 0)
    width = {"q": h + q, "k": h + kv, "v": h + kv, "o": out + h, "gate": h + ffn, "up": h + ffn, "down": ffn + h}
    if not model.gated:
        width["gate"] = 0
    if model.experts is not None and not ffn:
        width.update(gate=0, up=0, down=0)
    return float(model.layers * rank * sum(width[t] for t in targets if t in width))


def trained_embeddings(model: ModelFacts, targets: frozenset[str]) -> float:
    """Embedding and head parameters trained in full beside an adapter."""
    embed = model.embedding_params if "embed" in targets else 0
    return float(embed + (model.head_params if "head" in targets else 0))


@dataclass(frozen=True)
class Held:
    """Parameters that one card holds before sharding over data-parallel ranks."""

    matrices: float
    outside: float  # embeddings, head, norms
    layers: float  # layers whose activations this card keeps
    spread_experts: float = 0.0  # of `matrices`: routed experts already spread, whose states cannot be sharded again

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


def adapter_io(task: Task) -> tuple[float, float]:
    """Widths of the inputs and outputs of all matrices of a layer that carry an adapter."""
    m = task.model
    h, q, kv, f = m.hidden, m.q_width, m.kv_width, m.layer_ffn_width
    if m.experts is not None:
        f = m.experts.shared
    ends = {"q": (h, q), "k": (h, kv), "v": (h, kv), "o": (q, h), "gate": (h, f), "up": (h, f), "down": (f, h)}
    if not m.gated:
        ends["gate"] = (0, 0)
    chosen = [ends[t] for t in task.targets if t in ends]
    return float(sum(i for i, _ in chosen)), float(sum(o for _, o in chosen))


def layer_bytes(task: Task, saved: bool) -> float:
    """Tensors of one layer for all tokens of a micro-batch (docs §2.4).

    `saved`: what autograd keeps without checkpointing; otherwise the working set of one layer's recomputed backward.
    """
    m, t = task.model, task.tokens / task.sp
    layer_norm = m.bias == "all"  # LayerNorm keeps its 16-bit input, RMSNorm an fp32 copy and more
    hidden_tensors, ffn_tensors = (6.0 if layer_norm else 9.0), (4.0 if m.gated else 2.0)
    element = 4.0 if task.precision == "fp32" else 2.0
    adapters = 0.0
    if task.method in ("lora", "qlora"):
        # a frozen matrix keeps no input: only norms, attention and the gate's product remain
        touched = task.targets
        hidden_tensors = (4.0 if layer_norm else 8.0) + bool(touched & {"q", "k", "v"}) + bool(touched & {"gate", "up"})
        ffn_tensors = (3.0 if m.gated else 1.0) + ("down" in touched)
        if task.profile.adapter_bytes > 8:  # fp32 adapters read fp32 copies of their inputs and write fp32 outputs
            inputs, outputs = adapter_io(task)
            adapters = 2.0 * inputs if saved else 4.0 * (inputs + outputs)
    if task.quant:  # 4-bit and 8-bit layers keep what they multiply
        hidden_tensors += 4.0
        ffn_tensors += 1.0
    body = element * (hidden_tensors * m.hidden + 2 * (m.q_width + m.kv_width) + ffn_tensors * m.layer_ffn_width)
    return task.profile.layer * t * (body + adapters) / task.tp


def score_bytes(task: Task) -> float:
    """Attention scores of one layer where no memory-efficient kernel runs: 2.5·2·b·a·s²."""
    m = task.model
    eager = not task.flash or bool(m.features & {"alibi", "softcap"})
    if not eager:
        return 0.0
    return 5.0 * task.micro_batch * m.heads / task.tp * float(task.seq_len) ** 2 / task.sp


def wide_residual(task: Task) -> bool:
    """Whether the residual stream between layers is fp32."""
    if task.precision in ("fp32", "amp_bf16"):
        return True
    if task.quant:
        return task.profile.residual_fp32
    return task.profile.fsdp_fp32 and task.zero == "3"


def checkpoint_bytes(task: Task, layers: float) -> float:
    """Layer inputs kept by full checkpointing."""
    if task.profile.act_offload or task.act_offload:
        return 2.0 * task.tokens / task.sp * task.model.hidden * 2.0
    wide = 4.0 if wide_residual(task) else 2.0
    return task.profile.ckpt_share * layers * wide * task.tokens / task.sp * task.model.hidden / task.tp


def logit_bytes(task: Task) -> float:
    """Logits, their fp32 copy and gradients, by loss kernel."""
    wide_head = bool(task.quant) and task.profile.embed_bytes > 2
    plain = task.profile.logit_bytes_q if wide_head else task.profile.logit_bytes
    per = {"plain": plain, "chunked": task.profile.chunk_bytes, "fused": 0.0}[task.loss]
    if task.loss == "plain" and "softcap" in task.model.features:
        per += SOFTCAP_BYTES
    size = per * task.tokens / task.sp * task.model.vocab / task.tp
    return size + (2.0 * 1024 * task.model.vocab * 2 if task.loss == "fused" else 0.0)


def _states(task: Task, local: Held) -> dict[str, float]:
    """Weights, gradients, master copies and optimizer states per card, and the step's temporary."""
    full, apart = local.all, local.spread_experts
    n = max(1, task.dp)
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
    if task.offload in ("optimizer", "cpu"):
        found["master"] = found["optimizer"] = found["step_temporary"] = 0.0
    if task.offload == "cpu":
        found["weights"] = found["gradients"] = 0.0
    return found


def _adapter_states(task: Task, local: Held) -> dict[str, float]:
    m = task.model
    zero = int(task.zero) if task.zero.isdigit() else 0
    shard = max(1, task.dp) if zero == 3 else 1
    weight = _weight_bytes(task)
    matrices = QUANT_BYTES[task.quant] if task.quant else weight
    outside = max(weight, task.profile.embed_bytes) if task.quant else weight
    trained = trained_embeddings(m, task.targets)
    base = matrices * local.matrices + outside * local.outside
    if task.precision == "amp_bf16" and not task.quant:
        base += 2.0 * local.all  # autocast keeps 16-bit copies through the step
    train = lora_params(m, task.lora_rank, task.targets) / (task.tp * task.pp)
    per = task.profile.adapter_bytes
    states = STATE_BYTES[task.optimizer][0] / 8.0 if task.optimizer in STATE_BYTES else 1.0
    adapters = train * (per / 2 + per / 2 * states)
    found = {"weights": base / shard, "adapters": adapters / shard, "trained_embeddings": trained * (12.0 if zero < 2 else 16.0)}
    if task.offload == "cpu":
        found["weights"] = 0.0
    return found


def _gathered(task: Task) -> float:
    """Working set of a sharded run: two gathered layers, or the embedding where that is larger."""
    if task.zero != "3":
        return 0.0
    m = task.model
    per = QUANT_BYTES[task.quant] if task.quant else 2.0
    layer = 2 * m.largest_layer_params * (per + (2.0 if task.trains_all else 0.0))
    outside = 2.0 * m.vocab * m.hidden * (2.0 if task.trains_all else 1.0)
    return max(layer, outside)


def _buffers(task: Task) -> float:
    """Communication buckets, NCCL and live parameters. ZeRO allocates its buckets on a single card too."""
    if task.zero == "device_map" or (task.zero == "0" and task.cards < 2):
        return 0.0
    if task.zero == "3" and task.profile.zero_master == "fp32":
        return task.profile.zero3_gib * GIB
    return (1.0 if task.zero != "0" else 0.5) * GIB


def training_parts(task: Task) -> Parts:
    """Parts and phases of one training step on the fullest card."""
    local = held(task)
    states = _states(task, local) if task.trains_all else _adapter_states(task, local)
    temp = states.pop("step_temporary", 0.0)
    grads = states.pop("gradients", 0.0)
    persistent = sum(states.values())
    layer, scores = layer_bytes(task, task.checkpoint != "true"), score_bytes(task)
    dequant = 2.0 * task.model.hidden * task.model.ffn if task.quant else 0.0
    logits = logit_bytes(task)
    extra = task.tokens / task.sp * task.profile.token_kib * 1024
    if task.checkpoint == "true":
        kept, work = checkpoint_bytes(task, local.layers), layer + scores + dequant
    elif task.checkpoint == "selective":
        kept, work = local.layers * layer, scores + dequant
    else:
        kept, work = local.layers * (layer + scores), dequant
    frag, overhead = task.profile.frag, task.profile.overhead_gib * GIB
    gathered, buffers = _gathered(task), _buffers(task)
    fixed = persistent + gathered + buffers
    held_grads = grads if task.grad_accum > 1 else 0.0
    phases = {
        "loss": overhead + frag * (fixed + held_grads + kept + logits + extra),
        "backward": overhead + frag * (fixed + (held_grads or grads / 2) + kept + work + extra),
        "step": overhead + frag * (fixed + grads + temp),
    }
    parts = {
        **states, "gradients": grads, "step_temporary": temp, "activations": kept + work + extra,
        "logits": logits, "gathered": gathered, "buffers": buffers, "overhead": overhead,
    }  # fmt: skip
    parts["fragmentation"] = (frag - 1.0) / frag * (max(phases.values()) - overhead)
    return Parts(parts, phases)
