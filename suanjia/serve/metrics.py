"""/metrics: the same judgement in Prometheus' text, through its own client."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from suanjia.serve.health import Health


class HealthCollector(Collector):
    """Turns one look into metric families."""

    def __init__(self, look: Callable[[], Health], counts: Callable[[], dict[tuple[str, str], int]]) -> None:
        self._look, self._counts = look, counts

    def describe(self) -> list[Metric]:
        """Nothing is looked at when the collector is registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Look once and tell."""
        health = self._look()
        yield _gauge("healthy", "1 when /healthz answers 200", float(health.ok))
        yield _gauge("scheduler_running", "1 when the scheduler runs", float(health.scheduler))
        yield _gauge("publish_in_time", "1 when the last publish is in time", float(health.publish.ok))
        yield _gauge("issue_in_time", "1 when the last issue is in time", float(health.issue.ok))
        age = GaugeMetricFamily("suanjia_source_age_seconds", "since its last good run", labels=["provider"])
        good = GaugeMetricFamily("suanjia_source_in_time", "1 when not older than two periods",
                                 labels=["provider"])  # fmt: skip
        bad = GaugeMetricFamily("suanjia_source_bad_runs", "bad runs in a row", labels=["provider"])
        for source in health.sources:
            age.add_metric([source.provider], source.age)
            good.add_metric([source.provider], float(source.ok))
            bad.add_metric([source.provider], source.bad_in_a_row)
        yield from (age, good, bad)
        steps = CounterMetricFamily(
            "suanjia_job_steps", "steps of jobs by their end", labels=["job", "state"]
        )
        for (job, state), number in self._counts().items():
            steps.add_metric([job, state], number)
        yield steps


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"suanjia_{name}", text, value=value)


def registry(
    look: Callable[[], Health], counts: Callable[[], dict[tuple[str, str], int]]
) -> CollectorRegistry:
    """A registry of its own, so that nothing else of this process speaks in it."""
    made = CollectorRegistry()
    ProcessCollector(registry=made)
    GCCollector(registry=made)
    made.register(HealthCollector(look, counts))
    return made


def text(made: CollectorRegistry) -> bytes:
    """The exposition format."""
    return generate_latest(made)
