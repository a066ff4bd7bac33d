"""What `suanjia fit` says to a person: a table of the fits, then what stands behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from reports.marks import words as mark_words
from reports.numbers import half_up
from suanjia.grouped import told_below
from suanjia.wrapped import wrapped
from warehouse.textout import table

HEADS = ("#", "合计 CNY", "卡 cards", "平台 seller", "地区", "计费 mode", "小时 h")
UNKNOWN = {
    "storage": "存储 storage",
    "traffic": "流量 traffic",
    "transfer_time": "传输时间 transfer time",
    "deposit": "押金 deposit",
}
OWN = {"memory": "显存 memory", "speed": "速度 speed"}
LEVEL = Decimal("0.05")


def fit_words(document: dict[str, Any], sites: Mapping[str, str] | None = None) -> str:
    """One workload's answer. `sites`: where a seller is found, by slug."""
    need, fits = document["requirement"], document["fits"]
    lines = [f"任务 {document['workload']}: {need['model']} {need['method']}"]
    if fits:
        lines += [table(HEADS, [_row(fit) for fit in fits]), *_behind(fits), *_where(fits[0], sites or {})]
    else:
        lines += _nothing(document)
    safe = document.get("cheapest_non_interruptible")
    if safe:
        lines += wrapped("不被回收 never taken back: ", _short(safe))
    if document.get("why"):
        lines.append("淘汰 removed:")
    for row in document.get("why", ()):
        lines.append(f"  − {row['removed']:>6}  {row['reason']}")
    return "\n".join(lines)


def _row(fit: dict[str, Any]) -> list[str]:
    return [
        str(fit["rank"]),
        _range(fit["total_cny_p50"], fit["total_cny_p90"], "0.01"),
        _cards(fit),
        fit["provider"],
        fit["region"] or "—",
        fit["billing_mode"],
        _range(fit["hours_p50"], fit["hours_p90"], "0.01"),
    ]


def _cards(fit: dict[str, Any]) -> str:
    """`8×A100-80G`; of several machines `4×8×A100-80G`; with idle cards `2×RTX3090（闲 1）`."""
    idle = fit["gpu_count"] - fit["cards_used"]
    form = f" {fit['form']}" if fit["form"] else ""
    count = f"{fit['nodes']}×{fit['gpu_count'] // fit['nodes']}" if fit["nodes"] > 1 else fit["gpu_count"]
    return f"{count}×{fit['card']}{form}" + (f"（闲 {idle}）" if idle else "")


def _range(low: Decimal, high: Decimal, places: str) -> str:
    """`3.72–5.40`; one number where both are the same."""
    shown = [f"{Decimal(value).quantize(Decimal(places)):f}" for value in (low, high)]
    return shown[0] if shown[0] == shown[1] else "–".join(shown)


def _short(fit: dict[str, Any]) -> str:
    return (
        f"{_range(fit['total_cny_p50'], fit['total_cny_p90'], '0.01')} 元, {_cards(fit)}, "
        f"{fit['provider']} {fit['region'] or '—'} {fit['billing_mode']}, "
        f"{_range(fit['hours_p50'], fit['hours_p90'], '0.01')} h"
    )


def _behind(fits: list[dict[str, Any]]) -> list[str]:
    """Plans, gaps, corrections, margin and proof: each said once for the ranks it is true of."""
    said: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
        ("做法 plan", lambda fit: fit["strategy"]),
        ("标记 mark", _marks),
        ("闲置 idle", _idle),
        ("未知 not known", _unknown),
        ("实测修正 corrected by own runs", _own_runs),
        ("注 note", lambda fit: "; ".join(fit["notes"])),
    )
    lines = [line for name, say in said for line in told_below(name, ((f["rank"], say(f)) for f in fits))]
    rise = fits[0]["margin_to_next_pct"]
    if rise is not None and rise < LEVEL:
        lines += wrapped("领先 lead: ", f"与第 2 名同价 / #2 costs the same{_next_other(fits)}")
    elif rise is not None:
        lines.append(f"领先 lead: 涨 {rise} % 以内仍最便宜 / stays cheapest until +{rise} %")
    return lines + wrapped("依据 proof: ", fits[0]["proof"])


def _next_other(fits: list[dict[str, Any]]) -> str:
    """How much more another seller or card costs, where one is among the fits shown."""
    best = fits[0]
    for fit in fits[1:]:
        if (fit["provider"], fit["card"]) != (best["provider"], best["card"]):
            more = half_up((fit["total_cny_p50"] / best["total_cny_p50"] - 1) * 100, 1)
            zh, en = f"换平台或换卡贵 {more} %（第 {fit['rank']} 名）", f"another seller or card +{more} %"
            return f"；{zh} / {en} (#{fit['rank']})"
    return ""


def _where(best: dict[str, Any], sites: Mapping[str, str]) -> list[str]:
    """Where the first is rented, and what shows how it was read."""
    site = sites.get(best["provider"])
    proof = f"追溯 its proof: suanjia explain {best['offer_id']}"
    return wrapped("#1 去处 where: ", f"{site} {proof}") if site else wrapped("#1 ", proof)


def _marks(fit: dict[str, Any]) -> str:
    zh, en = (mark_words(fit["mark"], fit["age_hours"], lang) for lang in ("zh", "en"))
    return ", ".join(f"{chinese} {english}" for chinese, english in zip(zh, en, strict=True))


def _idle(fit: dict[str, Any]) -> str:
    idle = fit["gpu_count"] - fit["cards_used"]
    return f"{idle} 张也付钱 / {idle} paid for, not used" if idle else ""


def _unknown(fit: dict[str, Any]) -> str:
    return ", ".join(UNKNOWN[name] for name in fit["unknown"])


def _own_runs(fit: dict[str, Any]) -> str:
    return ", ".join(
        f"{OWN[name]} ×{found['factor']:.2f}（{found['runs']} 次 runs）"
        for name, found in (fit["own_runs"] or {}).items()
    )


def _nothing(document: dict[str, Any]) -> list[str]:
    lines = wrapped("没有合适的 nothing fits: ", document["nothing_fits_because"])
    would = document["smallest_that_would"]
    if would is None:
        return lines
    if "offer_id" in would:
        return [*lines, *wrapped("可行的 this would: ", _short(would)), *wrapped("  ", would["strategy"])]
    machine = (
        f"{would['cards']}×{would['card']}"
        + (f" in {would['nodes']} machines" if would["nodes"] > 1 else "")
        + f", {would['strategy']}; {would['peak_gib_p90']} GiB a card, "
        f"{would['host_ram_gib']} GiB host memory, {would['hours_p90']} h (p90)"
    )
    return [*lines, *wrapped("最小可行 the smallest that would: ", machine)]
