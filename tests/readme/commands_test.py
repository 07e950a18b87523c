#!/usr/bin/env python3
"""The README's commands do what it says: all of its blocks, line by line, on kubesim. Its first block is run by bare.sh, in
a Debian in which nothing is installed."""
import os
import re
import shutil
import subprocess
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'kubesim'))
from client import Client  # noqa: E402
from kubectl_test import find_kubectl  # noqa: E402
from stand import OUT, PATIENCE_S, Checks, Stand  # noqa: E402

SHELL = ['bash', '-euo', 'pipefail', '-c']
TOLD = 2000  # characters of an output that is not as it should be
SHOP = '/apis/rolecall.dev/v1alpha1/namespaces/default/clusters?fieldSelector=metadata.name%3Dshop'


def blocks():
    """The commands of each block, without what is said about them. Output and drawings are no blocks of commands."""
    with open(os.path.join(ROOT, 'go-free-README.md')) as file:
        for block in re.findall(r'^```\w*\n(.*?)^```', file.read(), re.M | re.S):
            yield [line for line in (re.sub(r'(^|\s+)#.*', '', line) for line in block.splitlines()) if line]


def data_members(cluster):
    """Of the role that an upgrade takes first, in its order."""
    roles = cluster.get('status', {}).get('roles', [])
    return [m for role in roles if role['id'] == 'data' for m in role.get('members', [])][::-1]


def has_failed(cluster):
    """The first queue entry of the first of them, once its handler has answered with an error."""
    for member in data_members(cluster)[:1]:
        for entry in member['stateDetail'].get('pendingNotifyCmds', [])[:1]:
            return entry if entry.get('lastExitCode') else None
    return None


class Reader:
    """Somebody with a clone, a cluster and a kubeconfig for it in the usual place, who types what the README says."""

    def __init__(self, checks, stand, kubectl):
        self.checks, self.stand = checks, stand
        home = stand.folder.name
        self.bin = os.path.join(home, 'bin')
        os.makedirs(os.path.join(home, '.kube'))
        os.mkdir(self.bin)
        for name, as_name in ('kubeconfig', 'config'), ('ca.crt', 'ca.crt'):
            shutil.copy(os.path.join(stand.dir, name), os.path.join(home, '.kube', as_name))
        os.symlink(f'{OUT}/rolecall', os.path.join(self.bin, 'rolecall'))
        os.symlink(kubectl, os.path.join(self.bin, 'kubectl'))
        env = {**os.environ, 'HOME': home, 'PATH': f'{self.bin}:{os.environ["PATH"]}'}
        env.pop('KUBECONFIG', None)
        self.shell = {'cwd': ROOT, 'env': env, 'text': True, 'stdin': subprocess.DEVNULL}

    def type(self, line, shows=''):
        """Runs the line to its end, which must be a good one; what it says must match."""
        done = subprocess.run([*SHELL, line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=2 * PATIENCE_S,
                              **self.shell)
        self.checks.check(line, done.returncode == 0 and re.search(shows, done.stdout),
                          f'exit code {done.returncode}, wanted 0 and {shows!r}; it said\n{done.stdout[-TOLD:]}')

    def follow(self, line, shows):
        """Runs a line that goes on for ever until it has shown that."""
        process = subprocess.Popen([*SHELL, f'exec {line}'], stdout=subprocess.PIPE, **self.shell)
        alarm = threading.Timer(PATIENCE_S, process.kill)
        alarm.start()
        text = ''
        for output in process.stdout:
            text += output
            if re.search(shows, text):
                break
        alarm.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
        self.checks.check(line, re.search(shows, text), f'it showed\n{text[-TOLD:]}')

    def on_a_cluster(self, lines):
        self.checks.equal('the commands for a cluster are those that are tried here', lines, [
            'make', 'kubectl apply -k manifests/install', 'build/rolecall run --kubeconfig ~/.kube/config',
            'kubectl apply -k manifests/examples', 'kubectl get rcl -w',
            'ln -s "$PWD/build/rolecall" /usr/local/bin/kubectl-rolecall && kubectl rolecall get shop'])
        self.type('make -n')
        # kubesim has our kinds from the start and no place for the others; tests/live/run.sh installs them.
        self.type('kubectl kustomize manifests/install', shows='(?s)name: clusters.rolecall.dev.*kind: ClusterRole')
        self.stand.operator(*SHELL, f'exec {OUT}/rolecall run --kubeconfig ~/.kube/config', **self.shell)
        self.type(lines[3], shows='cluster.rolecall.dev/shop created')
        self.follow(lines[4], shows='shop +shop-1.0 +configured')
        own = lines[5].replace('$PWD/build', OUT).replace('/usr/local/bin', self.bin)
        self.type(own, shows='role data +3 members')

    def looking(self, lines):
        for line in lines:
            self.type(line, shows='shop')

    def command_line(self, lines):
        """In an upgrade in which handlers fail: there is something to retry, to skip, to give up, to go back from."""
        with Client(self.stand.kubeconfig) as client:
            for member in data_members(client.until(SHOP, data_members)):
                self.checks.equal('a handler fails', self.stand.ctl('fail', member['pod'], '3', 'pod_upgraded'), (0, ''))
            self.type("kubectl patch rcl shop --type=merge -p '{\"spec\":{\"app\":\"shop-1.1\"}}'", shows='patched')
            cluster = client.until(SHOP, has_failed)
        pod, number = data_members(cluster)[0]['pod'], str(has_failed(cluster)['id'])
        for line in lines:
            own = re.sub(r'\bID\b', number, line.replace('MEMBER', pod))
            self.follow(own, shows=pod) if ' -w' in own else self.type(own)


def main():
    checks, kubectl, (first, *others) = Checks(), find_kubectl(), blocks()
    for command in first:
        checks.check(f'{command} is there', os.access(os.path.join(ROOT, command), os.X_OK))
    if not kubectl:
        checks.skipped = sum(map(len, others))
        print('skipped: no kubectl, neither in PATH nor among the binaries of hack/kube.sh')
        checks.finish()
    with Stand('--speed', '10', '--handler-ms', '20') as stand:
        reader = Reader(checks, stand, kubectl)
        runs = [reader.on_a_cluster, reader.looking, reader.command_line]
        checks.equal('each block of commands is tried', len(others), len(runs))
        for run, lines in zip(runs, others):
            run(lines)
    checks.finish()


if __name__ == '__main__':
    main()
