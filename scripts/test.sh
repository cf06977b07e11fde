#!/bin/sh
# Runs the Python tests: those in virtual time on all cores, file by file; then, one at a time, those that
# start an avatar's processes or a browser and would disturb each other. Arguments go to pytest.
set -u
python=$1
shift
status=0
phase() {
    "$python" -m pytest --durations=10 "$@"
    code=$?
    # 5: nothing of this phase was selected, as with `-k`.
    [ $code -eq 0 ] || [ $code -eq 5 ] || status=$code
}
phase -n auto --dist loadfile -m 'not page and not stack' "$@"
phase -m 'page or stack' "$@"
exit $status
