"""AWS China's products, prices and terms, before they are written as JSON or CSV (see `aws_cn`)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from market.facts import latest, market_day, provider_facts
from market.site import Ask, digest

EC2 = "/offers/v1.0/cn/AmazonEC2"
PLANS = "/savingsPlan/v1.0/cn/AWSComputeSavingsPlan"
LOCATIONS = {"cn-north-1": "China (Beijing)", "cn-northwest-1": "China (Ningxia)", "aws-cn-other": "Any"}
PREFIX = {"cn-north-1": "CNN1", "cn-northwest-1": "CNW1", "aws-cn-other": "CNO"}
DISCLAIMER = "Rebuilt stand-in of the AWS China price list; not an offer of anybody."

# fmt: off
SPECS: dict[str, tuple[int, str, int]] = {  # type → vCPU, memory, GPUs (AWS's public specifications)
    "g4dn.xlarge": (4, "16 GiB", 1), "g4dn.2xlarge": (8, "32 GiB", 1), "g4dn.4xlarge": (16, "64 GiB", 1),
    "g4dn.8xlarge": (32, "128 GiB", 1), "g4dn.12xlarge": (48, "192 GiB", 4),
    "g4dn.16xlarge": (64, "256 GiB", 1),
    "g5.xlarge": (4, "16 GiB", 1), "g5.2xlarge": (8, "32 GiB", 1), "g5.4xlarge": (16, "64 GiB", 1),
    "g5.8xlarge": (32, "128 GiB", 1), "g5.12xlarge": (48, "192 GiB", 4), "g5.16xlarge": (64, "256 GiB", 1),
    "g5.24xlarge": (96, "384 GiB", 4), "g5.48xlarge": (192, "768 GiB", 8), "p3.2xlarge": (8, "61 GiB", 1),
    "p3.8xlarge": (32, "244 GiB", 4), "p3.16xlarge": (64, "488 GiB", 8), "p2.xlarge": (4, "61 GiB", 1),
    "p2.8xlarge": (32, "488 GiB", 8), "p2.16xlarge": (64, "732 GiB", 16), "g3s.xlarge": (4, "30.5 GiB", 1),
    "g3.4xlarge": (16, "122 GiB", 1), "g3.8xlarge": (32, "244 GiB", 2), "g3.16xlarge": (64, "488 GiB", 4),
    "inf1.xlarge": (4, "8 GiB", 0), "c5.large": (2, "4 GiB", 0), "m5.xlarge": (4, "16 GiB", 0),
}
# fmt: on
NOT_GPU = {"inf1.xlarge": "2.288"}  # same table of 2024-11-06
CPU_SAMPLES = {"c5.large": "0.755", "m5.xlarge": "1.82"}  # rebuilt sample
TERMS = {
    "OnDemand": "JRTCKXETXF",
    "1yr|No Upfront": "4NA7Y494T4",
    "1yr|Partial Upfront": "HU7G6KETJZ",
    "1yr|All Upfront": "6QCMYABX3D",
    "3yr|No Upfront": "BPH4J8HBKS",
    "3yr|All Upfront": "NQ3QZPMQV9",
}
RESERVED_RATE = {"1yr": Decimal("0.63"), "3yr": Decimal("0.42")}  # rebuilt sample
YEARS = {"1yr": 1, "3yr": 3}


class Row(NamedTuple):
    """One product: a type under one system, tenancy and capacity status, with its hourly price."""

    kind: str
    system: str
    software: str
    tenancy: str
    capacity: str
    price: Decimal

    def sku(self, region: str) -> str:
        """A stable 16-character SKU."""
        return digest(region, *self[:5], length=16).upper()


class Price(NamedTuple):
    """One price dimension of one term."""

    term: str
    code: str
    unit: str
    amount: Decimal
    lease: str = ""
    option: str = ""


def version(ask: Ask) -> str:
    """The file's version: the day of the newest fact, as AWS numbers its files."""
    days = [f.since for f in provider_facts("aws_cn") if f.since <= market_day(ask.now)]
    return f"{max(days):%Y%m%d}181523" if days else "20150901000000"


def published(ask: Ask) -> str:
    """`publicationDate` of that version."""
    number = version(ask)
    return f"{number[:4]}-{number[4:6]}-{number[6:8]}T18:15:23Z"


def rows(ask: Ask, region: str) -> list[Row]:
    """The products of a region."""
    facts = latest(
        provider_facts("aws_cn"), ask.now, lambda f: f.sku if f.region_raw == "cn-north-1" else None
    )
    real = {f.sku: f.amount for f in facts.values()}
    if not real:
        return []
    plain = ("Linux", "NA", "Shared", "Used")
    if region == "cn-north-1":
        real |= {kind: Decimal(amount) for kind, amount in NOT_GPU.items()}
        found = [Row(kind, *plain, price) for kind, price in real.items()]
    else:
        found = [Row(kind, *plain, real[kind] - 1) for kind in ("g4dn.xlarge", "p3.2xlarge") if ask.samples]
    if not ask.samples:
        return found
    if region == "cn-north-1":
        found.append(
            Row("p3.2xlarge", "Linux", "NA", "Shared", "UnusedCapacityReservation", real["p3.2xlarge"])
        )
        found.append(Row("g4dn.xlarge", "Linux", "NA", "Shared", "AllocatedCapacityReservation", Decimal(0)))
        found.append(Row("g4dn.xlarge", "Windows", "NA", "Shared", "Used", real["g4dn.xlarge"] + 2))
        found.append(Row("g4dn.xlarge", "Linux", "SQL Std", "Shared", "Used", real["g4dn.xlarge"] + 3))
        found.append(Row("g4dn.xlarge", "Linux", "NA", "Dedicated", "Used", real["g4dn.xlarge"] + 1))
        found.append(Row("g3.4xlarge", "RHEL", "NA", "Shared", "Used", Decimal(0)))
    found += [Row(kind, *plain, Decimal(price)) for kind, price in CPU_SAMPLES.items()]
    return found


def prices(ask: Ask, row: Row) -> Iterator[Price]:
    """Price dimensions of a product: on demand, and (samples) reserved with their upfront parts."""
    yield Price("OnDemand", TERMS["OnDemand"], "Hrs", row.price)
    if not ask.samples or row.capacity != "Used" or row.system != "Linux" or row.tenancy != "Shared":
        return
    for name, code in list(TERMS.items())[1:]:
        lease, option = name.split("|")
        hourly = row.price * RESERVED_RATE[lease]
        half = {"No Upfront": Decimal(0), "Partial Upfront": Decimal("0.5"), "All Upfront": Decimal(1)}[
            option
        ]
        yield Price("Reserved", code, "Hrs", hourly * (1 - half), lease, option)
        if half:
            upfront = (hourly * half * 8760 * YEARS[lease]).quantize(Decimal(1))
            yield Price("Reserved", code, "Quantity", upfront, lease, option)


def attributes(region: str, row: Row) -> dict[str, str]:
    """`attributes` of a product."""
    vcpu, memory, gpus = SPECS[row.kind]
    box = "DedicatedUsage" if row.tenancy == "Dedicated" else "BoxUsage"
    box = {"UnusedCapacityReservation": "UnusedBox", "AllocatedCapacityReservation": "Reservation"}.get(
        row.capacity, box
    )
    found = {
        "servicecode": "AmazonEC2",
        "location": LOCATIONS[region],
        "locationType": "AWS Region",
        "instanceType": row.kind,
        "vcpu": str(vcpu),
        "memory": memory,
        "tenancy": row.tenancy,
        "operatingSystem": row.system,
        "licenseModel": "No License required",
        "usagetype": f"{PREFIX[region]}-{box}:{row.kind}",
        "capacitystatus": row.capacity,
        "preInstalledSw": row.software,
        "regionCode": region,
    }
    return found | ({"gpu": str(gpus)} if gpus else {})


def term_entry(sku: str, price: Price) -> tuple[str, dict[str, Any]]:
    """Rate code and price dimension."""
    rate = f"{sku}.{price.code}.{'6YS6EN2CT7' if price.unit == 'Hrs' else '2TG2D8R56U'}"
    return rate, {
        "rateCode": rate,
        "description": f"CNY {price.amount} per {price.unit}",
        "beginRange": "0",
        "endRange": "Inf",
        "unit": price.unit,
        "pricePerUnit": {"CNY": f"{price.amount:.10f}"},
        "appliesTo": [],
    }
