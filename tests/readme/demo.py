#!/usr/bin/env python3
"""The README's first command as its users meet it: into a log, on a narrow terminal, interrupted. Part of hack/check.sh."""
import contextlib
import glob
import os
import re
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'kubesim')]
from stand import Checks  # noqa: E402
from terminal import on_terminal  # noqa: E402

DEMO = os.path.join(ROOT, 'hack', 'demo.sh')
SECONDS = 300  # with the build
COLUMNS = 40
ENOUGH_S = 60  # after the build
ROLES, MEMBERS = 3, 6


def left_running():
    """What was started in the demo's folder and goes on."""
    found = []
    for process in glob.glob('/proc/[0-9]*'):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            with open(f'{process}/cmdline') as file:
                words = file.read().split('\0')
            if os.readlink(f'{process}/cwd') == ROOT and any('build/demo' in word for word in words):
                found.append(words)
    return found


def run(**options):
    # A shell may have left us without SIGINT; the demo must have it.
    return subprocess.Popen([DEMO], cwd='/', stdin=subprocess.DEVNULL, start_new_session=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler), **options)


def into_a_log(checks):
    process = run(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = process.communicate(timeout=SECONDS)[0]
    checks.equal('demo: exit code', process.returncode, 0)
    checks.check('demo: plain text in a log', '\033' not in said and '\r' not in said, said)
    story = r'(?s)the upgrade is not over.*upgradeInfo there.*upgradeInfo is gone.*history checker: .* no violation'
    checks.check('demo: the upgrade waits, upgradeInfo goes, the history checker agrees', re.search(story, said), said)
    table = re.search(r'\| ROLE +MEMBER +POD +STATE +UPGRADE +QUEUE\n(( +\| \w+ +\w+-\d .*\n)+)', said)
    rows = table[1].splitlines() if table else []
    checks.equal('demo: the table', (len(rows), len({row.split()[1] for row in rows})), (MEMBERS, ROLES))
    took = re.search(r'demo: (\d+) s after the build; nothing is left running\n$', said)
    checks.check('demo: it is short', took and int(took[1]) < ENOUGH_S, said[-200:])
    checks.equal('demo: nothing is left running', left_running(), [])


def on_a_narrow_terminal(checks):
    environment = {key: value for key, value in os.environ.items() if key not in ('HOME', 'COLUMNS', 'LINES')}
    process, output = on_terminal(COLUMNS, lambda terminal: run(stdout=terminal, stderr=terminal, env=environment))
    checks.equal('demo on a terminal, without HOME: exit code', process.wait(SECONDS), 0)
    pictures = output.split('\033[H')[1:]
    lines = [re.sub(r'\033\[[0-9;?]*[A-Za-z]|\r', '', line) for picture in pictures[:-1] for line in picture.split('\n')]
    checks.check('demo on a terminal: it is drawn over itself', len(pictures) > MEMBERS, len(pictures))
    checks.equal('demo on a terminal: nothing is wider', [line for line in lines if len(line) >= COLUMNS], [])
    checks.check('demo on a terminal: the cursor is back', '\033[?25h' in output)


def interrupted(checks):
    process = run(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        if line.startswith('== 2'):
            break
    checks.check('demo: it runs', left_running())
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=SECONDS)
    checks.check('demo, interrupted: exit code', process.returncode == 130, process.returncode)
    checks.equal('demo, interrupted: nothing is left running', left_running(), [])


def options(checks):
    for words, code, wanted in ((['--help'], 0, 'demo.sh [--real]'), (['--frob'], 2, 'unknown option --frob'),
                                (['--film'], 1, '--film needs a file')):
        done = subprocess.run([DEMO, *words], capture_output=True, text=True, timeout=SECONDS)
        checks.check(f'demo {words}', done.returncode == code and wanted in done.stdout + done.stderr,
                     f'{done.returncode}: {done.stdout}{done.stderr}')


def main():
    checks = Checks()
    for test in options, into_a_log, on_a_narrow_terminal, interrupted:
        test(checks)
    checks.finish()


if __name__ == '__main__':
    main()
