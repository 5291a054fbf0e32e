#!/usr/bin/env bash
# The scoring board on the whole screen: under Wayland, under X11, or on a bare console by way of cage. Starts the
# browser anew when it ends. Another page: senryaku-kiosk http://table1.local:8000/
set -u
PORT=$(sed -n 's/^port = //p' /etc/senryaku/table.toml 2>/dev/null | head -1)
PAGE=${1:-http://127.0.0.1:${PORT:-8000}/?kiosk}
PROFILE=${XDG_RUNTIME_DIR:-/tmp}/senryaku-kiosk

if [[ -z ${WAYLAND_DISPLAY:-} && -z ${DISPLAY:-} ]]; then
    command -v cage >/dev/null || { echo "senryaku-kiosk: no screen here; on a Pi without desktop: sudo apt install cage" >&2; exit 1; }
    exec cage -d -- "$0" "$PAGE"
fi
for name in chromium chromium-browser; do
    browser=$(command -v "$name") && break
done
[[ -n ${browser:-} ]] || { echo "senryaku-kiosk: no browser: sudo apt install chromium" >&2; exit 1; }

options=(--kiosk --no-first-run --noerrdialogs --disable-infobars --disable-session-crashed-bubble
    --disable-features=Translate --disable-background-networking --disable-component-update --disable-sync
    --password-store=basic --check-for-update-interval=31536000 "--user-data-dir=$PROFILE")
if [[ -n ${WAYLAND_DISPLAY:-} ]]; then
    options+=(--ozone-platform=wayland)
else
    options+=(--ozone-platform=x11)
    command -v xset >/dev/null && xset s off s noblank -dpms
    command -v unclutter >/dev/null && unclutter -idle 2 &
fi

where=${PAGE#*://}
where=${where%%/*}
[[ $where == *:* ]] || where=$where:80
answers() { (exec 3<>"/dev/tcp/${where%:*}/${where##*:}") 2>/dev/null; }
until answers; do sleep 1; done
while true; do
    "$browser" "${options[@]}" "$PAGE"
    sleep 2
done
