#!/bin/sh
# Builds .venv from the hashed lock and finds or installs a headless browser. Called by make; safe to run again.
set -eu
PYTHON=${PYTHON:-python3}
root=$(id -u)

can_apt() { [ "$root" = 0 ] && command -v apt-get >/dev/null 2>&1; }
apt_install() { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "suanjia needs Python 3.11 or newer; $("$PYTHON" --version) was found (set PYTHON=/path/to/python3)" >&2
    exit 1
}

if [ ! -x .venv/bin/python ]; then
    echo "== making .venv"
    if ! "$PYTHON" -m venv .venv 2>/dev/null; then
        rm -rf .venv
        if can_apt; then
            apt_install python3-venv
            "$PYTHON" -m venv .venv
        else
            echo "python3 has no venv module: install the package python3-venv and run make again" >&2
            exit 1
        fi
    fi
fi

echo "== installing the locked packages (a minute or two)"
.venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
.venv/bin/python -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps -e .

find_browser() {
    if [ -n "${SUANJIA_BROWSER:-}" ]; then
        [ -x "$SUANJIA_BROWSER" ] && return 0
        echo "SUANJIA_BROWSER names $SUANJIA_BROWSER, which cannot be run" >&2
        exit 1
    fi
    for name in chromium-headless-shell chromium google-chrome; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    .venv/bin/python - <<'PY'
import pathlib, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as p:
    sys.exit(not pathlib.Path(p.chromium.executable_path).exists())
PY
}

if ! find_browser; then
    echo "== installing a headless browser"
    if can_apt && apt_install chromium-headless-shell fonts-noto-cjk; then
        :
    elif .venv/bin/playwright install --only-shell chromium; then
        :
    else
        echo "no headless browser was found or could be installed: install chromium, or set SUANJIA_BROWSER" >&2
        exit 1
    fi
fi
