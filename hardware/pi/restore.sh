#!/usr/bin/env bash
# Puts the logs of a backup back, with the table stopped meanwhile: `make pi-restore FROM=/media/usb/senryaku-....zip`.
# What was there is kept beside as NAME.db.before.
set -euo pipefail
fail() { printf '%s\n' "make pi-restore: $*" >&2; exit 1; }
[[ $(id -u) == 0 ]] || fail "needs root: sudo make pi-restore FROM=FILE.zip"
[[ -f ${1:-} ]] || fail "FROM=${1:-} is not a file; give a backup made by senryaku backup"
copy=$(mktemp --suffix .zip)
trap 'rm -f "$copy"; [[ ! -d /run/systemd/system ]] || systemctl start senryaku.service' EXIT
install -o senryaku -m 600 "$1" "$copy"
[[ ! -d /run/systemd/system ]] || systemctl stop senryaku.service
/usr/local/sbin/senryaku-table restore "$copy" --replace
