"""`suanjia review`: a person's decision is written down once, with name and reason, and takes effect."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from suanjia.cli import cli
from tests.warehouse.warehouse_world import T0, World, offer
from warehouse.errors import BadRequest, WarehouseError
from warehouse.reader import open_latest
from warehouse.review import decide, held_back
from warehouse.reviews import append_review, read_reviews

Ask = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Ten sightings at 2.18, then one at 9.99, which is held back; every test gets a copy."""
    world = World(tmp_path_factory.mktemp("review") / "home")
    for i in range(10):
        world.run([offer(f"r{i}", T0 + timedelta(hours=6 * i))])
    world.run([offer("r10", T0 + timedelta(hours=60), price=Decimal("9.99"))])
    world.go()
    return world


@pytest.fixture
def shop(world: World, template: World) -> World:
    """A copy of the template's data directory."""
    shutil.copytree(template.home, world.home)
    world.now = template.now
    return world


def listed(world: World) -> list[dict[str, Any]]:
    con, _ = open_latest(world.home)
    try:
        return held_back(con, 10)
    finally:
        con.close()


def decided(world: World, **options: Any) -> None:
    con, _ = open_latest(world.home)
    try:
        decide(
            world.home,
            con,
            world.now,
            **{"released": [], "refused": [], "by": "li", "reason": "seen", **options},
        )
    finally:
        con.close()


def test_what_is_held_is_listed(shop: World) -> None:
    rows = listed(shop)
    assert [(row["held"], row["price"], row["provider"]) for row in rows] == [
        ("level_hold", Decimal("9.99"), "alpha")
    ]


def test_a_release_takes_effect_at_the_next_publish(shop: World, ask: Ask) -> None:
    name = listed(shop)[0]["id"]
    decided(shop, released=[name], reason="seller raised the price, seen on the page")
    assert ask("SELECT price FROM offers") == [(Decimal("2.18"),)]
    shop.publish()
    assert ask("SELECT price FROM offers") == [(Decimal("9.99"),)]
    assert ask("SELECT id, action, reviewer, reason FROM reviews") == [
        (name, "release", "li", "seller raised the price, seen on the page")
    ]
    assert listed(shop) == []
    assert ask("SELECT count(*) FROM observations") == [(11,)]


def test_a_refusal_stays_and_says_by_whom(shop: World, ask: Ask) -> None:
    decided(shop, refused=[listed(shop)[0]["id"]])
    shop.publish()
    assert ask("SELECT price FROM offers") == [(Decimal("2.18"),)]
    assert [review.action for review in read_reviews(shop.home / "reviews.jsonl")] == ["refuse"]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"by": None}, "name and a reason"),
        ({"by": "  "}, "name and a reason"),
        ({"reason": None}, "name and a reason"),
        ({"released": ["obs:0123456789abcdef/20261124T040000.000000Z/1.000000"]}, "not in the published"),
        ({"released": ["offer:0123456789abcdef"]}, "is no id of an observation"),
        ({"released": ["' OR 1=1"]}, "is no id of an observation"),
    ],
)
def test_what_is_no_decision(shop: World, options: dict[str, Any], word: str) -> None:
    name = listed(shop)[0]["id"]
    with pytest.raises(BadRequest, match=word):
        decided(shop, **{"refused": [name] if "released" in options else [], "released": [name], **options})
    assert not (shop.home / "reviews.jsonl").exists()


def test_one_named_twice_is_no_decision(shop: World) -> None:
    name = listed(shop)[0]["id"]
    with pytest.raises(BadRequest, match="named twice"):
        decided(shop, released=[name], refused=[name])


GOOD = {
    "id": "obs:0123456789abcdef/20261124T040000.000000Z/1.000000",
    "action": "release",
    "by": "a",
    "reason": "b",
    "decided_at": "2026-11-24T00:00:00+00:00",
}


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "3",
        json.dumps({"id": GOOD["id"]}),
        json.dumps({**GOOD, "id": "x"}),
        json.dumps({**GOOD, "action": "burn"}),
        json.dumps({**GOOD, "by": ""}),
        json.dumps({**GOOD, "held": "by hand"}),
        json.dumps({**GOOD, "decided_at": "2026-11-24T00:00:00"}),
        json.dumps({**GOOD, "more": 1}),
    ],
)
def test_a_damaged_file_of_decisions_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "reviews.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(BadRequest, match=r"reviews\.jsonl line 2"):
        read_reviews(path)


@pytest.mark.parametrize("words", ["a\u2028b", "a\x85b\x0b\x0c\x1c\u2029c", "换\n行\r\n了", '"\\', "=1"])
def test_any_words_are_read_back(shop: World, words: str) -> None:
    decided(shop, released=[listed(shop)[0]["id"]], by=words, reason=words)
    (found,) = read_reviews(shop.home / "reviews.jsonl")
    assert (found.by, found.reason) == (words, words)
    assert shop.publish().held == 0


def test_words_that_are_no_text_are_no_decision(shop: World) -> None:
    with pytest.raises(BadRequest, match="UTF-8"):
        decided(shop, released=[listed(shop)[0]["id"]], reason="seen \udcff")
    assert not (shop.home / "reviews.jsonl").exists()


def test_a_last_line_without_end_is_ended_first(tmp_path: Path) -> None:
    path = tmp_path / "reviews.jsonl"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    (first,) = read_reviews(path)
    append_review(path, first)
    assert read_reviews(path) == [first, first]


def test_a_decision_that_finds_no_space_leaves_the_file_as_it_was(
    shop: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, path = listed(shop)[0]["id"], shop.home / "reviews.jsonl"
    decided(shop, released=[name])
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WarehouseError, match="no space left"):
        decided(shop, refused=[name])
    assert path.read_bytes() == before


def test_a_damaged_file_of_decisions_stops_publish(shop: World) -> None:
    (shop.home / "reviews.jsonl").write_text("{\n", encoding="utf-8")
    with pytest.raises(BadRequest, match=r"reviews\.jsonl line 1"):
        shop.publish()


def test_a_decision_about_what_is_not_there_changes_nothing(shop: World) -> None:
    """Ids that the form allows: another store's, a moment that is none, a price that no column holds."""
    names = (
        GOOD["id"],
        "obs:0123456789abcdef/99999999T999999.000000Z/1.000000",
        "obs:0123456789abcdef/20261124T040000.000000Z/99999999999999999999.000000",
    )
    lines = [json.dumps({**GOOD, "id": name}) + "\n" for name in names]
    (shop.home / "reviews.jsonl").write_text("".join(lines), encoding="utf-8")
    assert shop.publish().held == 1


def test_the_command(shop: World) -> None:
    def run(*args: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["--home", str(shop.home), "review", *args], standalone_mode=False)
        code = getattr(done.exception, "exit_code", None)
        return done.return_value if code is None else code, done.stdout

    rows = json.loads(run("--json")[1])
    assert rows[0]["price"] == 9.99
    name = rows[0]["id"]
    assert run("--release", name) == (2, "")
    code, out = run("--release", name, "--by", "li", "--reason", "seen", "--json")
    assert (code, json.loads(out)) == (0, [{"id": name, "action": "release", "by": "li", "reason": "seen"}])
    shop.publish()
    assert run() == (4, "")
