#!/bin/sh
# browser.sh: see that a Chromium is there for the page tests and the lab; install one if not.
set -eu
cd "$(dirname "$0")/.."

[ -n "${ELSEWHERE_BROWSER:-}" ] && exit 0
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && exit 0
done
[ -d '/Applications/Google Chrome.app' ] && exit 0
exec scripts/packages.sh 'a browser for the page tests (Chromium)' chromium chromium chromium '--cask chromium'
