#!/usr/bin/env bash
# From a fresh Raspberry Pi OS (or Debian) 12 or 13 to a running table: `make pi`. Run again it changes only what is not
# yet so. Settings, logs and the release before are kept.
#
#   WITHOUT="camera cells panel screen"   parts that are not there; without camera and cells the table is simulated
#   PORT=8000                             only for a table.toml that is made now
#
# A release lies in /opt/senryaku/releases/ID, `current` points to the one in use, `previous` to the one before;
# settings in /etc/senryaku, logs in /var/lib/senryaku.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCE=$(cd "$HERE/../.." && pwd)
HOME_OF=/opt/senryaku
SETTINGS=${SETTINGS:-/etc/senryaku}
STATE=/var/lib/senryaku
KEPT_RELEASES=3

say() { printf '%s\n' "make pi: $*"; }
fail() { printf '%s\n' "make pi: $*" >&2; exit 1; }
without() { [[ " ${WITHOUT:-} " == *" $1 "* ]]; }
put() { # put FILE TARGET [MODE]: copies only what differs
    cmp -s "$1" "$2" && return 1
    install -D -m "${3:-644}" "$1" "$2"
}
point() { # point LINK TARGET: only where it points elsewhere
    [[ $(readlink "$1") == "$2" ]] || ln -sfnT "$2" "$1"
}
systemd_runs() { [[ -d /run/systemd/system ]]; }

packages() {
    local wanted=(python3 python3-venv ca-certificates) helpful=(avahi-daemon)
    without camera || helpful+=(python3-picamera2 rpicam-apps-lite v4l-utils)
    without cells && without panel || helpful+=(python3-lgpio)
    without screen || helpful+=(chromium cage)
    local missing=()
    for package in "${wanted[@]}"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    apt-get update -qq
    for package in "${helpful[@]}"; do
        dpkg -s "$package" >/dev/null 2>&1 && continue
        if apt-cache show "$package" >/dev/null 2>&1; then
            missing+=("$package")
        else
            say "$package is not in this system's package lists; left out"
        fi
    done
    [[ ${#missing[@]} == 0 ]] || apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

user() {
    getent passwd senryaku >/dev/null ||
        useradd --system --user-group --home-dir "$STATE" --shell /usr/sbin/nologin senryaku
    for group in gpio video render dialout plugdev i2c; do
        getent group "$group" >/dev/null && usermod -aG "$group" senryaku
    done
    install -d -o senryaku -g senryaku -m 750 "$STATE"
    install -d -o senryaku -g senryaku -m 755 "$SETTINGS"
}

release_id() { # the same files under the same Python are the same release
    (cd "$SOURCE" && find pyproject.toml README.md LICENSE companion vision firmware_bridge hardware -type f \
        -not -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum | cat - <(python3 -V)) | sha256sum | cut -c1-12
}

release() {
    local id=$1 folder="$HOME_OF/releases/$1"
    if [[ ! -f $folder/.whole ]]; then
        say "installing release $id"
        rm -rf "$folder"
        install -d "$folder/source"
        (cd "$SOURCE" && tar --exclude=__pycache__ -cf - pyproject.toml README.md LICENSE companion vision \
            firmware_bridge hardware) | tar -C "$folder/source" -xf -
        # lgpio comes from apt on Python 3.13, so the environment sees the system's packages
        python3 -m venv --system-site-packages "$folder/.venv"
        local extra="[tournament]"
        without cells && without panel || extra="[pi,tournament]"
        "$folder/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir "$folder/source$extra"
        "$folder/.venv/bin/senryaku" --version
        touch "$folder/.whole"
    fi
    local now
    now=$(readlink "$HOME_OF/current" || true)
    if [[ $now != "$folder" ]]; then
        [[ -z $now ]] || ln -sfnT "$now" "$HOME_OF/previous"
        ln -sfnT "$folder" "$HOME_OF/current.new"
        mv -T "$HOME_OF/current.new" "$HOME_OF/current"
        CHANGED=yes
    fi
    ls -1dt "$HOME_OF"/releases/* | tail -n +$((KEPT_RELEASES + 1)) | while read -r old; do
        [[ $old == "$(readlink "$HOME_OF/current")" || $old == "$(readlink "$HOME_OF/previous" || true)" ]] || rm -rf "$old"
    done
}

settings() {
    [[ -f $SETTINGS/table.toml ]] && return
    local camera=picamera2 cells=pico fresh
    without cells && cells=none
    without camera && camera=none
    [[ $camera$cells == nonenone ]] && camera=simulated
    fresh=$(mktemp)
    sed -e "/^\[camera\]/,/^source/ s/^source = .*/source = \"$camera\"/" \
        -e "/^\[load_cells\]/,/^source/ s/^source = .*/source = \"$cells\"/" \
        -e "s/^port = .*/port = ${PORT:-8000}/" -e "s/TABLE\.local/$(hostname).local/" "$HERE/table.toml" >"$fresh"
    if without panel; then
        sed -i -e '/^\[panel\]/,/^$/d' "$fresh"
    fi
    install -o senryaku -g senryaku -m 644 "$fresh" "$SETTINGS/table.toml"
    rm -f "$fresh"
    say "made $SETTINGS/table.toml; measure and calibrate next: senryaku calibrate"
}

services() {
    local unit
    for unit in "$HERE"/*.service; do
        put "$unit" "/etc/systemd/system/$(basename "$unit")" && CHANGED=yes
    done
    put "$HERE/99-senryaku.rules" /etc/udev/rules.d/99-senryaku.rules && CHANGED=yes
    put "$HERE/journal.conf" /etc/systemd/journald.conf.d/senryaku.conf || true
    put "$HERE/senryaku-table" /usr/local/sbin/senryaku-table 755 || true
    point /usr/local/bin/senryaku "$HOME_OF/current/.venv/bin/senryaku"
    if ! without screen; then
        put "$HERE/kiosk.sh" /usr/local/bin/senryaku-kiosk 755 || true
        put "$HERE/senryaku-kiosk.desktop" /etc/xdg/autostart/senryaku-kiosk.desktop || true
    fi
    return 0
}

start() {
    if ! systemd_runs; then
        command -v systemctl >/dev/null && systemctl enable --quiet senryaku.service
        say "systemd does not run here, so nothing is started; the service is what $HERE/senryaku.service says"
        return
    fi
    udevadm control --reload 2>/dev/null && udevadm trigger 2>/dev/null || true
    systemctl daemon-reload
    systemctl enable --quiet senryaku.service
    if [[ $CHANGED == yes ]] || ! systemctl is-active --quiet senryaku.service; then
        systemctl restart senryaku.service
    fi
    answers || fail "the table does not answer; see: journalctl -u senryaku -n 50, and: senryaku doctor $SETTINGS/table.toml"
}

answers() { # within a minute
    local port
    port=$(sed -n 's/^port = //p' "$SETTINGS/table.toml" | head -1)
    python3 - "${port:-8000}" <<'ASK'
import sys, time, urllib.request
url = f"http://127.0.0.1:{sys.argv[1]}/"
for _ in range(60):
    try:
        urllib.request.urlopen(url, timeout=5).read(1)
    except OSError:
        time.sleep(1)
    else:
        print(f"make pi: the table answers at {url}")
        sys.exit(0)
sys.exit(1)
ASK
}

main() {
    [[ $(id -u) == 0 ]] || fail "needs root: sudo make pi"
    for part in ${WITHOUT:-}; do
        [[ " camera cells panel screen " == *" $part "* ]] || fail "WITHOUT: $part is not one of camera, cells, panel, screen"
    done
    CHANGED=no
    packages
    user
    if [[ -L $HOME_OF/current && -n $(ls "$STATE"/*.db 2>/dev/null) ]]; then
        /usr/local/sbin/senryaku-table backup "$STATE/backups/before-update.zip" --no-evidence --table "$SETTINGS/table.toml" ||
            say "the logs could not be backed up first; going on, they are not touched"
    fi
    release "$(release_id)"
    settings
    services
    start
    say "done: release $(basename "$(readlink "$HOME_OF/current")")"
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || main
