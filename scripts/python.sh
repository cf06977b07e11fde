#!/bin/sh
# python.sh VENV PACKAGE...: make the virtual environment VENV and install PACKAGE... into it, editable.
set -eu
cd "$(dirname "$0")/.."
venv=$1
shift

fits() {
    # A pyenv shim exists for versions that are not installed, so ask the interpreter itself.
    "$1" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null
}

if ! [ -x "$venv/bin/python" ] || ! fits "$venv/bin/python" || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    found=
    for python in ${PYTHON:-} python3.13 python3.12 python3.11 python3 python; do
        if fits "$python"; then
            found=$python
            break
        fi
    done
    if [ -z "$found" ]; then
        echo 'Elsewhere needs Python 3.11 or newer, and none was found.' >&2
        echo 'Install one (https://www.python.org/downloads/), or name it: make run PYTHON=/path/to/python3' >&2
        exit 2
    fi
    echo "Making a virtual environment in $venv with $("$found" --version)…"
    if ! "$found" -m venv --clear "$venv" >/dev/null 2>&1; then
        # Debian and Ubuntu keep the venv module in a package of its own.
        version=$("$found" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        scripts/packages.sh "the venv module of Python $version" "python$version-venv" '' '' ''
        "$found" -m venv --clear "$venv"
    fi
fi

echo 'Installing Python packages (about 2 minutes, once)…'
exec "$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --editable "$@"
