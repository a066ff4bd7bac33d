"""Signatures against the examples that the vendors' own documents work through."""

from __future__ import annotations

from datetime import UTC, datetime

from spiders.signing import aliyun_rpc, aws4, ucloud


def test_aliyun_rpc_example() -> None:
    """Aliyun ECS API reference, "Sign requests": DescribeRegions with testid / testsecret."""
    sent = aliyun_rpc(
        {"Action": "DescribeRegions", "Version": "2014-05-26", "Format": "XML"}, "testid", "testsecret",
        datetime(2016, 2, 23, 12, 46, 24, tzinfo=UTC), "3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf", "GET",
    )  # fmt: skip
    assert sent["Signature"] == "OLeaidS1JvxuMvnyHOwuJ+uX5qY="


def test_ucloud_example() -> None:
    """UCloud API documentation, "signature algorithm": CreateUHostInstance."""
    params = {
        "Action": "CreateUHostInstance", "Region": "cn-bj2", "Zone": "cn-bj2-04", "Name": "Host01",
        "ImageId": "f43736e1-65a5-4bea-ad2e-8a46e18883c2", "CPU": "2", "Memory": "2048", "DiskSpace": "10",
        "LoginMode": "Password", "Password": "VUNsb3VkLmNu", "Quantity": "1", "ChargeType": "Month",
        "PublicKey": "ucloudsomeone@example.com1296235120854146120",
    }  # fmt: skip
    sent = ucloud(params, "46f09bb9fab4f12dfc160dae12273d5332b5debe")
    assert sent["Signature"] == "4f9ef5df2abab2c6fccd1e9515cb7e2df8c6bb65"


def test_aws4_example() -> None:
    """AWS General Reference, "Signature Version 4": IAM ListUsers."""
    headers = aws4(
        "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", "AKIDEXAMPLE",
        "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", datetime(2015, 8, 30, 12, 36, tzinfo=UTC),
        ("us-east-1", "iam"),
        content_type="application/x-www-form-urlencoded; charset=utf-8",
    )  # fmt: skip
    assert headers["Authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date, "
        "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    )
