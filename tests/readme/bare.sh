#!/bin/bash
# bare.sh [COMMAND...]: runs the commands of the README's first block (default), or others, one after the other in a fresh
# Debian root in which nothing is installed: what a newcomer with a bare machine sees. Needs root, debootstrap and a Debian
# mirror. SEEDS and SAN_SEEDS make hack/check.sh shorter; fewer than 200 do not put every rule to the test.
#
# The root is made once and kept in the cache folder; each run works in a copy of it. Ends with "N passed, N failed,
# N skipped"; skipped, with the reason, where a root cannot be made.
set -u
cd "$(dirname "$0")/../.." || exit 2
suite=bookworm
passed=0 failed=0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/debian-$suite
root=$(mktemp -d)

skip() {
	echo "skipped: $*"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
}

leave() {
	for mount in proc dev; do
		mountpoint -q "$root/$mount" && umount -l "$root/$mount"
	done
	rm -rf --one-file-system "$root"
}
trap leave EXIT

# The mirror that this machine's own packages come from.
mirror() {
	apt-get indextargets --format '$(SITE) $(RELEASE)' 2>/dev/null | awk -v suite=$suite '$2 == suite { print $1; exit }'
}

make_root() {
	[ -x "$cache/bin/sh" ] && return
	command -v debootstrap >/dev/null || apt-get install -q -y --no-install-recommends debootstrap >/dev/null ||
		skip "no debootstrap"
	rm -rf "$cache" && mkdir -p "$(dirname "$cache")"
	debootstrap --variant=minbase $suite "$cache.new" "$(mirror)" >"$root/debootstrap.log" 2>&1 ||
		skip "no Debian root: $(tail -n 1 "$root/debootstrap.log")"
	mv "$cache.new" "$cache"
}

# The first block of commands of the README, without what is said about them.
first_commands() {
	awk '/^```/ { if (inside) exit; inside = 1; next } inside { sub(/ *#.*/, ""); print }' go-free-README.md
}

run() {
	echo "in a bare Debian: $1"
	if chroot "$root" /bin/sh -c "cd /rolecall && LC_ALL=C $1" </dev/null; then
		echo "ok   $1"
		passed=$((passed + 1))
	else
		echo "FAIL $1: exit code $?"
		failed=$((failed + 1))
	fi
}

[ "$(id -u)" = 0 ] || skip "needs root"
make_root
cp -a "$cache/." "$root/"
for file in etc/resolv.conf etc/hosts etc/apt/sources.list etc/apt/sources.list.d etc/apt/apt.conf.d etc/ssl/certs; do
	rm -rf "${root:?}/$file" && mkdir -p "$root/$(dirname $file)"
	[ ! -e /$file ] || cp -aL /$file "$root/$file"
done
# As a slave: what is unmounted here stays mounted outside.
mount -t proc proc "$root/proc" && mount --rbind --make-rslave /dev "$root/dev" || skip "cannot mount"
mkdir "$root/rolecall"
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$root/rolecall"

[ $# -gt 0 ] || mapfile -t commands < <(first_commands)
for command in "${@:-${commands[@]}}"; do run "$command"; done
echo "$passed passed, $failed failed, 0 skipped"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
