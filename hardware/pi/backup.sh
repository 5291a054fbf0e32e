#!/usr/bin/env bash
# Copies all logs of the table into one file, also while it runs: `make pi-backup TO=/media/usb`.
set -euo pipefail
fail() { printf '%s\n' "make pi-backup: $*" >&2; exit 1; }
[[ $(id -u) == 0 ]] || fail "needs root: sudo make pi-backup TO=FOLDER"
[[ -d ${1:-} ]] || fail "TO=${1:-} is not a folder; give that of a USB stick, such as /media/usb"
here=/var/lib/senryaku/backups
file="senryaku-$(hostname)-$(date +%Y%m%d-%H%M%S).zip"
install -d -o senryaku -g senryaku -m 750 "$here"
trap 'rm -f "$here/$file"' EXIT
/usr/local/sbin/senryaku-table backup "$here/$file" --table /etc/senryaku/table.toml
cp "$here/$file" "$1/.$file.part"
sync "$1/.$file.part"
cmp "$here/$file" "$1/.$file.part" || fail "$1/$file does not read back as it was written; try another stick"
mv "$1/.$file.part" "$1/$file"
printf '%s\n' "make pi-backup: $1/$file"
