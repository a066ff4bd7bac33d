"""Backup and restore: what comes back is what was there, and nothing else ever gets in."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from suanjia.keeping.backup import MANIFEST, BackupError, backup, restore, verify
from suanjia.ledger import Ledger
from tests.suanjia.cli import suanjia

NOW = datetime(2026, 10, 5, 2, tzinfo=UTC)


def a_home(where: Path) -> Path:
    home = where / "home"
    for name, text in {
        "segments/run=r/provider=p/manifest.json": "{}",
        "segments/run=r/provider=p/offers.parquet": "PAR1",
        "segments/run=r/.provider=q.1.tmp/offers.parquet": "half",
        "evidence/ab/x.zst": "zst",
        "evidence/.half.part": "half",
        "published/index-2026-W40-v0001.duckdb": "db",
        "published/LATEST": "index-2026-W40-v0001.duckdb\n",
        "reports/2026-W40/v1/manifest.json": "{}",
        "providers/declared.toml": "x = 1",
        "warehouse/work.duckdb": "store",
        "locks/a.lock": "",
        "suanjia.toml": 'smtp_url = "smtp://u:p@h"',
        "名字.csv": "a,b",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    (home / "suanjia.toml").chmod(0o600)
    (home / "outside").symlink_to("/etc/passwd")
    with Ledger(home) as ledger:
        ledger.start("r", "p", NOW)
        ledger.finish("r", "p", NOW, "ok", offers=3)
    return home


def test_there_and_back(tmp_path: Path) -> None:
    home, file, back = a_home(tmp_path), tmp_path / "b.tar", tmp_path / "back"
    with Ledger(home) as writer:  # an open write-ahead log does not matter
        writer.start("r2", "p", NOW)
        done = backup(home, file, NOW, "0")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert restore(file, back) == done
    names = {p.relative_to(back).as_posix() for p in back.rglob("*") if p.is_file()}
    assert names == {
        "segments/run=r/provider=p/manifest.json", "segments/run=r/provider=p/offers.parquet",
        "evidence/ab/x.zst", "published/index-2026-W40-v0001.duckdb", "published/LATEST",
        "reports/2026-W40/v1/manifest.json", "providers/declared.toml", "suanjia.toml", "名字.csv",
        "ledger.sqlite",
    }  # fmt: skip
    for name in names - {"ledger.sqlite"}:
        assert (back / name).read_bytes() == (home / name).read_bytes()
    assert stat.S_IMODE((back / "suanjia.toml").stat().st_mode) == 0o600
    with Ledger(back) as ledger:
        assert [run.run_id for run in ledger.runs("p")] == ["r2", "r"]


def test_a_home_that_holds_anything_is_refused(tmp_path: Path) -> None:
    home, file = a_home(tmp_path), tmp_path / "b.tar"
    backup(home, file, NOW, "0")
    before = sorted(home.rglob("*"))
    with pytest.raises(BackupError, match="not empty"):
        restore(file, home)
    assert sorted(home.rglob("*")) == before
    for target in (file, home / "inside.tar"):
        with pytest.raises(BackupError):
            backup(home, target, NOW, "0")
    (tmp_path / "empty").mkdir()
    restore(file, tmp_path / "empty")


def crafted(where: Path, members: list[tarfile.TarInfo], names: list[str]) -> Path:
    body, path = b"evil", where / "evil.tar"
    told = {name: {"sha256": hashlib.sha256(body).hexdigest(), "size": len(body)} for name in names}
    with tarfile.open(path, "w") as tar:
        for member in members:
            member.size = len(body) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(body))
        manifest = json.dumps({"format": 1, "files": told}).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size = len(manifest)
        tar.addfile(info, io.BytesIO(manifest))
    return path


@pytest.mark.parametrize("name", [
    "../out", "/tmp/out", "a/../../out", "a//b", "./a", "a/./b", "a\\b", "a\nb", "..",
    "warehouse/work.duckdb", "locks/x", "a/..", "a/",
])  # fmt: skip
def test_names_that_lead_elsewhere(tmp_path: Path, name: str) -> None:
    file = crafted(tmp_path, [tarfile.TarInfo(name)], [name])
    with pytest.raises(BackupError):
        restore(file, tmp_path / "w" / "home")
    assert not (tmp_path / "out").exists() and not (tmp_path / "w" / "out").exists()
    assert not (tmp_path / "w" / "home").exists() and list((tmp_path / "w").iterdir()) == []


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE]
)
def test_no_links_and_devices(tmp_path: Path, kind: bytes) -> None:
    member = tarfile.TarInfo("evidence")
    member.type, member.linkname = kind, "/etc"
    with pytest.raises(BackupError):
        restore(crafted(tmp_path, [member], []), tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_file_twice_or_unlisted(tmp_path: Path) -> None:
    for members, names in ((["a", "a"], ["a"]), (["a", "b"], ["a"]), (["a"], ["a", "b"])):
        file = crafted(tmp_path, [tarfile.TarInfo(n) for n in members], names)
        with pytest.raises(BackupError):
            restore(file, tmp_path / "home")
        file.unlink()


@hypothesis_settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.data())
def test_any_damage_is_found(tmp_path: Path, data: st.DataObject) -> None:
    file = tmp_path / "b.tar"
    if not file.exists():
        backup(a_home(tmp_path), file, NOW, "0")
    good = file.read_bytes()
    content = good.index(b"PAR1")
    if data.draw(st.booleans()):
        bad = good[: data.draw(st.integers(0, good.index(MANIFEST.encode()) + 600))]
    else:
        at = data.draw(st.integers(content, content + 3))
        bad = good[:at] + bytes([good[at] ^ data.draw(st.integers(1, 255))]) + good[at + 1 :]
    (tmp_path / "bad.tar").write_bytes(bad)
    with pytest.raises(BackupError):
        verify(tmp_path / "bad.tar")


@pytest.mark.slow
def test_the_commands(tmp_path: Path) -> None:
    home, file = a_home(tmp_path), tmp_path / "b.tar"
    (home / "suanjia.toml").unlink()
    (home / "providers" / "declared.toml").unlink()  # no provider file: no command would run
    done = suanjia(home, "backup", str(file), "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["files"] == 8
    assert suanjia(home, "backup", str(file)).returncode == 2
    assert suanjia(home, "restore", str(file)).returncode == 2
    assert suanjia(tmp_path / "new", "restore", str(file)).returncode == 0
    (tmp_path / "no.tar").write_bytes(b"no tar")
    bad = suanjia(tmp_path / "other", "restore", str(tmp_path / "no.tar"))
    assert bad.returncode == 2 and "Traceback" not in bad.stderr and not (tmp_path / "other").exists()
