# Images, made here without a registry.

make_images() {
	mkdir -p "$STATE/img"
	[ -f "$STATE/img/pause.tar" ] ||
		python3 "$HERE/mkimage.py" "$STATE/img/pause.tar" rolecall.test/pause:1 --bin "$STATE/pause=/pause" \
			--entry '["/pause"]'
	[ -f "$STATE/img/busybox.tar" ] ||
		python3 "$HERE/mkimage.py" "$STATE/img/busybox.tar" rolecall.test/busybox:1 --busybox --cmd '["sh"]'
}
