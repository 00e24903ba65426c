# What the scripts of this folder begin with: . "$(dirname "$0")/prelude.sh"
#
# Gives them $root, and Debian releases in folders of their own, below $CHROOTS (default: a folder that goes at the end). It
# takes root, mmdebstrap and Debian's archive.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "This needs root: it makes Debian releases in folders, and enters them." >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/ldp-releases.XXXXXX")
# Debian's archive where this machine finds it.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | sed -n 's|/debian/*$|/debian|p' | head -1)}
chroots=${CHROOTS:-$work}
child=
# Nothing is ever mounted where this could see it: what `enter` mounts goes with its last process. That is killed, since
# unshare does not listen to politer signals.
trap '[ -z "$child" ] || { kill -9 "$child" && wait "$child"; } 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say() { echo "$(date +%H:%M:%S) $*"; }

# debian SUITE FOLDER PACKAGE...: a release with these packages, without what is only recommended.
debian() {
    local suite=$1 folder=$2 packages=("${@:3}")
    # What was corrected since a release is in an archive of its own, and packages may want it.
    local lines=("deb $mirror $suite main")
    [ "$suite" = sid ] || lines+=("deb $mirror-security $suite-security main")
    # Where this machine takes an archive that is old by its own date, so do they.
    local age
    age=$(apt-config dump Acquire::Check-Valid-Until)
    mkdir -p "$(dirname "$folder")"
    mmdebstrap ${age:+--aptopt="$age"} --quiet --variant=minbase --skip=check/empty ${packages:+--include="$(IFS=,; echo "${packages[*]}")"} \
        "$suite" "$folder" "${lines[@]}" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; say "$suite cannot be had"; return 1; }
    cp /etc/resolv.conf "$folder/etc/"
}

# enter FOLDER COMMAND...: in there, as its root, with processes and mounts of its own that end with the command. Where
# CCACHE_DIR is set, the compiler's cache is at /ccache.
enter() {
    unshare --mount --pid --fork --kill-child --propagation private bash -euc '
        folder=$1 && shift
        mount -t proc proc "$folder/proc"
        mount -t tmpfs tmpfs "$folder/dev/shm"
        cache=
        if [ -n "${CCACHE_DIR:-}" ]; then
            mkdir -p "$folder/ccache" && mount --bind "$CCACHE_DIR" "$folder/ccache"
            cache="CCACHE_DIR=/ccache CCACHE_NOHASHDIR=1"
        fi
        exec chroot "$folder" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive $cache "$@"' - "$@" </dev/null &
    child=$!
    local status=0
    wait "$child" || status=$?
    child=
    return "$status"
}

# sources FOLDER: of this tree what git knows, or of an unpacked release all.
sources() {
    mkdir -p "$1"
    (cd "$root" && if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then git ls-files -z; else find . -path ./build -prune -o -type f -print0; fi |
        tar -c --null --no-recursion --files-from=-) | tar -x -C "$1"
}
