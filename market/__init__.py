"""The stand-in market: local sites that behave as the real ones are documented to, seeded with real dated
prices.

Everything it serves is *rebuilt*: paths, field names, units, paging, encodings and scripts follow the public
documentation named in each site module, and nothing here was ever captured live. Prices are the latest dated
facts of `market/data/market_facts.csv` at the market's clock; where no trustworthy price is known, a site may
also serve rows marked `rebuilt sample`, which `running(..., samples=False)` leaves out.
"""

from __future__ import annotations

DEMO_SITES: tuple[str, ...] = (
    *("aliyun", "autodl", "aws_cn", "compshare", "ctyun", "featurize", "gitee_ai", "gongji", "jdcloud"),
    *("jygpu", "matpool", "omniyq", "shengsuanyun"),
)
"""Sites whose prices are real dated facts when samples are left out: what the demo may show."""
