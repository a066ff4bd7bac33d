"""What `suanjia vet` says to a person: the verdict, what fails first, and every check by its name."""

from __future__ import annotations

from typing import Any

from suanjia.wrapped import wrapped

VERDICTS = {
    "as_sold": "与所售一致 / as sold",
    "differs": "与所售不符 / not what was sold",
    "suspect": "存疑 / suspect",
}
# A run is judged by what it used, not by what was sold.
RUN_VERDICTS = {"as_sold": "运行正常 / ran as planned", "suspect": "运行有疑点 / the run has doubts"}
MARKS = {True: "✓", False: "✗", None: "?"}
NAMES = {
    "count": "卡数",
    "name": "型号",
    "form": "形态",
    "vram": "显存",
    "memory_possible": "显存是否可能",
    "compute_capability": "算力版本",
    "device_id": "设备号",
    "power_limit": "功耗上限",
    "ecc": "ECC",
    "mig": "MIG",
    "whole_card": "整卡",
    "interconnect": "互联",
    "pcie_width": "PCIe 宽度",
    "driver_knows_card": "驱动是否认识此卡",
    "cuda_of_driver": "CUDA 与驱动",
    "ecc_errors": "ECC 错误",
    "memory_faults": "显存故障",
    "sensors": "传感器",
    "slowdown": "降频",
    "layout": "文本对齐",
    "whole_text": "文本完整",
    "sections_agree": "各段一致",
    "uuid": "UUID",
    "utilisation": "利用率",
    "idle_cards": "闲置卡",
    "memory_peak": "显存峰值",
    "power_throttle": "功耗限频",
    "thermal_throttle": "过热限频",
    "throttle": "限频",
    "clock": "频率",
    "sbecc_errors": "单比特 ECC 错误",
    "dbecc_errors": "双比特 ECC 错误",
}
RUN = {
    "cards": "卡数 cards",
    "samples": "采样 samples",
    "hours": "小时 hours",
    "hours_from": "时长来源 hours from",
    "sm_mean_pct": "平均利用率 mean sm %",
    "peak_gib": "显存峰值 peak GiB",
    "power_mean_w": "平均功耗 mean W",
}


def vet_words(result: dict[str, Any]) -> str:
    """The verdict and its checks; what was expected stands where it was not found."""
    verdicts = RUN_VERDICTS if "run" in result else VERDICTS
    lines = [verdicts[result["verdict"]]]
    for check in sorted(result["checks"], key=lambda check: [False, None, True].index(check["ok"])):
        head = f"{MARKS[check['ok']]} {NAMES[check['name']]} {check['name']}: "
        text = check["found"] or "未给出 not in the text"
        if check["expected"] and check["ok"] is not True:
            text += f"（应为 expected {check['expected']}）"
        lines += wrapped(head, text + (f" — {check['note']}" if "note" in check else ""))
    lines += [
        f"  {RUN[name]}: {'—' if value is None else value}" for name, value in result.get("run", {}).items()
    ]
    if "saved" in result:
        lines.append("已记录 kept: size 与 fit 以后据此修正 / size and fit are corrected by it")
    return "\n".join(lines)
