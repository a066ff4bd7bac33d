"""The price call of UCloud for each machine size that its list of types names."""

from typing import Any

from spiders.shape import text

REGIONS = ("cn-bj2", "cn-sh2", "cn-gd", "cn-wlcb")
STATUS = {"Normal": "available", "Soldout": "sold_out"}


def shape_of(region: str, row: Any, size: Any) -> dict[str, str]:
    """The price call of a machine size; memory is asked in MB."""
    memory = int(text(size, "Collection/0/Memory/0") or 0) * 1024
    return {"Action": "GetUHostInstancePrice", "Region": region, "Zone": row["Zone"], "MachineType": "G",
            "GPU": text(size, "Gpu") or "1", "GpuType": row["GpuType"], "Count": "1", "Memory": str(memory),
            "CPU": text(size, "Collection/0/Cpu") or ""}  # fmt: skip
