"""The dimensions of a decoder-only language model and what follows from them: parameters, active ones, KV
cache.

Formula (docs/sizing.md §1): P = L·(2·h·a·d + 2·h·k·d + m·h·f) + norms and biases + V·h·(1 if tied, else 2),
m = 3 for a gated FFN and 2 for a plain one; a mixture of experts counts every expert for memory, top_k and
shared for compute.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from sizing.errors import SizingError

BIASES = ("none", "qkv", "qkvo", "all")


@dataclass(frozen=True)
class Mla:
    """Multi-head latent attention: ranks of the low-rank projections and head parts, in elements."""

    q_rank: int
    kv_rank: int
    nope: int
    rope: int
    value: int


@dataclass(frozen=True)
class Experts:
    """Mixture of experts: `count` experts of width `width`, `top_k` used per token, `shared` width always
    used."""

    count: int
    top_k: int
    width: int
    shared: int = 0
    dense_layers: int = 0


@dataclass(frozen=True)
class ModelFacts:
    """A model as the memory and speed formulas need it. Sizes in elements, counts in parameters."""

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    tied: bool
    gated: bool = True
    bias: str = "none"
    mla: Mla | None = None
    experts: Experts | None = None
    features: frozenset[str] = field(default_factory=frozenset)
    learned_positions: int = 0
    extra_params: int = 0
    source: str = ""
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab"):
            if getattr(self, key) <= 0:
                raise SizingError(f"model {self.name}: {key} must be positive, got {getattr(self, key)}")
        if self.kv_heads > self.heads:
            raise SizingError(f"model {self.name}: more KV heads ({self.kv_heads}) than heads ({self.heads})")
        if self.experts is not None and not 0 <= self.experts.dense_layers <= self.layers:
            raise SizingError(
                f"model {self.name}: {self.experts.dense_layers} of {self.layers} layers without experts"
            )
        if self.bias not in BIASES:
            raise SizingError(f"model {self.name}: unknown bias kind {self.bias!r}")

    @cached_property
    def q_width(self) -> int:
        """Width of all query heads together."""
        return self.heads * ((self.mla.nope + self.mla.rope) if self.mla else self.head_dim)

    @cached_property
    def kv_width(self) -> int:
        """Width of all key heads together as attention sees them (keys and values are counted alike)."""
        return self.q_width if self.mla else self.kv_heads * self.head_dim

    @cached_property
    def attention_params(self) -> int:
        """Attention matrices of one layer."""
        h = self.hidden
        if self.mla is None:
            return 2 * h * self.q_width + 2 * h * self.kv_width
        m = self.mla
        query = h * m.q_rank + m.q_rank * self.q_width if m.q_rank else h * self.q_width
        return (
            query
            + h * (m.kv_rank + m.rope)
            + m.kv_rank * self.heads * (m.nope + m.value)
            + self.heads * m.value * h
        )

    @cached_property
    def ffn_matrices(self) -> int:
        return 3 if self.gated else 2

    @cached_property
    def moe_layers(self) -> int:
        return self.layers - self.experts.dense_layers if self.experts else 0

    @cached_property
    def expert_params(self) -> int:
        """All routed experts of all layers."""
        if self.experts is None:
            return 0
        return self.moe_layers * self.experts.count * self.ffn_matrices * self.hidden * self.experts.width

    @cached_property
    def matrix_params(self) -> int:
        """Every matrix inside the blocks: what 4-bit and 8-bit storage quantises."""
        dense = (self.layers - self.moe_layers) * self.ffn_matrices * self.hidden * self.ffn
        total = self.layers * self.attention_params + dense + self.expert_params
        if self.experts:
            always = self.ffn_matrices * self.hidden * self.experts.shared + self.hidden * self.experts.count
            total += self.moe_layers * always
        return total

    @cached_property
    def embedding_params(self) -> int:
        """Input embedding, with learned positions."""
        return (self.vocab + self.learned_positions) * self.hidden

    @cached_property
    def head_params(self) -> int:
        """Output projection as stored: 0 when it is the embedding itself."""
        return 0 if self.tied else self.vocab * self.hidden

    @cached_property
    def small_params(self) -> int:
        """Norms and biases."""
        h, per_norm = self.hidden, (2 if self.bias == "all" else 1)
        norms = (4 if "sandwich" in self.features else 2) * h * per_norm
        norms += 2 * self.head_dim if "qk_norm" in self.features else 0
        if self.mla:
            norms += self.mla.q_rank + self.mla.kv_rank
        bias = 0
        if self.bias != "none":
            bias += self.q_width + 2 * self.kv_width
        if self.bias in ("qkvo", "all"):
            bias += h
        total = self.layers * (norms + bias) + h * per_norm
        if self.bias == "all":
            inner = self.ffn_matrices - 1
            total += (self.layers - self.moe_layers) * (inner * self.ffn + h)
            if self.experts:
                total += self.moe_layers * self.experts.count * (inner * self.experts.width + h)
        return total

    @cached_property
    def params(self) -> int:
        """All parameters, those of a vision tower included."""
        return (
            self.matrix_params
            + self.embedding_params
            + self.head_params
            + self.small_params
            + self.extra_params
        )

    @cached_property
    def active_matrix_params(self) -> int:
        """Block matrices that one token passes through."""
        if self.experts is None:
            return self.matrix_params
        used = self.experts.top_k * self.ffn_matrices * self.hidden * self.experts.width
        return self.matrix_params - self.expert_params + self.moe_layers * used

    @cached_property
    def compute_params(self) -> int:
        """Parameters that cost arithmetic per token: active blocks and the output projection."""
        return self.active_matrix_params + self.vocab * self.hidden

    @cached_property
    def active_params(self) -> int:
        """The 'A' of a name like 30B-A3B: everything but the experts a token does not use."""
        return self.params - self.matrix_params + self.active_matrix_params

    @cached_property
    def layer_ffn_width(self) -> int:
        """FFN width a token passes through in a typical layer (experts: top_k and shared together)."""
        if self.experts is None:
            return self.ffn
        return self.experts.top_k * self.experts.width + self.experts.shared

    @cached_property
    def largest_layer_params(self) -> int:
        """Parameters of the biggest block: what a sharded run gathers at a time."""
        body = self.attention_params
        if self.experts:
            per_expert = self.ffn_matrices * self.hidden
            body += per_expert * (self.experts.count * self.experts.width + self.experts.shared)
        else:
            body += self.ffn_matrices * self.hidden * self.ffn
        return body

    @cached_property
    def kv_bytes_per_token(self) -> int:
        """KV cache of one token in 16-bit: 2·L·k·d·2, or the compressed latent of MLA."""
        if self.mla:
            return self.layers * (self.mla.kv_rank + self.mla.rope) * 2
        return 2 * self.layers * self.kv_heads * self.head_dim * 2
