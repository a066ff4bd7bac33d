"""Signatures of cloud APIs as their vendors document them, for routes behind a user's own key.

Only the signature is made here: the request itself is a Scrapy request like any other, so that delay, robots,
evidence and the origins table hold. Nothing here reads a clock or makes a random number. No Scrapy here.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit


def aliyun_rpc(
    params: Mapping[str, str], key: str, secret: str, now: datetime, nonce: str, method: str = "POST"
) -> dict[str, str]:
    """All parameters of an Aliyun RPC call, signed: HMAC-SHA1 over the sorted, percent-encoded query, keyed
    with the secret and an ampersand (Aliyun, "RPC signature", version 1.0).

    `nonce` must be another for each call of an account; `now` may be off by 15 minutes.
    """
    sent = {
        "Format": "JSON",
        "AccessKeyId": key,
        "SignatureMethod": "HMAC-SHA1",
        "SignatureVersion": "1.0",
        "SignatureNonce": nonce,
        "Timestamp": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        **params,
    }
    query = "&".join(f"{_encoded(name)}={_encoded(sent[name])}" for name in sorted(sent))
    text = f"{method}&{_encoded('/')}&{_encoded(query)}"
    digest = hmac.new(f"{secret}&".encode(), text.encode(), hashlib.sha1).digest()
    return sent | {"Signature": base64.b64encode(digest).decode()}


def ucloud(params: Mapping[str, str], secret: str) -> dict[str, str]:
    """The parameters of a UCloud call, signed: SHA-1 over names and values run together in the order of the
    names, and the private key."""
    line = "".join(name + params[name] for name in sorted(params)) + secret
    return {**params, "Signature": hashlib.sha1(line.encode(), usedforsecurity=False).hexdigest()}


def aws4(
    url: str,
    key: str,
    secret: str,
    now: datetime,
    scope: tuple[str, str],
    content_type: str = "application/x-www-form-urlencoded",
) -> dict[str, str]:
    """Headers of a GET in AWS signature version 4 (also KSyun's), over host, date and content type. `scope`
    is (region, service).

    The query of `url` must be in the order of its names, percent-encoded.
    """
    parts = urlsplit(url)
    moment = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    signed = {"content-type": content_type, "host": parts.netloc, "x-amz-date": moment}
    names = ";".join(sorted(signed))
    lines = [f"{name}:{signed[name]}" for name in sorted(signed)]
    no_body = hashlib.sha256(b"").hexdigest()
    canonical = "\n".join(["GET", parts.path or "/", parts.query, *lines, "", names, no_body])
    place = f"{moment[:8]}/{scope[0]}/{scope[1]}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", moment, place, hashlib.sha256(canonical.encode()).hexdigest()])
    signing = f"AWS4{secret}".encode()
    for part in place.split("/"):
        signing = hmac.new(signing, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(signing, text.encode(), hashlib.sha256).hexdigest()
    credential = f"AWS4-HMAC-SHA256 Credential={key}/{place}, SignedHeaders={names}, Signature={signature}"
    return {"Content-Type": content_type, "X-Amz-Date": moment, "Authorization": credential}


def _encoded(text: str) -> str:
    return quote(text, safe="-_.~")
