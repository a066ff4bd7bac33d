"""`suanjia fit`: the cheapest machine that runs a job, in total, with its proof."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.numbers import dumps
from suanjia.cli import NOTHING, OK, Failure
from suanjia.settings import Settings

if TYPE_CHECKING:
    from reports.fit.job import Job
    from reports.fit.sellable import Sellable
    from reports.fit.store import Grades

NUMBERS = (
    *("params", "seq_len", "micro_batch", "tokens", "samples", "tokens_per_sample", "epochs", "hours"),
    "concurrency",
)
LIMIT = 5


@click.command()
@click.option(
    "--workload", "file", type=click.Path(path_type=Path, dir_okay=False), help="TOML or JSON file. 任务文件"
)
@click.option("--name", help="Of several workloads in the file (or the built-in ones), this one.")
@click.option("--built-in", is_flag=True, help="The workloads of the weekly table. 周报内置任务")
@click.option("--model", help="e.g. Qwen2.5-7B. 模型")
@click.option("--params", help="Parameters, where the model is not known by name.")
@click.option("--method", help="full, lora, qlora, pretrain, inference. 方法")
@click.option("--seq-len", help="Longest sequence, tokens. 序列长度")
@click.option("--micro-batch", help="Sequences per card and step.")
@click.option("--tokens", help="Tokens of the data, once. 数据 token 数")
@click.option("--samples", help="Samples, with --tokens-per-sample. 样本数")
@click.option("--tokens-per-sample", help="Mean tokens of a sample.")
@click.option("--epochs", help="Passes over the data. 轮数")
@click.option("--hours", help="Hours to serve (inference). 推理小时数")
@click.option("--concurrency", help="Sequences served at once (inference).")
@click.option("--dataset-gb", help="Size of the data set, GB. 数据集大小")
@click.option("--deadline-hours", help="Latest end, tested on p90. 期限")
@click.option("--budget-cny", help="Most it may cost, tested on p90. 预算")
@click.option("--region", "regions", multiple=True, help="Name or code; may be repeated. 地区")
@click.option("--card", "cards", multiple=True, help="Card allowed; may be repeated. 卡型")
@click.option(
    "--mode", "billing_modes", multiple=True, help="Billing mode allowed; may be repeated. 计费方式"
)
@click.option("--provider", "providers", multiple=True, help="Provider allowed; may be repeated. 服务商")
@click.option("--interruptible", is_flag=True, help="Spot is welcome too. 可被回收")
@click.option("--in-stock", is_flag=True, help="Only offers whose stock is shown.")
@click.option("--min-grade", type=click.Choice(["A", "B", "C"]), help="Least grade of the index cell.")
@click.option("--max-age", "max_age_hours", help="Oldest price in hours (168). 价格时效")
@click.option("--limit", type=click.IntRange(1, 1000), default=LIMIT, show_default=True, help="Fits shown.")
@click.option("--why", is_flag=True, help="How many offers each rule removed. 淘汰原因")
@click.option("--json", "as_json", is_flag=True, help="One JSON document (JSON Lines for several workloads).")
@click.pass_obj
def command(
    settings: Settings,
    /,
    file: Path | None,
    name: str | None,
    built_in: bool,
    limit: int,
    why: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Cheapest fit of a workload over all live offers, in total and with its proof. 最便宜的跑法。"""
    from reports.fit.answer import answer
    from reports.fit.job import JobError
    from reports.fit.planner import SizingPlanner
    from reports.fit.regions import RegionError
    from reports.fit.store import grades, market_of
    from reports.fit.terms import terms_of
    from sizing import runs
    from suanjia.fit_words import fit_words
    from suanjia.opening import opened

    try:
        jobs = _jobs(settings, file, name, built_in, flags)
        own, wrong = runs.read(settings.home / runs.FILE)
        for sentence in wrong:
            click.echo(f"suanjia: {sentence}", err=True)
        planners = [(job, SizingPlanner.of(job, own)) for job in jobs]
        code = NOTHING
        with opened(settings) as (con, providers):
            graded = grades(con) if any(job.min_grade for job in jobs) else {}
            terms = terms_of(providers)
            sites = {slug: one.homepage for slug, one in providers.items() if one.homepage}
            ages = {job.max_age_hours for job in jobs}
            markets = {age: market_of(con, terms, settings.now(), age) for age in ages}
        for job, planner in planners:
            market, sources = markets[job.max_age_hours]
            document = answer(
                market, job, planner, sources, limit=limit, why=why, grade_of=partial(_grade, graded)
            )
            code = OK if document["fits"] else code
            click.echo(dumps(document) if as_json else fit_words(document, sites))
    except (JobError, RegionError) as error:
        raise Failure(str(error)) from None
    return code


def _grade(graded: Grades, offer: Sellable) -> str | None:
    return graded.get((offer.region_code or "CN", offer.card, offer.billing_mode))


def _jobs(
    settings: Settings, file: Path | None, name: str | None, built_in: bool, flags: dict[str, Any]
) -> list[Job]:
    """The jobs asked for: of a file or of the weekly table, flags on top; or of flags alone."""
    from reports.fit.job import JobError, job_of, read_jobs, weekly_jobs, with_fields
    from sizing.words import word
    from suanjia.commands.size import number

    given = {key: value for key, value in flags.items() if value not in (None, (), False)}
    for key in NUMBERS:
        if key in given:
            given[key] = number(given[key], f"--{key.replace('_', '-')}")
    if file is None and not built_in:
        if not given:
            raise Failure("give --workload FILE, --built-in, or flags such as --model and --method")
        method = word("method", given.get("method", "lora"))
        if method not in (None, "inference") and not {"tokens", "samples"} & set(given):
            raise Failure(
                "how much data? 数据量多大? --tokens 5M, or 或 --samples 10000 --tokens-per-sample 500"
            )
        return [job_of(given, name or "workload")]
    jobs = read_jobs(file) if file is not None else weekly_jobs(settings.home)
    if name is not None:
        jobs = [job for job in jobs if job.name == name]
        if not jobs:
            raise JobError(f"no workload is called {name!r}")
    return [with_fields(job, given) for job in jobs]
