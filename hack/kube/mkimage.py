#!/usr/bin/env python3
"""Writes a docker archive (manifest, config, one layer) that "ctr images import" takes; no registry, no daemon.

mkimage.py OUT.tar NAME:TAG [--busybox] [--bin SOURCE=PATH]... [--file PATH=TEXT]... [--entry JSON] [--cmd JSON]
"""
import argparse
import hashlib
import io
import json
import os
import platform
import subprocess
import tarfile

BUSYBOX = '/bin/busybox'


class Layer:
    """A tar in memory; the same content gives the same bytes."""

    def __init__(self):
        self.buffer = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode='w', format=tarfile.GNU_FORMAT)
        self.seen = set()

    def add(self, path, data=None, **fields):
        info = tarfile.TarInfo(path.strip('/'))
        for name, value in fields.items():
            setattr(info, name, value)
        if data is not None:
            info.size = len(data)
        self.tar.addfile(info, io.BytesIO(data or b''))

    def folder(self, path, mode=0o755):
        if path.strip('/') and path not in self.seen:
            self.folder(os.path.dirname(path))
            self.seen.add(path)
            self.add(path, type=tarfile.DIRTYPE, mode=mode)

    def file(self, path, data, mode=0o644):
        self.folder(os.path.dirname(path))
        self.add(path, data, mode=mode)

    def link(self, path, target):
        self.folder(os.path.dirname(path))
        self.add(path, type=tarfile.SYMTYPE, linkname=target, mode=0o777)

    def busybox(self):
        """A small system around the machine's static busybox."""
        self.folder('/tmp', 0o1777)
        for path in '/root', '/proc', '/sys', '/dev':
            self.folder(path)
        self.file('/etc/passwd', b'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n')
        self.file('/etc/group', b'root:x:0:\n')
        self.file(BUSYBOX, read(BUSYBOX), 0o755)
        for applet in subprocess.run([BUSYBOX, '--list'], capture_output=True, text=True, check=True).stdout.split():
            if applet != 'busybox':
                self.link('/bin/' + applet, BUSYBOX)

    def bytes(self):
        self.tar.close()
        return self.buffer.getvalue()


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def config(options, layer):
    path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    return json.dumps({
        'architecture': {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(platform.machine(), platform.machine()),
        'os': 'linux',
        'created': '1970-01-01T00:00:00Z',
        'config': {'Env': [path], 'Entrypoint': options.entry, 'Cmd': options.cmd, 'WorkingDir': '/'},
        'rootfs': {'type': 'layers', 'diff_ids': ['sha256:' + hashlib.sha256(layer).hexdigest()]},
    }).encode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('name')
    parser.add_argument('--busybox', action='store_true')
    parser.add_argument('--bin', action='append', default=[])
    parser.add_argument('--file', action='append', default=[])
    parser.add_argument('--entry', type=json.loads)
    parser.add_argument('--cmd', type=json.loads)
    options = parser.parse_args()

    layer = Layer()
    if options.busybox:
        layer.busybox()
    for source, path in (item.split('=', 1) for item in options.bin):
        layer.file(path, read(source), 0o755)
    for path, text in (item.split('=', 1) for item in options.file):
        layer.file(path, text.encode())
    content = layer.bytes()

    image = config(options, content)
    name = hashlib.sha256(image).hexdigest() + '.json'
    manifest = [{'Config': name, 'RepoTags': [options.name], 'Layers': ['layer.tar']}]
    with tarfile.open(options.out, 'w') as archive:
        for path, data in (name, image), ('layer.tar', content), ('manifest.json', json.dumps(manifest).encode()):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


main()
