#!/bin/sh
# images.sh: makes the images rolecall.test/member:v1 and :v2, which differ in /version, and gives them to every node.
set -eu
cd "$(dirname "$0")"
hack=../../hack
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in v1 v2; do
	python3 $hack/kube/mkimage.py "$folder/$version.tar" rolecall.test/member:$version --busybox \
		--bin handler.sh=/handler.sh --bin member.sh=/member.sh --file "/version=$version
" --cmd '["/member.sh"]'
done
$hack/kube.sh load "$folder/v1.tar" "$folder/v2.tar"
