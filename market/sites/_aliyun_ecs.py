"""Aliyun's signed ECS API (RPC 2014-05-26): spot history and stock, behind a user's own key.

Rebuilt after the official SDK: HMAC-SHA1 over the sorted, percent-encoded query, errors with a `Code`
and an HTTP status. `OriginPrice` is the real list price of 2024-10-09; `SpotPrice` (20 % of it, moving a
little every hour) and stock are `rebuilt sample`: without samples the history is empty.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from market.facts import latest, provider_facts
from market.site import Answer, Ask, json_answer, pick
from market.sites._compshare_api import TEST_PRIVATE_KEY, TEST_PUBLIC_KEY

HOSTS = ("cn-beijing", "cn-shenzhen", "cn-wulanchabu", "cn-zhangjiakou", "cn-guangzhou", "cn-heyuan")
HISTORY = 3  # hours, the API's default


def sign(method: str, params: Mapping[str, str], secret: str) -> str:
    """Base64 of HMAC-SHA1 over METHOD & %2F & the canonical query, keyed with the secret and an `&`."""

    def enc(text: str) -> str:
        return quote(text, safe="-_.~")

    query = "&".join(f"{enc(k)}={enc(params[k])}" for k in sorted(params) if k != "Signature")
    text = f"{method}&{enc('/')}&{enc(query)}"
    return base64.b64encode(hmac.new((secret + "&").encode(), text.encode(), hashlib.sha1).digest()).decode()


def failure(status: int, code: str, message: str) -> Answer:
    """An error of the API."""
    body = {"RequestId": "0F0E0D0C-0000-4000-8000-000000000000", "Code": code, "Message": message}
    return json_answer(body, status=status)


def types(ask: Ask, region: str) -> dict[str, Decimal]:
    """Instance type → hourly list price in a region."""
    found = latest(
        provider_facts("aliyun"),
        ask.now,
        lambda f: f.sku if f.region_raw == region and f.mode == "on_demand" else None,
    )
    return {f.sku: f.amount for f in found.values()}


def spot_history(ask: Ask, params: Mapping[str, str]) -> Answer:
    """DescribeSpotPriceHistory: one type, one point an hour."""
    region = params.get("RegionId", "")
    listed = types(ask, region).get(params.get("InstanceType", ""))
    if listed is None:
        return failure(
            404, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported."
        )
    points: list[dict[str, Any]] = []
    for back in range(HISTORY) if ask.samples else ():
        moment = (ask.now.astimezone(UTC) - timedelta(hours=back)).replace(minute=0, second=0, microsecond=0)
        price = listed * (20 + pick(3, params["InstanceType"], moment)) / 100
        points.append(
            {
                "ZoneId": f"{region}-a",
                "InstanceType": params["InstanceType"],
                "NetworkType": "vpc",
                "SpotPrice": float(round(price, 3)),
                "OriginPrice": float(listed),
                "Timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
        )
    return json_answer({"Currency": "CNY", "NextOffset": 0, "SpotPrices": {"SpotPriceType": ask.cut(points)}})


def available(ask: Ask, params: Mapping[str, str]) -> Answer:
    """DescribeAvailableResource: stock per zone and type."""
    region = params.get("RegionId", "")
    words = ("WithStock", "WithStock", "ClosedWithStock", "WithoutStock")
    resources = [
        {"Value": kind, "Status": "Available", "StatusCategory": words[pick(4, region, kind)]}
        for kind in types(ask, region)
    ]
    listed = {"SupportedResource": ask.cut(resources)}
    zone = {
        "RegionId": region,
        "ZoneId": f"{region}-a",
        "Status": "Available",
        "AvailableResources": {"AvailableResource": [{"Type": "InstanceType", "SupportedResources": listed}]},
    }
    return json_answer({"AvailableZones": {"AvailableZone": [zone] if ask.samples else []}})


ACTIONS = {"DescribeSpotPriceHistory": spot_history, "DescribeAvailableResource": available}


def call(ask: Ask) -> Answer:
    """`/`: any action, signed."""
    params = ask.form()
    if params.get("AccessKeyId") != TEST_PUBLIC_KEY:
        return failure(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
    if params.get("Signature") != sign(ask.method, params, TEST_PRIVATE_KEY):
        return failure(
            400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation."
        )
    action = params.get("Action", "")
    if action not in ACTIONS:
        return failure(404, "InvalidAction.NotFound", "Specified api is not found.")
    return ACTIONS[action](ask, params)
