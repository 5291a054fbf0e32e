#!/usr/bin/env bash
# Goes back to the release before the one in use: `make pi-rollback`. Said again, it goes forward again. Logs stay.
set -euo pipefail
HOME_OF=/opt/senryaku
fail() { printf '%s\n' "make pi-rollback: $*" >&2; exit 1; }
[[ $(id -u) == 0 ]] || fail "needs root: sudo make pi-rollback"
now=$(readlink "$HOME_OF/current") || fail "nothing is installed; make pi does that"
before=$(readlink "$HOME_OF/previous") || fail "there is no release before this one"
[[ -f $before/.whole ]] || fail "$before is not whole"
ln -sfnT "$before" "$HOME_OF/current.new"
mv -T "$HOME_OF/current.new" "$HOME_OF/current"
ln -sfnT "$now" "$HOME_OF/previous"
[[ ! -d /run/systemd/system ]] || systemctl restart senryaku.service
printf '%s\n' "make pi-rollback: release $(basename "$before") is in use; $(basename "$now") is kept"
