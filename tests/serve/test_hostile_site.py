"""A site that means harm, asked by a real crawl: it sends the crawler inside, writes on its terminal, tells
it its own secrets.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from spiders.evidence import EvidenceStore
from tests.spiders.site import Answer, serving
from tests.suanjia.cli import said, suanjia

API = "/api/machine_pools"
REAL = "https://matgo.cn"
SECRET = "a-token-that-nobody-may-see-9f8e7d"


@pytest.mark.slow
@pytest.mark.parametrize(
    "where",
    [
        "http://localhost:{port}/", "http://[::ffff:127.0.0.1]:{port}/", "http://2130706433:{port}/",
        "http://0.0.0.0:{port}/", "http://matgo.cn@127.0.0.1:{port}/", "file:///etc/passwd",
        "http://169.254.169.254/latest/meta-data/",
    ],
)  # fmt: skip
def test_a_redirect_leads_nowhere_inside(tmp_path: Path, where: str) -> None:
    with serving({"/": Answer("the secret of the house")}) as inside:
        target = where.format(port=inside.port)
        with serving({API: Answer(status=302, headers={"Location": target})}) as site:
            done = suanjia(tmp_path, "crawl", "matpool", "--json", origins={REAL: site.origin})
        (row,) = said(done)["providers"]
        assert done.returncode == 4 and row["outcome"] != "ok" and row["offers"] == 0
        assert inside.log == []
    for path in (tmp_path / "evidence").rglob("*.zst"):
        body = EvidenceStore(tmp_path / "evidence").read(path.stem)
        assert b"secret of the house" not in body and b"root:" not in body


@pytest.mark.slow
def test_words_of_a_site_stay_on_their_line_and_secrets_in_their_place(tmp_path: Path) -> None:
    """The site echoes the user's own key, and writes control characters where they reach messages."""
    evil = f'{{"code": "\\u001b[31mRED\\r\\nFORGED line\\u0000", "token": "{SECRET}"}}'
    with serving({API: Answer(evil, type="application/json")}) as site:
        done = suanjia(
            tmp_path, "-vv", "crawl", "matpool", origins={REAL: site.origin},
            matpool_token=SECRET, autodl_token=SECRET,
        )  # fmt: skip
    shown = suanjia(tmp_path, "providers").stdout
    for text in (done.stdout, done.stderr, shown):
        assert "\x1b" not in text and "\0" not in text and SECRET not in text
        assert not any(line.startswith("FORGED") for line in text.splitlines())
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.suffix != ".zst":
            assert SECRET.encode() not in path.read_bytes(), path
