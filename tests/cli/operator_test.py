#!/usr/bin/env python3
"""The commands with an operator that acts on them, on the stand-in for a Kubernetes (tests/kubesim)."""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get('ROLECALL', os.path.join(ROOT, 'build', 'rolecall'))
KUBESIM = os.environ.get('KUBESIM', os.path.join(ROOT, 'build', 'kubesim'))
SECONDS = 60
API = '/apis/rolecall.dev/v1alpha1/namespaces/default'

sys.path.insert(0, os.path.join(ROOT, 'tests', 'kubesim'))
import client  # noqa: E402

failures = []
checks = 0


def check(what, got, want):
    global checks
    checks += 1
    if got != want:
        failures.append(what)
        print(f'FAILED: {what}\n  got:  {got!r}\n  want: {want!r}')


class Cluster:
    """The Cluster "demo" of hack/demo: roles store, worker and front, on App demo-1.0."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, 'KUBECONFIG': os.path.join(folder, 'kubeconfig')}
        self.api = client.Client(self.env['KUBECONFIG'])
        for kind, name in ('apps', 'demo-1.0'), ('apps', 'demo-2.0'), ('clusters', 'cluster'):
            with open(os.path.join(ROOT, 'hack', 'demo', f'{name}.yaml')) as file:
                code, answer = self.api.call('POST', f'{API}/{kind}', yaml.safe_load(file))
            check(f'{name} is created', (code, answer.get('message')), (201, None))

    def run(self, *args):
        done = subprocess.run([PROGRAM, *args], env=self.env, text=True, capture_output=True, timeout=SECONDS)
        return done.returncode, done.stdout, done.stderr

    def expect(self, *args, code=0, out='', err=''):
        check(' '.join(args), self.run(*args), (code, out and out + '\n', err and f'rolecall: {err}\n'))

    def ctl(self, *args):
        subprocess.run([KUBESIM, 'ctl', '--dir', self.folder, *args], check=True, capture_output=True, timeout=SECONDS)

    def status(self):
        return json.loads(self.run('get', 'demo', '-o', 'json')[1]).get('status', {})

    def until(self, what, condition):
        """The first status that is so: looks again and again, and gives up after a while."""
        end = time.monotonic() + SECONDS
        while not condition(status := self.status()):
            if time.monotonic() > end:
                raise TimeoutError(f'not in {SECONDS} s: {what}\n{json.dumps(status, indent=1)}')
            time.sleep(0.05)
        return status

    def upgrade(self, app):
        self.api.call('PATCH', f'{API}/clusters/demo', {'spec': {'app': app}}, content_type=client.PATCHES['merge'])


def member(status, pod):
    return next(m for r in status['roles'] for m in r['members'] if m['pod'] == pod)


def head(status, pod):
    """Of the member's queue."""
    return (member(status, pod)['stateDetail'].get('pendingNotifyCmds') or [{}])[0]


def has_failed(pod):
    return lambda s: head(s, pod).get('attempts', 0) > 0


def is_upgraded(pod):
    return lambda s: member(s, pod).get('podUpgradeStatus') == 'upgraded'


def retry(c, pod):
    """What failed is tried again at once, and not after its backoff."""
    c.until('a failure', has_failed(pod))
    check('the failure is shown', 'the handler is not pleased' in c.run('queue', 'demo', pod)[1], True)
    c.ctl('fail', pod, '0')
    c.expect('retry', 'demo', pod, '--wait', out=f'demo: the operator has acted on the retry of {pod}')
    c.until('upgraded', is_upgraded(pod))
    c.expect('retry', 'demo', pod, code=4, err=f'the queue of {pod} is empty: there is nothing to retry')


def skip(c, pod):
    """What is skipped counts as answered."""
    number = head(c.until('a failure', has_failed(pod)), pod)['id']
    c.expect('skip', 'demo', pod, code=2, err=f'which one? The queue of {pod}: {number} pod_upgraded')
    c.expect('skip', 'demo', pod, str(number), '--wait', out=f'demo: the operator has acted on the skip of {pod}/{number}')
    check('it has left the queue', head(c.status(), pod).get('id') == number, False)
    c.until('upgraded', is_upgraded(pod))


def give_up(c, pod):
    """While the Cluster is paused nothing is acted on; afterwards it is."""
    c.until('a failure', has_failed(pod))
    c.expect('pause', 'demo', out='demo: paused')
    c.until('paused', lambda s: any(x['reason'] == 'Paused' for x in s['conditions']))
    c.expect('give-up', 'demo', pod, '--wait', '--timeout=1s', code=5,
             err=f'demo: give-up of {pod} was not acted on in time: does an operator run, and is the Cluster not paused? It '
                 'stays asked for')
    check('not given up', member(c.status(), pod).get('givenUp'), None)
    c.expect('resume', 'demo', out='demo: resumed')
    c.until('given up', lambda s: member(s, pod).get('givenUp'))
    c.until('the annotation is gone', lambda s: 'handledCommands' not in s)
    c.expect('give-up', 'demo', pod, out=f'demo: {pod} has been given up already')


def rollback(c, pod):
    """The way back from half-way, and to the end."""
    c.until('a failure', has_failed(pod))
    c.expect('rollback', 'demo',
             out='demo: spec.app goes back from demo-2.0 to demo-1.0; follow it with "rolecall get demo --watch"')
    c.until('on its way back', lambda s: s.get('upgradeInfo', {}).get('isRollingBack'))
    c.expect('rollback', 'demo', code=4, err='demo is on its way back to demo-1.0 already, and that cannot be turned round; '
             'follow it with "rolecall get demo --watch"')
    # The member that was given up comes back as well, when the plan is over.
    status = c.until('back', lambda s: 'upgradeInfo' not in s and s['state'] == 'configured' and
                     not any(m.get('givenUp') for r in s['roles'] for m in r['members']))
    check('back on the App that it left', (status['app'], status['lastPlans'][0]['outcome']), ('demo-1.0', 'Succeeded'))
    c.expect('rollback', 'demo', code=4, err='demo: no upgrade is in progress, so there is nothing to go back from; it runs App '
             'demo-1.0. To move it to another App, edit spec.app: kubectl edit rcl demo')
    c.expect('queue', 'demo', err='every queue of demo is empty')


def story(c):
    status = c.until('configured', lambda s: s.get('state') == 'configured')
    stores, workers = ([m['pod'] for m in r['members']] for r in status['roles'][:2])
    for pod in *stores, workers[1]:
        c.ctl('fail', pod, '3', 'pod_upgraded')
    c.upgrade('demo-2.0')
    # Members go from the highest index down, and each is stuck until something is done about it.
    retry(c, stores[2])
    skip(c, stores[1])
    give_up(c, stores[0])
    rollback(c, workers[1])


def start(ends, *command, **options):
    process = ends.enter_context(subprocess.Popen(command, **options))
    ends.callback(process.terminate)
    return process


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ends:
        log = ends.enter_context(open(os.path.join(folder, 'log'), 'w+'))
        sim = start(ends, KUBESIM, '--dir', folder, '--speed', '4', stdout=subprocess.PIPE, stderr=log, text=True)
        check('the stand-in starts', sim.stdout.readline().startswith('kubesim ready'), True)
        start(ends, PROGRAM, 'run', '--kubeconfig', os.path.join(folder, 'kubeconfig'), stderr=log)
        try:
            story(Cluster(folder))
        except TimeoutError as error:
            failures.append(str(error))
            log.seek(0)
            print(f'FAILED: {error}\n{log.read()[-5000:]}')
    print(f'{checks - min(checks, len(failures))} passed, {len(failures)} failed, 0 skipped')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
