"""Runs inside a throwaway environment: public calculators on the panel rows, JSON in, JSON out.

In: `[{"id", "facts": {...}, "task": {...}}]`. Out: `{"fitcheck-llm 0.3.1": {"id": gib | null}, ...}`;
null = no answer.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

GIB = 1 << 30


def fitcheck(row: dict[str, Any]) -> float | None:
    """fitcheck-llm: one card, LoRA, QLoRA and full; no ZeRO."""
    from fitcheck import GpuSpec, ModelConfig, TrainingConfig, estimate

    facts, task = row["facts"], row["task"]
    if task["cards"] > 1 or facts["experts"]:
        return None
    config = ModelConfig(
        row["id"],
        facts["params"],
        facts["hidden"],
        facts["layers"],
        facts["heads"],
        facts["kv_heads"],
        facts["ffn"],
        facts["vocab"],
        facts["head_dim"],
        facts["tied"],
    )
    training = TrainingConfig(
        quantization={"nf4": "nf4", "nf4-dq": "nf4"}.get(task["quant"] or "", "none"),
        double_quant=task["quant"] == "nf4-dq",
        batch_size=task["micro_batch"],
        seq_len=task["seq_len"],
        lora_rank=task["lora_rank"] if task["method"] != "full" else None,
        grad_checkpoint=task["checkpoint"],
        flash_attn=task["flash"],
    )
    return estimate(config, training, GpuSpec("any", 200_000, 195_000)).total_mib / 1024


def vramcalc(row: dict[str, Any]) -> float | None:
    """vramcalc: one card, bf16 only; no quantisation."""
    from vramcalc.estimate import estimate

    facts, task = row["facts"], row["task"]
    if task["cards"] > 1 or task["quant"] or facts["experts"]:
        return None
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": facts["hidden"],
        "num_hidden_layers": facts["layers"],
        "num_attention_heads": facts["heads"],
        "num_key_value_heads": facts["kv_heads"],
        "head_dim": facts["head_dim"],
        "intermediate_size": facts["ffn"],
        "vocab_size": facts["vocab"],
        "tie_word_embeddings": facts["tied"],
    }
    found = estimate(
        config,
        mode="train",
        batch=task["micro_batch"],
        seq_len=task["seq_len"],
        lora_rank=task["lora_rank"] if task["method"] != "full" else None,
        grad_checkpoint=task["checkpoint"],
        precision="pure",
        attn_impl="flash" if task["flash"] else "eager",
    )
    return found.total / GIB


PEERS = {"fitcheck-llm": fitcheck, "vramcalc": vramcalc}


def main() -> None:
    """Every peer on every row; an exception of a peer is no answer."""
    panel = json.load(sys.stdin)
    answers: dict[str, dict[str, float | None]] = {}
    for name, ask in PEERS.items():
        found: dict[str, float | None] = {}
        for row in panel:
            try:
                found[row["id"]] = ask(row)
            except Exception as error:  # noqa: BLE001  a peer may fail in any way; that is its answer
                print(f"{name}: {row['id']}: {error}", file=sys.stderr)
                found[row["id"]] = None
        answers[f"{name} {version(name)}"] = found
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
