"""A kubesim for a test, with or without the operator: both end with the test."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = os.path.join(ROOT, os.environ.get('OUT', 'build'))
PATIENCE_S = 30


class Stand:
    """kubesim as a process, in a folder of its own. A context manager; leaving it fails when a process ended badly."""

    def __init__(self, *options):
        self.options, self.others = options, []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = os.path.join(self.folder.name, 'kubesim')
        self.process = self._start(f'{OUT}/kubesim', '--dir', self.dir, *self.options, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line.startswith('kubesim ready'):
            sys.exit(f'kubesim did not start: {line}')
        self.kubeconfig = os.path.join(self.dir, 'kubeconfig')
        return self

    def __exit__(self, *_):
        codes = {}
        for process in reversed([self.process, *self.others]):
            process.terminate()
            codes[process.args[0]] = process.wait(PATIENCE_S)
        self.process.stdout.close()
        self.folder.cleanup()
        assert not any(codes.values()), f'ended with {codes}'

    def _start(self, *command, **options):
        return subprocess.Popen(command, **{'text': True, **options})

    def operator(self, *command, **options):
        command = command or (f'{OUT}/rolecall', 'run', '--kubeconfig', self.kubeconfig)
        with open(os.path.join(self.folder.name, 'operator.log'), 'w') as log:
            self.others.append(self._start(*command, stderr=log, **options))

    def ctl(self, *words):
        """(exit code, what it said)"""
        done = subprocess.run([f'{OUT}/kubesim', 'ctl', '--dir', self.dir, *words], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        return done.returncode, done.stdout + done.stderr


class Checks:
    """Counts checks; says the ones that fail."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, what, holds, detail=''):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds:
            print(f'FAIL {what}: {detail}', flush=True)

    def equal(self, what, got, wanted):
        self.check(what, got == wanted, f'\n got    {got!r}\n wanted {wanted!r}')

    def finish(self):
        print(f'{self.passed} passed, {self.failed} failed, {self.skipped} skipped')
        sys.exit(1 if self.failed else 0)
