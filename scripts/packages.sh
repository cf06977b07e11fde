#!/bin/sh
# packages.sh WHAT APT DNF PACMAN BREW: install WHAT with the system's package manager.
#
# Each of the last four is a list of package names, or empty where the manager has none. Debian's
# apt-get is run when we are root or sudo asks no password; otherwise the command to type is printed
# and the exit code is 1.
set -eu
what=$1 apt=$2 dnf=$3 pacman=$4 brew=$5

root=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then root='sudo -n'; else root=no; fi
fi

if command -v apt-get >/dev/null && [ -n "$apt" ]; then
    if [ "$root" != no ]; then
        echo "Installing $what with apt-get (about a minute, once)…"
        log=$(mktemp)
        # The package lists may be old or absent: refresh them only when the first try fails.
        for refresh in no yes; do
            [ $refresh = no ] || $root apt-get update >>"$log" 2>&1 || true
            # shellcheck disable=SC2086
            if $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $apt >>"$log" 2>&1; then
                rm -f "$log"
                exit 0
            fi
        done
        tail -n 5 "$log" >&2
        rm -f "$log"
    fi
    hint="sudo apt-get install $apt"
elif command -v dnf >/dev/null && [ -n "$dnf" ]; then
    hint="sudo dnf install $dnf"
elif command -v pacman >/dev/null && [ -n "$pacman" ]; then
    hint="sudo pacman -S $pacman"
elif command -v brew >/dev/null && [ -n "$brew" ]; then
    hint="brew install $brew"
else
    hint='install it with the package manager of your system'
fi
echo "Missing: $what. Please run: $hint" >&2
exit 1
