"""The cloud stand-ins against the acceptance checks that their documents suggest."""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import json
from datetime import datetime
from decimal import Decimal
from urllib.parse import urlencode, urlsplit

from market.server import running
from market.sites import _aliyun_ecs, _compshare_api
from market.sites._compshare_api import TEST_PRIVATE_KEY, TEST_PUBLIC_KEY
from tests.market.market_client import Client

AWS = "https://pricing.cn-north-1.amazonaws.com.cn"
HUAWEI = "https://portal.huaweicloud.com/api/calculator/rest/cbc/portalcalculatornodeservice/v4/api"
VOLC = "https://www.volcengine.com"
BAIDU = "https://cloud.baidu.com/api"


def aws_file(market: Client, region: str) -> tuple[str, dict]:
    offers = market.get(f"{AWS}/offers/v1.0/cn/index.json").json()["offers"]["AmazonEC2"]
    regions = market.get(AWS + offers["currentRegionIndexUrl"]).json()["regions"]
    assert set(regions) == {"cn-north-1", "cn-northwest-1", "aws-cn-other"}
    url = regions[region]["currentVersionUrl"]
    return url, market.get(AWS + url).json()


def test_aws_prices_of_2024_and_the_rows_to_leave_out(market: Client) -> None:
    url, data = aws_file(market, "cn-north-1")
    assert "/20241106" in url
    kept: dict[str, str] = {}
    zero = 0
    for sku, product in data["products"].items():
        a = product["attributes"]
        (term,) = data["terms"]["OnDemand"][sku].values()
        (dimension,) = term["priceDimensions"].values()
        zero += Decimal(dimension["pricePerUnit"]["CNY"]) == 0
        plain = (a["operatingSystem"], a["preInstalledSw"], a["tenancy"]) == ("Linux", "NA", "Shared")
        if plain and "BoxUsage" in a["usagetype"] and "gpu" in a:
            kept[a["instanceType"]] = dimension["pricePerUnit"]["CNY"]
    assert zero >= 2
    # Table of 2024-11-06.
    assert kept["g4dn.xlarge"] == "5.2230000000"
    assert kept["g5.48xlarge"] == "154.0379500000"
    assert kept["p3.16xlarge"] == "288.6270000000"
    assert len(kept) == 24


def test_aws_csv_says_the_same_as_the_json(market: Client) -> None:
    url, data = aws_file(market, "cn-north-1")
    lines = market.get(AWS + url.replace(".json", ".csv")).text.splitlines()
    assert lines[5].startswith('"SKU"')
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[5:]))))
    on_demand = {r["SKU"]: r["PricePerUnit"] for r in rows if r["TermType"] == "OnDemand"}
    assert on_demand.keys() == data["products"].keys()
    assert {r["Unit"] for r in rows if r["TermType"] == "Reserved"} == {"Hrs", "Quantity"}


def test_aws_savings_plans_join_on_the_sku(market: Client) -> None:
    _, data = aws_file(market, "cn-north-1")
    offers = market.get(f"{AWS}/offers/v1.0/cn/index.json").json()["offers"]["AmazonEC2"]
    index = market.get(AWS + offers["currentSavingsPlanIndexUrl"]).json()["regions"]
    plan = market.get(AWS + index[0]["versionUrl"]).json()["terms"]["savingsPlan"][0]
    assert {r["discountedSku"] for r in plan["rates"]} <= data["products"].keys()
    assert {r["discountedRate"]["currency"] for r in plan["rates"]} == {"CNY"}


def test_aws_version_moves_with_the_facts_only() -> None:
    with running(datetime.fromisoformat("2024-06-01T00:00:00+08:00"), ["aws_cn"], samples=False) as origins:
        url, data = aws_file(Client(origins), "cn-north-1")
        assert "/20230918" in url
        assert not any(p["attributes"]["instanceType"].startswith("g5") for p in data["products"].values())
        assert data["terms"]["Reserved"] == {}


def azure_rows(market: Client) -> list[dict[str, str]]:
    url = "https://prices.azure.cn/api/retail/pricesheet/download"
    assert market.get(url).status == 400
    answer = market.get(url + "?api-version=2023-06-01-preview").json()
    link = urlsplit(answer["DownloadUrl"])
    assert market.get(link._replace(query="").geturl()).status == 403
    return list(csv.DictReader(io.StringIO(market.get(link.geturl()).text)))


def test_azure_sheet_is_net_and_reservations_are_totals(market: Client) -> None:
    rows = azure_rows(market)
    d2 = {
        (r["type"], r["term"]): Decimal(r["retailPrice"]) for r in rows if r["armSkuName"] == "Standard_D2_v3"
    }
    # Worked example of the analysis: x 1.06 gives 0.719, 1722 and 2970.
    assert round(d2["Consumption", ""] * Decimal("1.06"), 3) == Decimal("0.719")
    assert round(d2["Reservation", "1 Year"] * Decimal("1.06"), 2) == 1722
    assert round(d2["Reservation", "3 Years"] * Decimal("1.06"), 2) == 2970
    assert {r["type"] for r in rows} == {
        "Consumption",
        "Reservation",
        "SavingsPlanConsumption",
        "DevTestConsumption",
    }
    assert len(rows) > len({tuple(r.values()) for r in rows})  # exact duplicates
    assert any(r["effectiveStartDate"] > "2026-11-30" for r in rows)
    assert any("Windows" in r["productName"] for r in rows)


def test_tencent_keeps_fractions_and_the_whole_card_apart(market: Client) -> None:
    base = "https://workbench.cloud.tencent.com/cgi"
    regions = market.get(f"{base}/area/queryCvmRegion").json()["data"]["Response"]["RegionSet"]
    assert market.post(f"{base}/area/queryCvmRegion", {}).json()["code"] == 0
    guangzhou = next(r for r in regions if r["region"] == "ap-guangzhou")
    url = f"{base}/api?i=cvm/DescribeZoneInstanceConfigInfos&uin=&region=ap-guangzhou"
    body = {
        "action": "DescribeZoneInstanceConfigInfos",
        "region": "ap-guangzhou",
        "data": {"Filters": [{"Name": "zone", "Values": [guangzhou["zones"][2]["zone"]]}]},
    }
    rows = market.post(url, body).json()["data"]["Response"]["InstanceTypeQuotaSet"]
    by = {(r["InstanceType"], r["InstanceChargeType"]): r for r in rows}
    half, whole = by["GN7.2XLARGE40", "POSTPAID_BY_HOUR"], by["GN7.2XLARGE32", "POSTPAID_BY_HOUR"]
    assert (half["GpuCount"], half["Gpu"], whole["GpuCount"], whole["Gpu"]) == (0.5, 0, 1.0, 1)
    # The seller's domestic list of 2021: 7.81 an hour, 2250 a month.
    assert whole["Price"]["UnitPrice"] == 7.81
    assert by["GN7.2XLARGE32", "PREPAID"]["Price"]["OriginalPrice"] == 2250
    assert "DiscountPriceThreeYears" in whole["Price"]
    assert by["GN7.2XLARGE32", "SPOTPAID"]["Price"]["UnitPriceDiscount"] < 7.81
    assert any(r["InstanceFamily"] == "S5" and r["GpuCount"] == 0 for r in rows)
    error = market.post(url, body | {"region": "ap-nowhere"}).json()["data"]["Response"]["Error"]
    assert error["Code"] == "UnsupportedRegion"


def test_huawei_product_info_has_its_traps(market: Client) -> None:
    rows = market.get(
        f"{HUAWEI}/productInfo?urlPath=ecs&tag=general.online.portal&region=cn-north-4&tab=calc&sign=common"
    )
    flavors = rows.json()["product"]["ec2_vm"]
    codes = [f["resourceSpecCode"] for f in flavors]
    assert len(codes) == len(set(codes)) + 1
    two = next(f for f in flavors if f["spec"] == "pi2.4xlarge.4")
    assert two["acceleratorCard"] == "2 * NVIDIA T4 / 2 * 16G"
    assert two["cpu"] == "16BSSUNIT.pluralUnit.23"
    assert next(f for f in flavors if f["spec"] == "pi2.8xlarge.4")["mem"] == "131072BSSUNIT.pluralUnit.21"
    assert any("Remark:hidden" in f["productSpecSysDesc"] for f in flavors)
    ri = {p["originType"]: p["amount"] for p in two["planList"] if p["billingMode"] == "RI"}
    assert ri["price"] == 0 < ri["perPrice"]
    export = market.post(
        f"{HUAWEI}/export/productlist", {"urlPath": "ecs", "sources": [], "type": "JSON"}
    ).json()
    assert "pi2.2xlarge.4.linux" in {r["resourceSpecCode"] for r in export["cn-north-4"]}


def test_volcengine_templates_are_discovered_and_doubly_encoded(market: Client) -> None:
    found = {}
    loader = "__loader=__ssr_without_user/pricing/page&__ssrDirect=true"
    for product in ("ECS", "GPU_Server", "HPC_GPU", "ECS_BareMetal"):
        infos = market.get(f"{VOLC}/pricing?product={product}&tab=1&{loader}").json()["activeProductInfo"][
            "TemplateInfoList"
        ]
        codes = [i["TemplateCode"] for i in infos if i["Type"] == 1 and i["TableCodeList"]]
        found[product] = codes[0] if codes else None
    assert found["ECS_BareMetal"] is None
    code = found["GPU_Server"]
    price = f"{VOLC}/anonymous-api/trade/price"
    wanted = {"TemplateCode": code}
    rows = market.post(f"{price}?Action=GetTable&Version=2020-01-01", wanted).json()["Result"]
    charges = {r["ChargeItemCode"].rpartition("_")[2] for r in rows["TableList"][0]["Rows"]}
    assert charges == {"cn-beijing", "cn-beijing2", "cn-shanghai", "cn-guangzhou"}
    listed = market.get(f"{price}?Action=ListTemplate&Version=2020-01-01&TemplateCode={code}").json()
    tree = json.loads(listed["Result"]["List"][0]["Template"])
    leaf = tree["Children"][0]["Children"][0]
    assert json.loads(leaf["AvailableZone"])[0]["ZoneCode"].startswith(leaf["Region"])
    assert market.post(f"{price}?Action=GetTable&Version=2020-01-01", {"TemplateCode": "CLT1"}).status == 400


def test_baidu_minutes_disks_and_batch_order(market: Client) -> None:
    zones = market.post(f"{BAIDU}/calculator/bccFlavor", {"region": "bj"}).json()["result"]["zoneResources"]
    assert {type(z["cdsResources"]) for z in zones} == {dict, list}
    spec = "bcc.gn3.c12m50.1v100-16g"
    bcc = {"spec": spec, "productType": "postpay", "rootDiskStorageType": "ssd"}
    url = f"{BAIDU}/calculator/bcc/instance/priceV2"
    assert (
        market.post(url, {"bcc": bcc, "purchaseLength": 1, "region": "bj"}).json()["result"]["money"] is None
    )
    fits = bcc | {"rootDiskStorageType": "enhanced_ssd_pl1"}
    result = market.post(url, {"bcc": fits, "purchaseLength": 1, "region": "bj"}).json()["result"]
    price = {d["servicetype"]: d["price"][0] for d in result["priceDetail"]}
    assert price["BCC"] == 0.185  # yuan a minute: 11.10 an hour
    assert result["money"] > price["BCC"]
    prepay = fits | {"productType": "prepay"}
    four = {
        "spec": "bcc.gn3.c48m200.4v100-16g",
        "productType": "prepay",
        "rootDiskStorageType": "enhanced_ssd_pl1",
    }
    batch = {"purchaseLengthList": [1, 12], "purchaseNum": 1, "region": "bj", "bccList": [prepay, four]}
    results = market.post(url, batch).json()["result"]["bccPayResults"]["bccResults"]
    amounts = [r["priceDetail"][0]["price"][0] for r in results]
    assert amounts == [5220, 20880, 5220 * 12, 20880 * 12]  # duration-major


def test_jdcloud_documents_say_how_old_they_are(market: Client) -> None:
    page = market.get("https://docs.jdcloud.com/cn/virtual-machines/price-overview").text
    assert "最近更新：2020年" in page
    assert 'rowspan="3"' in page
    assert 'colspan="2"' in page
    for amount in ("4241.5", "14.73", "3181.13", "11.05", "86.27"):
        assert f">{amount}<" in page
    voucher = market.get("https://docs.jdcloud.com/cn/virtual-machines/instance-voucher-price").text
    assert ">6211.25<" in voucher


def test_signed_optional_routes(market: Client) -> None:
    params = {
        "Action": "DescribeSpotPriceHistory",
        "RegionId": "cn-beijing",
        "InstanceType": "ecs.gn7i-c8g1.2xlarge",
        "NetworkType": "vpc",
        "AccessKeyId": TEST_PUBLIC_KEY,
        "SignatureNonce": "1/2 ~*",
    }
    url = "https://ecs.cn-beijing.aliyuncs.com/?"
    assert market.get(url + urlencode(params | {"Signature": "x"})).json()["Code"] == "SignatureDoesNotMatch"
    signature = _aliyun_ecs.sign("GET", params, TEST_PRIVATE_KEY)
    points = market.get(url + urlencode(params | {"Signature": signature})).json()["SpotPrices"][
        "SpotPriceType"
    ]
    assert {p["OriginPrice"] for p in points} == {9.5326}
    assert all(p["SpotPrice"] < p["OriginPrice"] for p in points)
    call = {
        "Action": "GetUHostInstancePrice",
        "Region": "cn-bj2",
        "Zone": "cn-bj2-05",
        "MachineType": "G",
        "GPU": "1",
        "GpuType": "V100S",
        "CPU": "8",
        "Memory": "32768",
        "Disks.0.Size": "40",
        "PublicKey": TEST_PUBLIC_KEY,
    }
    query = urlencode(call | {"Signature": _compshare_api.sign(call, TEST_PRIVATE_KEY)})
    prices = {p["ChargeType"]: p for p in market.get(f"https://api.ucloud.cn/?{query}").json()["PriceSet"]}
    assert prices["Dynamic"]["Price"] > prices["Dynamic"]["PriceDetail"]["UHost"] == 15.6
    assert prices["Year"]["OriginalPrice"] > prices["Year"]["Price"]


def test_ksyun_spot_history_is_signed_for_the_real_host(market: Client) -> None:
    query = (
        "Action=DescribeSpotPriceHistory&AvailabilityZone=cn-beijing-6a&InstanceType=N3.1A&Version=2016-03-04"
    )
    date, scope = "20261130T000000Z", "20261130/cn-beijing-6/kec/aws4_request"
    kind = "application/x-www-form-urlencoded"
    names = "content-type;host;x-amz-date"
    lines = [
        "GET",
        "/",
        query,
        f"content-type:{kind}",
        "host:kec.api.ksyun.com",
        f"x-amz-date:{date}",
        "",
        names,
    ]
    canonical = "\n".join([*lines, hashlib.sha256(b"").hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{TEST_PRIVATE_KEY}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    mac = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers = {"Content-Type": kind, "X-Amz-Date": date}
    for signature, status in ((mac, 200), ("0" * 64, 403)):
        credential = f"AWS4-HMAC-SHA256 Credential={TEST_PUBLIC_KEY}/{scope}"
        headers["Authorization"] = f"{credential}, SignedHeaders={names}, Signature={signature}"
        got = market.get(f"https://kec.api.ksyun.com/?{query}", headers)
        assert got.status == status
        if status == 200:
            assert [p["OriginPrice"] for p in got.json()["SpotPrices"]] == [0.1965] * 3
