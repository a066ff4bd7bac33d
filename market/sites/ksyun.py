"""KSyun 金山云: the signed spot-price history of its cloud hosts (optional route, a user's own keys).

Rebuilt after the vendor's API page (docs.ksyun.com/documents/3961): GET or POST, AWS4-style signature
over `content-type;host;x-amz-date`, a flat answer `{RequestId, InstanceType, AvailabilityZone,
SpotPrices[]}` with local times. That page names no GPU family and the answer of `DescribePrice` is not
documented: the call is refused here, and both GPU types below with their amounts are a `rebuilt sample`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import timedelta
from decimal import Decimal
from urllib.parse import parse_qsl, quote

from market.facts import SHANGHAI
from market.site import Answer, Ask, Route, Site, digest, json_answer, pick
from market.sites._compshare_api import TEST_PRIVATE_KEY, TEST_PUBLIC_KEY

ORIGIN = "https://kec.api.ksyun.com"
VERSION = "2016-03-04"
TYPES = {
    "GN6I.4A": "11.20",
    "P3I.8A": "22.40",
    "N3.1A": "0.1965",
}  # rebuilt sample but the last, the page's own CPU type
HISTORY = 3  # hours, the API's default
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<day>\d{8})/(?P<region>[^/]+)/(?P<service>[^/]+)"
    r"/aws4_request,\s*SignedHeaders=(?P<headers>[^,]+),\s*Signature=(?P<signature>[0-9a-f]{64})"
)


def signature(ask: Ask, found: re.Match[str], secret: str) -> str:
    """The AWS4 signature of a request; the host is the real one, whatever port the stand-in has."""
    pairs = sorted(parse_qsl(ask.query_string, keep_blank_values=True))
    query = "&".join(f"{quote(k, safe='-_.~')}={quote(v, safe='-_.~')}" for k, v in pairs)
    names = found["headers"].split(";")
    values = {name: "kec.api.ksyun.com" if name == "host" else ask.header(name).strip() for name in names}
    lines = [ask.method, "/", query, *(f"{n}:{values[n]}" for n in names), "", found["headers"]]
    canonical = "\n".join([*lines, hashlib.sha256(ask.body).hexdigest()])
    scope = f"{found['day']}/{found['region']}/{found['service']}/aws4_request"
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", ask.header("X-Amz-Date"), scope, hashed])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def failure(status: int, code: str, message: str) -> Answer:
    """An error of the API."""
    return json_answer(
        {"RequestId": digest(code, length=32), "Error": {"Code": code, "Message": message}}, status=status
    )


def call(ask: Ask) -> Answer:
    """`/`: DescribeSpotPriceHistory, signed."""
    found = AUTHORIZATION.match(ask.header("Authorization"))
    if found is None or found["key"] != TEST_PUBLIC_KEY:
        return failure(403, "InvalidClientTokenId", "The security token included in the request is invalid.")
    if not hmac.compare_digest(found["signature"], signature(ask, found, TEST_PRIVATE_KEY)):
        return failure(403, "SignatureDoesNotMatch", "The request signature does not match.")
    params = ask.form()
    if params.get("Action") != "DescribeSpotPriceHistory" or params.get("Version") != VERSION:
        return failure(400, "InvalidAction", "The action or version is not valid.")
    kind = params.get("InstanceType", "")
    if kind not in TYPES or (not ask.samples and kind != "N3.1A"):
        return failure(400, "InvalidInstanceType", "The instance type is not valid.")
    origin = Decimal(TYPES[kind])
    points = []
    for back in reversed(range(HISTORY)):
        moment = (
            (ask.now - timedelta(hours=back)).astimezone(SHANGHAI).replace(minute=0, second=0, microsecond=0)
        )
        spot = origin * (20 + pick(3, kind, moment)) / 100
        points.append(
            {
                "SpotPrice": float(round(spot, 4)),
                "OriginPrice": float(origin),
                "Timestamp": f"{moment:%Y-%m-%d %H:%M:%S}",
            }
        )
    zone = params.get("AvailabilityZone", "cn-beijing-6a")
    head = {"RequestId": f"KEC-{digest(kind, length=32)}", "InstanceType": kind, "AvailabilityZone": zone}
    return json_answer(head | {"SpotPrices": ask.cut(points)})


SITE = Site(
    slug="ksyun",
    name="金山云",
    origins={ORIGIN: (Route("/", call, "GET POST"),)},
    swaps={"changed_field": (('"SpotPrice"', '"Price"'), ('"OriginPrice"', '"ListPrice"'))},
)
