"""Memory of one card, part by part, and the peak: the largest phase, never the sum of all parts.

Formulas and sources: docs/sizing.md §2. Everything here is bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from sizing.states import QUANT_BYTES, adapter_states, full_states, held
from sizing.task import Task
from sizing.units import GIB

# The final soft-cap of Gemma-2 keeps another half-precision pair of logits.
SOFTCAP_BYTES = 2.0
# Attention scores, bytes per head and pair of tokens: what autograd keeps of a layer (probabilities, mask,
# dropout: Korthikanti et al.), and the peak while a layer of the eager kernel is recomputed and
# differentiated (16-bit scores and probabilities, fp32 softmax, its two fp32 gradients, a 16-bit one).
SCORES_KEPT, SCORES_EAGER = 5.0, 16.0
# Vocabulary-parallel cross entropy works in place: 16-bit logits, their fp32 form, a 16-bit gradient.
MEGATRON_LOGITS = 8.0
# RMSNorms beyond a layer's usual two, in 16-bit tensors of their width: an fp32 copy and the result.
NORM_TENSORS = 3.0


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


def adapter_io(task: Task) -> tuple[float, float]:
    """Widths of the inputs and outputs of all matrices of a layer that carry an adapter."""
    m = task.model
    h, q, kv, f = m.hidden, m.q_width, m.kv_width, m.layer_ffn_width
    if m.experts is not None:
        f = m.experts.shared
    ends = {
        "q": (h, q),
        "k": (h, kv),
        "v": (h, kv),
        "o": (q, h),
        "gate": (h, f),
        "up": (h, f),
        "down": (f, h),
    }
    if not m.gated:
        ends["gate"] = (0, 0)
    chosen = [ends[t] for t in task.targets if t in ends]
    return float(sum(i for i, _ in chosen)), float(sum(o for _, o in chosen))


def dropped_inputs(task: Task) -> float:
    """Widths that pass through an adapter's dropout in a layer whose q, k and v are one matrix (LitGPT)."""
    m, touched = task.model, task.targets
    wide = m.hidden * (bool(touched & {"q", "k", "v"}) + ("up" in touched) + ("gate" in touched and m.gated))
    return float(wide + m.q_width * ("o" in touched) + m.layer_ffn_width * ("down" in touched))


def layer_bytes(task: Task, saved: bool) -> float:
    """Tensors of one layer for all tokens of a micro-batch (docs §2.4).

    `saved`: what autograd keeps without checkpointing; otherwise the working set of one layer's recomputed
    backward.
    """
    m, t = task.model, task.tokens / task.sp
    layer_norm = m.bias == "all"  # LayerNorm keeps its 16-bit input, RMSNorm an fp32 copy and more
    hidden_tensors, ffn_tensors = (6.0 if layer_norm else 9.0), (4.0 if m.gated else 2.0)
    element = 4.0 if task.precision == "fp32" else 2.0
    adapters = 0.0
    if task.method in ("lora", "qlora"):
        # a frozen matrix keeps no input: only norms, attention and the gate's product remain
        dropout = task.profile.dropout_saved if saved else 0.0
        touched = frozenset() if dropout else task.targets  # dropout's own result stands for the input
        hidden_tensors = (
            (4.0 if layer_norm else 8.0) + bool(touched & {"q", "k", "v"}) + bool(touched & {"gate", "up"})
        )
        ffn_tensors = (3.0 if m.gated else 1.0) + ("down" in touched)
        adapters = dropout * dropped_inputs(task)
        if (
            task.profile.adapter_io and task.profile.adapter_bytes > 8
        ):  # fp32 adapters read fp32 copies of their inputs and write fp32 outputs
            inputs, outputs = adapter_io(task)
            adapters = 2.0 * inputs if saved else 4.0 * (inputs + outputs)
    if task.quant:  # 4-bit and 8-bit layers keep what they multiply, a gated FFN its product as well
        hidden_tensors += 4.0
        ffn_tensors += 2.0 if saved and m.gated else 1.0
    if "sandwich" in m.features:
        hidden_tensors += 2 * NORM_TENSORS
    heads_tensors = 2.0 + (NORM_TENSORS if "qk_norm" in m.features else 0.0)
    body = element * (
        hidden_tensors * m.hidden + heads_tensors * (m.q_width + m.kv_width) + ffn_tensors * m.layer_ffn_width
    )
    return task.profile.layer * t * (body + adapters) / task.tp


def score_bytes(task: Task, saved: bool) -> float:
    """Attention scores of one layer where no memory-efficient kernel runs: kept, or at their peak."""
    m = task.model
    if task.flash and not m.features & {"alibi", "softcap"}:
        return 0.0
    per = SCORES_KEPT if saved or task.flash else SCORES_EAGER
    return per * task.micro_batch * m.heads / task.tp * float(task.seq_len) ** 2 / task.sp


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
    if task.profile.megatron:
        plain = MEGATRON_LOGITS
    per = {"plain": plain, "chunked": task.profile.chunk_bytes, "fused": 0.0}[task.loss]
    if task.loss == "plain" and "softcap" in task.model.features:
        per += SOFTCAP_BYTES
    size = per * task.tokens / task.sp * task.model.vocab / task.tp
    if task.quant and task.profile.head_quantised:  # unpacked for its own backward
        size += 2.0 * task.model.vocab * task.model.hidden / task.tp
    return size + (2.0 * 1024 * task.model.vocab * 2 if task.loss == "fused" else 0.0)


def _gathered(task: Task) -> float:
    """Working set of a sharded run: two gathered layers, or the embedding where that is larger."""
    if task.zero != "3":
        return 0.0
    m = task.model
    per = QUANT_BYTES[task.quant] if task.quant else 2.0
    layer = 2 * m.largest_layer_params * (per + (2.0 if task.trains_all else 0.0))
    if m.experts is not None and task.trains_all:  # a third layer on its way, gradients reduced in fp32
        layer = m.largest_layer_params * (3 * per + 2 * 4.0)
    outside = 2.0 * m.vocab * m.hidden * (2.0 if task.trains_all else 1.0)
    staged = 0.0
    if task.offload == "cpu":  # this card's shards of two layers on their way in, of their gradients out
        staged = 2 * m.largest_layer_params * (per + (2.0 if task.trains_all else 0.0)) / task.sharding
    return max(layer, outside) + staged


def _buffers(task: Task) -> float:
    """Communication buckets, NCCL and live parameters. ZeRO allocates its buckets on a single card too."""
    if task.zero == "device_map" or (task.zero == "0" and task.cards < 2):
        return 0.0
    if task.zero == "3" and task.profile.zero_master == "fp32":
        return task.profile.zero3_gib * GIB
    if task.profile.megatron:  # a communicator for the data and for every other way of being parallel
        return (1.0 + (task.tp > 1) + (task.pp > 1) + (task.model.experts is not None)) * GIB
    return 1.0 * GIB


def training_parts(task: Task) -> Parts:
    """Parts and phases of one training step on the fullest card."""
    local = held(task)
    states = full_states(task, local) if task.trains_all else adapter_states(task, local)
    temp = states.pop("step_temporary", 0.0)
    grads = states.pop("gradients", 0.0)
    persistent = sum(states.values())
    layer = layer_bytes(task, task.checkpoint != "true")
    scores = score_bytes(task, task.checkpoint == "false")
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
        **states,
        "gradients": grads,
        "step_temporary": temp,
        "activations": kept + work + extra,
        "logits": logits,
        "gathered": gathered,
        "buffers": buffers,
        "overhead": overhead,
    }
    parts["fragmentation"] = (frag - 1.0) / frag * (max(phases.values()) - overhead)
    return Parts(parts, phases)
