"""AWS China: the Bulk Price List of the `cn` partition, JSON and CSV, both regions, with Savings Plans.

Rebuilt after AWS's documented price list format, vantage-sh/ec2instances.info and karpenter's generated
`aws-cn` table. Real: on-demand Linux prices of cn-north-1, dated 2023-09-18 and 2024-11-06 (the version
in the URLs moves with them), and inf1.xlarge of the same table (no GPU). `rebuilt sample`: Reserved and
Savings Plans amounts, other systems and tenancies, everything in cn-northwest-1. Kept traps: zero rows,
capacity-reservation rows, dedicated tenancy, the stray `aws-cn-other` region, upfront parts as
`Quantity` rows, five metadata lines before the CSV header.
"""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

from market.site import Answer, Ask, Route, Site, digest, json_answer, not_found
from market.sites._aws_rows import (
    DISCLAIMER,
    EC2,
    LOCATIONS,
    PLANS,
    RESERVED_RATE,
    YEARS,
    Price,
    Row,
    attributes,
    prices,
    published,
    rows,
    term_entry,
    version,
)

ORIGIN = "https://pricing.cn-north-1.amazonaws.com.cn"


def offers_index(ask: Ask) -> Answer:
    """Step 1: the offers of the partition."""
    ec2 = {
        "offerCode": "AmazonEC2",
        "versionIndexUrl": f"{EC2}/index.json",
        "currentVersionUrl": f"{EC2}/current/index.json",
        "currentRegionIndexUrl": f"{EC2}/current/region_index.json",
        "savingsPlanVersionIndexUrl": f"{PLANS}/current/index.json",
        "currentSavingsPlanIndexUrl": f"{PLANS}/current/region_index.json",
    }
    head = {"formatVersion": "v1.0", "disclaimer": DISCLAIMER, "publicationDate": published(ask)}
    return json_answer(head | {"offers": {"AmazonEC2": ec2}})


def region_index(ask: Ask) -> Answer:
    """Step 2: one file a region, and the odd one."""
    urls = {r: f"{EC2}/{version(ask)}/{r}/index.json" for r in LOCATIONS}
    regions = {r: {"regionCode": r, "currentVersionUrl": urls[r]} for r in ask.cut(list(urls))}
    head = {"formatVersion": "v1.0", "disclaimer": DISCLAIMER, "publicationDate": published(ask)}
    return json_answer(head | {"regions": regions})


def region_file(ask: Ask) -> Answer:
    """Step 3, JSON: products and terms of one region and version."""
    region = ask.match["region"]
    if region not in LOCATIONS or ask.match["version"] not in {"current", version(ask)}:
        return not_found()
    products: dict[str, Any] = {}
    terms: dict[str, dict[str, Any]] = {"OnDemand": {}, "Reserved": {}}
    for row in ask.cut(rows(ask, region)):
        sku = row.sku(region)
        products[sku] = {
            "sku": sku,
            "productFamily": "Compute Instance",
            "attributes": attributes(region, row),
        }
        for price in prices(ask, row):
            rate, dimension = term_entry(sku, price)
            key = f"{sku}.{price.code}"
            lease = {
                "LeaseContractLength": price.lease,
                "PurchaseOption": price.option,
                "OfferingClass": "standard",
            }
            entry = (
                terms[price.term]
                .setdefault(sku, {})
                .setdefault(
                    key,
                    {
                        "offerTermCode": price.code,
                        "sku": sku,
                        "effectiveDate": published(ask),
                        "priceDimensions": {},
                        "termAttributes": lease if price.lease else {},
                    },
                )
            )
            entry["priceDimensions"][rate] = dimension
    head = {
        "formatVersion": "v1.0",
        "disclaimer": DISCLAIMER,
        "offerCode": "AmazonEC2",
        "version": version(ask),
        "publicationDate": published(ask),
    }
    return json_answer(head | {"products": products, "terms": terms})


CSV_HEAD = [
    *"SKU,OfferTermCode,RateCode,TermType,PriceDescription,EffectiveDate,StartingRange,EndingRange".split(
        ","
    ),
    *"Unit,PricePerUnit,Currency,LeaseContractLength,PurchaseOption,OfferingClass,Product Family".split(","),
    *"serviceCode,Location,Location Type,Instance Type,vCPU,Memory,GPU,Tenancy,Operating System".split(","),
    *"License Model,usageType,CapacityStatus,Pre Installed S/W,Region Code".split(","),
]


def csv_line(ask: Ask, region: str, row: Row, price: Price) -> list[str]:
    """One line of the CSV form."""
    sku = row.sku(region)
    rate, dimension = term_entry(sku, price)
    about = attributes(region, row)
    lease = [price.lease, price.option, "standard" if price.lease else ""]
    keys = (
        "servicecode",
        "location",
        "locationType",
        "instanceType",
        "vcpu",
        "memory",
        "gpu",
        "tenancy",
        "operatingSystem",
        "licenseModel",
        "usagetype",
        "capacitystatus",
        "preInstalledSw",
        "regionCode",
    )
    return [
        sku,
        price.code,
        rate,
        price.term,
        dimension["description"],
        published(ask)[:10],
        "0",
        "Inf",
        price.unit,
        f"{price.amount:.10f}",
        "CNY",
        *lease,
        "Compute Instance",
        *(about.get(key, "") for key in keys),
    ]


def region_csv(ask: Ask) -> Answer:
    """Step 3, CSV: five lines of metadata, then the header that begins with SKU."""
    region = ask.match["region"]
    if region not in LOCATIONS or ask.match["version"] not in {"current", version(ask)}:
        return not_found()
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    meta = (
        ("FormatVersion", "v1.0"),
        ("Disclaimer", DISCLAIMER),
        ("Publication Date", published(ask)),
        ("Version", version(ask)),
        ("OfferCode", "AmazonEC2"),
    )
    writer.writerows([*meta, CSV_HEAD])
    for row in ask.cut(rows(ask, region)):
        writer.writerows(csv_line(ask, region, row, price) for price in prices(ask, row))
    return Answer(text.getvalue().encode(), "text/csv")


def plan_index(ask: Ask) -> Answer:
    """Savings Plans: one file a region."""
    entries = [
        {"regionCode": r, "versionUrl": f"{PLANS}/{version(ask)}/{r}/index.json"}
        for r in ("cn-north-1", "cn-northwest-1")
    ]
    return json_answer(
        {"disclaimer": DISCLAIMER, "publicationDate": published(ask), "regions": ask.cut(entries)}
    )


def plan_file(ask: Ask) -> Answer:
    """`terms.savingsPlan[].rates[]`, joined on the SKU of the price file; empty without samples."""
    region = ask.match["region"]
    plans = []
    for lease, option in (("1yr", "No Upfront"), ("3yr", "No Upfront")) if ask.samples else ():
        rates = [
            {
                "discountedSku": row.sku(region),
                "discountedServiceCode": "AmazonEC2",
                "unit": "Hrs",
                "discountedUsageType": attributes(region, row)["usagetype"],
                "discountedOperation": "RunInstances",
                "discountedRate": {
                    "price": f"{row.price * (RESERVED_RATE[lease] + Decimal('0.05')):.6f}",
                    "currency": "CNY",
                },
            }
            for row in rows(ask, region)
            if row[1:5] == ("Linux", "NA", "Shared", "Used")
        ]
        plans.append(
            {
                "sku": digest("plan", region, lease, length=16).upper(),
                "description": f"{YEARS[lease]} year {option} Compute Savings Plan",
                "effectiveDate": published(ask),
                "leaseContractLength": {"duration": YEARS[lease], "unit": "year"},
                "rates": ask.cut(rates),
            }
        )
    return json_answer(
        {"version": version(ask), "regionCode": region, "products": [], "terms": {"savingsPlan": plans}}
    )


SITE = Site(
    slug="aws_cn",
    name="亚马逊云科技中国区",
    origins={
        ORIGIN: (
            Route("/offers/v1.0/cn/index.json", offers_index),
            Route(EC2 + "/current/region_index.json", region_index),
            Route(EC2 + "/{version}/{region}/index.json", region_file),
            Route(EC2 + "/{version}/{region}/index.csv", region_csv),
            Route(PLANS + "/current/region_index.json", plan_index),
            Route(PLANS + "/{version}/{region}/index.json", plan_file),
        )
    },
    swaps={
        "changed_field": (('"pricePerUnit"', '"unitPrice"'),),
        "changed_header": (('"PricePerUnit"', '"Price Per Unit"'),),
        "changed_unit": (('{"CNY":', '{"USD":'), ('"CNY"', '"USD"')),
    },
)
