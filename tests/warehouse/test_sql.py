"""`suanjia sql`: answers, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from suanjia.cli import cli
from tests.warehouse.warehouse_world import World, offer
from warehouse.asked import ask
from warehouse.errors import BadRequest
from warehouse.jsonout import dumps
from warehouse.query import select
from warehouse.textout import csv_text, table, width


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published world with one offer."""
    world = World(tmp_path_factory.mktemp("sql") / "home")
    world.run([offer("r0")])
    world.go()
    return world.home


QUERIES = (["sql", "SELECT 1"], ["cheapest"], ["review"], ["explain", "offer:" + "0" * 16])
HOSTILE = [
    # files
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_csv_auto('{secret}')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM read_json('{secret}')",
    "SELECT * FROM read_json_objects('{secret}')",
    "SELECT * FROM read_ndjson('{secret}')",
    "SELECT * FROM read_parquet('{secret}')",
    "SELECT * FROM parquet_metadata('{secret}')",
    "SELECT * FROM parquet_scan('{secret}')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM '{secret}'",
    "FROM '{folder}/*.csv'",
    "SELECT * FROM query('SELECT * FROM read_text(''{secret}'')')",
    "SELECT * FROM query_table('{secret}')",
    "SELECT (SELECT content FROM read_text('{secret}'))",
    "WITH x AS (SELECT * FROM read_csv('{secret}')) SELECT * FROM x",
    "DESCRIBE SELECT * FROM read_csv('{secret}')",
    "SUMMARIZE SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM 'https://www.example.com/x.parquet'",
    "SELECT * FROM read_csv('https://www.example.com/x.csv')",
    "SELECT getenv('HOME')",
    # other databases and extensions
    "ATTACH '{folder}/other.duckdb' AS other",
    "ATTACH ':memory:' AS other",
    "DETACH DATABASE IF EXISTS x",
    "USE memory",
    "INSTALL httpfs",
    "LOAD json",
    "FORCE INSTALL json",
    "UPDATE EXTENSIONS",
    "SELECT * FROM read_duckdb('{folder}/other.duckdb')",
    "SELECT * FROM parquet_file_metadata('{secret}')",
    "FROM query_table(['offers', '{secret}'])",
    "FROM query('ATTACH ''{folder}/other.duckdb'' ')",
    "FROM query('SELECT 1; DROP TABLE offers')",
    "SELECT * FROM '/proc/self/environ'",
    "SELECT * FROM read_text('/proc/self/environ')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''{secret}'')'))",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM which_secret('s3://x', 's3')",
    "SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_path = '{folder}/log')",
    "SELECT * FROM enable_profiling()",
    "SELECT * FROM force_checkpoint()",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM python_map_function(1)",
    "CREATE TEMP MACRO leak() AS TABLE SELECT * FROM read_text('{secret}')",
    "CREATE TEMP VIEW v AS SELECT 1 AS a",
    "CONNECT 'quack:localhost'",
    "PRAGMA database_list",
    "CALL pragma_database_list()",
    # writing
    "COPY offers TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.parquet' (FORMAT parquet)",
    "COPY offers FROM '{secret}'",
    "EXPORT DATABASE '{folder}/dump'",
    "IMPORT DATABASE '{folder}'",
    "CREATE TABLE t AS SELECT 1 AS a",
    "CREATE TEMP TABLE t AS SELECT 1 AS a",
    "CREATE OR REPLACE TEMP MACRO price_at(ts) AS TABLE SELECT 1 AS a",
    "CREATE SCHEMA s",
    "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    "INSERT INTO offers SELECT * FROM offers",
    "UPDATE offers SET price = 0",
    "DELETE FROM offers",
    "TRUNCATE offers",
    "DROP TABLE offers",
    "ALTER TABLE offers ADD COLUMN x INTEGER",
    "COMMENT ON TABLE offers IS 'x'",
    "MERGE INTO offers USING offers AS o ON true WHEN MATCHED THEN DELETE",
    "WITH gone AS (DELETE FROM offers RETURNING *) SELECT * FROM gone",
    "CHECKPOINT",
    "FORCE CHECKPOINT",
    "VACUUM",
    "ANALYZE",
    # settings and state
    "SET threads = 64",
    "SET GLOBAL enable_external_access = true",
    "SET lock_configuration = false",
    "RESET enable_external_access",
    "SET VARIABLE x = 1",
    "PRAGMA enable_profiling",
    "PRAGMA threads = 4",
    "PRAGMA database_size; PRAGMA enable_external_access = true",
    "CALL pragma_version()",
    "CALL enable_logging()",
    "BEGIN",
    "COMMIT",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "DEALLOCATE p",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/out.csv'",
    "PIVOT offers ON card USING count(*)",
    # more than one, or none
    "SELECT 1; DROP TABLE offers",
    "SELECT 1; SELECT 2",
    "SELECT 1 /* ; */; /* x */ DELETE FROM offers",
    "SELECT 1; -- ;\nSET threads = 1",
    "",
    ";",
    "-- nothing",
    "/* nothing */",
    # simply wrong
    "SELECT",
    "SELEKT 1",
    "SELECT * FROM no_such_table",
    "SELECT no_such_column FROM offers",
    "SELECT 1/",
    "SELECT 'x",
    "SELECT error('boom')",
    "SELECT CAST('x' AS INTEGER)",
    "\x00",
    # Python
    "SELECT * FROM secret_frame",
    "SELECT * FROM home",
]


@pytest.mark.parametrize("sql", HOSTILE)
def test_hostile_sql_is_refused(home: Path, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n", encoding="utf-8")
    secret_frame = [("hunter2",)]  # a Python object of this very frame
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(BadRequest) as caught:
        ask(home, sql.format(secret=secret, folder=tmp_path), seconds=10)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert secret_frame


def test_what_is_refused_leaves_the_database_as_it_was(home: Path) -> None:
    assert select(home, "SELECT count(*) FROM offers").rows == [(1,)]
    assert select(home, "SELECT price FROM offers").rows == [(Decimal("2.18"),)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "  select 1 ; ",
        "FROM offers SELECT 1 LIMIT 1",
        "VALUES (1)",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1) SELECT * FROM t",
        "SELECT count(*) FROM (DESCRIBE offers) WHERE column_name = 'offer_id'",
        "SELECT count(*) FROM price_at(now())",
        "SELECT 1 -- ; DROP TABLE offers",
        "SELECT 1 /* ; */",
    ],
)
def test_reading_is_allowed(home: Path, sql: str) -> None:
    assert ask(home, sql, seconds=10)[1] == [(1,)]


@pytest.mark.parametrize("sql", ["DESCRIBE offers", "SHOW TABLES", "SUMMARIZE offers", "SHOW ALL TABLES"])
def test_looking_around_is_allowed(home: Path, sql: str) -> None:
    assert ask(home, sql, seconds=10)[1]


ENDLESS = [
    "SELECT count(*) FROM range(1000000000) AS a, range(1000000) AS b",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT * FROM t",
    "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",
    "SELECT 1 " + "UNION ALL SELECT 1 " * 8000,  # DuckDB does not listen while it plans
    "SELECT lpad('', 2000000000, 'x')",  # nor here
]


@pytest.mark.parametrize("sql", ENDLESS, ids=lambda sql: sql[:40])
def test_a_query_that_never_ends_is_stopped(home: Path, sql: str) -> None:
    start = time.monotonic()
    with pytest.raises(BadRequest, match=r"longer than 0\.5 s"):
        select(home, sql, seconds=0.5)
    assert time.monotonic() - start < 10


BOMBS = [
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
    "SELECT list(i) FROM range(10000000000) AS r(i)",
    "SELECT range(2000000000)",
    "SELECT list_resize([1], 2000000000)",
    "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t) SELECT max(length(s)) FROM t",
    # what DuckDB hands out row by row would fill our own memory
    "SELECT repeat('x', 1000000) FROM range(100000)",
    "SELECT i FROM range(10000000000) AS r(i)",
    "SELECT printf('%2000000000d', 1)",
]
USED = """
import resource, sys
from pathlib import Path
from warehouse.errors import BadRequest
from warehouse.query import select
try:
    select(Path(sys.argv[1]), sys.argv[2], seconds=15)
except BadRequest as error:
    print(error)
print(max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("sql", BOMBS)
def test_a_query_that_eats_memory_ends_with_a_sentence(home: Path, sql: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", USED, str(home), sql], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sentence, peak_kib = done.stdout.splitlines()
    assert sentence
    assert int(peak_kib) < 3.2 * 2**20
    assert not list(home.rglob("*.tmp"))


DEEP = [
    "SELECT " + "(" * 20000 + "1" + ")" * 20000,
    "SELECT " + "NOT " * 20000 + "true",
    "SELECT " + "[" * 20000,
]


@pytest.mark.parametrize("sql", DEEP, ids=lambda sql: sql[:12])
def test_a_query_that_nests_too_deep_is_refused(home: Path, sql: str) -> None:
    with pytest.raises(BadRequest) as caught:
        select(home, sql, seconds=20)
    assert "SET" not in str(caught.value)  # no advice to change what is locked


def test_a_process_that_dies_is_a_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(BadRequest, match="more memory than it may have"):
        select(home, "SELECT 1")


def test_names_are_there_once(home: Path) -> None:
    answer = select(home, "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS b, 5 AS a")
    assert answer.names == ("a", "a_2", "a_1", "b", "a_3")
    assert answer.rows == [(1, 2, 3, 4, 5)]


def test_names_and_values(home: Path) -> None:
    answer = select(home, "SELECT price, observed_at, card, NULL AS n, [1, 2] AS l FROM offers")
    assert answer.names == ("price", "observed_at", "card", "n", "l")
    assert answer.generation == "index-2026-W48-v0001.duckdb"
    assert dumps([dict(zip(answer.names, row, strict=True)) for row in answer.rows]) == (
        '[{"price": 2.18, "observed_at": "2026-11-24T04:00:00+00:00", "card": "RTX4090",'
        ' "n": null, "l": [1, 2]}]'
    )


def test_json_is_json_whatever_comes() -> None:
    values = {
        "a": Decimal("0.000001"),
        "b": Decimal("123456789012.345678"),
        "c": float("nan"),
        "d": float("inf"),
        "e": b"\xff",
        "f": 'quote " \\ \n 张家口',
        "g": [True, None, {"x": Decimal("-0.0")}],
        "h": Decimal("1E+3"),
    }
    text = dumps(values)
    back = json.loads(text, parse_float=Decimal)
    assert back["b"] == Decimal("123456789012.345678")
    assert '"a": 0.000001' in text
    assert (back["c"], back["d"], back["e"], back["h"]) == (None, None, "ff", 1000)
    assert back["g"] == [True, None, {"x": 0}]
    assert back["f"] == values["f"]
    assert "张家口" in text


def test_tables_align_chinese() -> None:
    text = table(["地区", "n"], [["张家口", 1], ["x", 22], [None, None]])
    lines = text.splitlines()
    assert lines[0].startswith("地区    n") or lines[0].startswith("地区     n")
    assert {width(line) for line in lines[1:4]} == {10}
    assert csv_text(["a", "b"], [["x,y", None], ['"', Decimal("1.50")]]) == 'a,b\n"x,y",\n"""",1.5\n'


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = table(["a"], [["red \x1b[31m\nnext"]])
    assert "\x1b" not in text
    assert len(text.splitlines()) == 3


def run(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "suanjia", "--home", str(home), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command(home: Path) -> None:
    done = run(home, "sql", "SELECT provider, price FROM offers", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [{"provider": "alpha", "price": 2.18}])
    done = run(home, "sql", "SELECT provider, price FROM offers", "--format", "csv")
    assert (done.returncode, done.stdout) == (0, "provider,price\nalpha,2.18\n")
    done = run(home, "sql", "SELECT provider FROM offers")
    assert done.returncode == 0
    assert done.stdout.splitlines()[2] == "alpha"
    done = run(home, "sql", "DROP TABLE offers")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "suanjia: only SELECT is allowed, not DROP\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql", ["-- 标题\nSELECT 1 AS a", "--\nSELECT 1 AS a", "-- a\n-- b=1\nSELECT 1 AS a;"]
)
def test_a_query_may_begin_with_a_comment(home: Path, sql: str) -> None:
    for args in (("--format", "csv", sql), (sql, "--format", "csv"), ("--format=csv", "--", sql)):
        done = CliRunner().invoke(cli, ["--home", str(home), "sql", *args])
        assert done.stdout == "a\n1\n"


def test_an_option_that_is_none_is_still_none(home: Path) -> None:
    done = CliRunner().invoke(cli, ["--home", str(home), "sql", "--formt", "csv", "SELECT 1"])
    assert "--formt" in done.stderr


def test_a_long_query_prints_its_result_alone(home: Path) -> None:
    """DuckDB would draw a progress bar on stdout after two seconds."""
    sql = "SELECT count(*) AS n FROM range(600000) AS a, range(3000) AS b WHERE (a.range * b.range) % 7 = 1"
    done = run(home, "sql", sql, "--format", "csv", "--seconds", "120")
    assert (done.returncode, done.stdout.split("\n")[0]) == (0, "n")
    assert len(done.stdout.splitlines()) == 2


def test_no_generation_ends_with_four_and_says_what_to_run(tmp_path: Path) -> None:
    for args in (*QUERIES, ["export", str(tmp_path / "x")]):
        done = CliRunner().invoke(cli, ["--home", str(tmp_path / "nowhere"), *args])
        assert done.exit_code == 4, args
        assert "suanjia publish" in done.output


HEAVY = ("duckdb", "pydantic", "scrapy", "pandas", "matplotlib", "twisted", "pyarrow")


def loaded_by(*args: str) -> set[str]:
    """Which heavy packages an invocation imports."""
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom suanjia.cli import cli\n"
        f"CliRunner().invoke(cli, {list(args)!r})\nprint(*(set(sys.modules) & set({HEAVY!r})))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_help_loads_nothing_heavy() -> None:
    assert loaded_by("--help") == set()


@pytest.mark.parametrize("args", QUERIES)
def test_a_query_loads_duckdb_and_no_crawler(home: Path, args: list[str]) -> None:
    assert loaded_by("--home", str(home), *args) - {"pyarrow"} <= {"duckdb"}


def test_an_error_says_what_was_meant(home: Path) -> None:
    with pytest.raises(BadRequest, match=r'"provdier" not found .* Candidate bindings: "provider"'):
        select(home, "SELECT provdier FROM offers")
    with pytest.raises(BadRequest, match=r'offer does not exist! Did you mean "offers"\?$'):
        select(home, "SELECT * FROM offer")
