#!/usr/bin/env python3
"""What can be made to go wrong in kubesim, seen through the operator: each switch does what its help says, and what it
broke is whole again when it is turned back."""
import os
import subprocess

import yaml

from client import Client
from stand import OUT, PATIENCE_S, ROOT, Checks, Stand

API = '/apis/rolecall.dev/v1alpha1/namespaces/default/'
DEMO = f'{API}clusters?fieldSelector=metadata.name%3Ddemo'
PODS = '/api/v1/namespaces/default/pods'
MERGE = {'content_type': 'application/merge-patch+json'}
FAST = ['--speed', '10', '--handler-ms', '5']


def members(cluster):
    """(role, member) of everybody."""
    return [(role['id'], m) for role in cluster.get('status', {}).get('roles', []) for m in role.get('members', [])]


def named(cluster, pod):
    return next((m for _, m in members(cluster) if m['pod'] == pod), {})


def is_up(cluster):
    status = cluster.get('status', {})
    return status.get('state') == 'configured' and status.get('readyMembers') == '6/6'


def all_but(cluster, pod):
    return len(members(cluster)) == 6 and all((m['state'] == 'configured') == (m['pod'] != pod) for _, m in members(cluster))


def last_exit(cluster, pod):
    queue = named(cluster, pod).get('stateDetail', {}).get('pendingNotifyCmds', [])
    return queue[0].get('lastExitCode') if queue else None


class World:
    """kubesim, the operator and the demo's objects."""

    def __init__(self, checks, *options, before=()):
        self.checks, self.stand, self.before = checks, Stand(*FAST, *options), before

    def __enter__(self):
        self.stand.__enter__()
        self.client = Client(self.stand.kubeconfig)
        self.stand.operator()
        for words in self.before:
            self.ctl(*words)
        for plural, name in ('apps', 'demo-1.0'), ('apps', 'demo-2.0'), ('clusters', 'cluster'):
            with open(os.path.join(ROOT, 'hack', 'demo', name + '.yaml')) as file:
                self.client.send('POST', API + plural, yaml.safe_load(file))
        return self

    def __exit__(self, *error):
        self.client.connection.close()
        self.stand.__exit__(*error)

    def ctl(self, *words):
        self.checks.equal(f'ctl {" ".join(words)}', self.stand.ctl(*words), (0, ''))

    def until(self, what, condition, path=DEMO):
        """The object that meets it; not to meet it is an error of the connection's."""
        tree = self.client.until(path, condition)
        self.checks.check(what, tree is not None)
        return tree

    def pod(self, name):
        return self.client.call('GET', f'{PODS}/{name}')

    def edit(self, spec):
        code, _ = self.client.send('PATCH', f'{API}clusters/demo', {'spec': spec}, **MERGE)
        self.checks.equal(f'edit {spec}', code, 200)

    def log(self, name):
        return [line.split('\t')[1:4] for line in self.client.send('GET', f'{PODS}/{name}/log')[1].splitlines()]


def whole(checks):
    """Nothing is switched on. Returns the names of the pods: they are the same in every kubesim."""
    with World(checks) as world:
        cluster = world.until('all six members are up', is_up)
        return [m['pod'] for _, m in members(cluster)]


def held_down(checks, names):
    """--hold-down: it never starts, until "up"."""
    with World(checks, '--hold-down', names[0]) as world:
        cluster = world.until('all but the one that is held are configured', lambda c: all_but(c, names[0]))
        checks.equal('it is being created', cluster['status']['state'], 'creating')
        container = world.pod(names[0])[1]['status']['containerStatuses'][0]
        checks.equal('its container does not run', container.get('ready'), False)
        world.ctl('up', names[0])
        world.until('it is up', is_up)


def down_and_up(checks, names):
    """down: its container dies and stays dead; up: another one starts and is set up anew."""
    with World(checks) as world:
        world.until('all are up', is_up)
        world.ctl('down', names[1])
        cluster = world.until('it is down', lambda c: named(c, names[1])['stateDetail'].get('downSince'))
        checks.check('with a reason', named(cluster, names[1])['stateDetail'].get('downReason'), named(cluster, names[1]))
        world.ctl('up', names[1])
        world.until('it is up again', lambda c: is_up(c) and not named(c, names[1])['stateDetail'].get('downSince'))
        checks.equal('it was configured twice', [line[0] for line in world.log(names[1])],
                     ['start', 'configure', 'start', 'configure'])


def lost_and_back(checks, names):
    """lose: the pod goes with its node and stays Pending; up: it is scheduled."""
    with World(checks) as world:
        world.until('all are up', is_up)
        uid = world.pod(names[2])[1]['metadata']['uid']
        world.ctl('lose', names[2])
        world.until('five are left', lambda c: c['status'].get('readyMembers') == '5/6')
        world.ctl('up', names[2])
        world.until('six again', is_up)
        checks.check('it is another pod', world.pod(names[2])[1]['metadata']['uid'] != uid)


def failing(checks, names):
    """fail: the handler ends with this code on this event; 0: no longer."""
    with World(checks, before=[('fail', names[0], '7', 'configure'), ('fail', names[1], '8', 'addnodes')]) as world:
        cluster = world.until('it has failed with code 7, and no other has', lambda c: last_exit(c, names[0]) == 7 and
                              all_but(c, names[0]))
        checks.equal('another event does not fail', named(cluster, names[1])['state'], 'configured')
        world.ctl('fail', names[0], '0')
        world.ctl('kill', names[0])
        world.until('it is up', is_up)


def slow(checks, names):
    """slow: its handler takes this long, the others' do not."""
    with World(checks, before=[('slow', names[3], '600000')]) as world:
        world.until('all but the slow one are configured', lambda c: all_but(c, names[3]))
        checks.equal('it is still at it', world.log(names[3])[-1][0], 'configure')
        world.ctl('slow', names[3], '0')
        world.ctl('kill', names[3])
        world.until('another container of it is faster', is_up)


def quota(checks, _):
    """quota: no pod can be made, and the Cluster says why; off: all are."""
    with World(checks, before=[('quota', 'on')]) as world:
        cluster = world.until('the status names the quota', lambda c: 'quota' in str(c.get('status', '')))
        checks.equal('no pod was made', world.client.call('GET', PODS)[1]['items'], [])
        checks.equal('it is being created', cluster['status']['state'], 'creating')
        world.ctl('quota', 'off')
        world.until('all are up', is_up)


def scale_down(checks, names):
    """A role loses its last member: its pod goes, the others are told."""
    with World(checks) as world:
        world.until('all are up', is_up)
        world.edit({'roles': [{'id': 'store', 'members': 3}, {'id': 'worker', 'members': 1}, {'id': 'front', 'members': 1}]})
        cluster = world.until('five are left', lambda c: c['status']['state'] == 'configured' and
                              c['status'].get('readyMembers') == '5/5')
        checks.equal('the last of the role is gone', [m['pod'] for _, m in members(cluster)],
                     [name for name in names if name != names[4]])
        checks.equal('so is its pod', world.pod(names[4])[0], 404)
        checks.equal('another member has heard', world.log(names[0])[-1][0], 'delnodes')


def wrong_commands(checks, names):
    """What ctl cannot do, it says."""
    with Stand() as stand:
        for words, wanted in [((), 'makes something go wrong'), (('turn', 'x'), 'no such command'), (('down',), 'which POD?'),
                              (('freeze', names[0]), 'no such container runs'), (('kill', 'a/b'), 'no such container runs'),
                              (('fail', 'a', '7', 'nothing'), 'fail POD CODE [EVENT]'), (('deny', 'x'), 'deny TEXT CODE [N]')]:
            code, said = stand.ctl(*words)
            checks.check(f'ctl {" ".join(words)}: refused', code != 0 and wanted in said, f'{code}: {said}')


def helps(checks, _):
    """Help is an answer; a command line that is none is answered by it, too, but has failed."""
    for words, code in [(('--help',), 0), (('ctl', '--help'), 0), (('ctl', '--dir', '/nowhere', '--help'), 0), ((), 2),
                        (('ctl',), 2), (('--dir', '/nowhere', '--nothing'), 2), (('--dir', '/nowhere', 'word'), 2)]:
        done = subprocess.run([f'{OUT}/kubesim', *words], capture_output=True, text=True, timeout=PATIENCE_S)
        said, other = (done.stderr, done.stdout) if code else (done.stdout, done.stderr)
        checks.equal(f'kubesim {" ".join(words)}', (done.returncode, other), (code, ''))
        checks.check(f'kubesim {" ".join(words)}: help', 'freeze POD' in said, said)


def main():
    checks = Checks()
    names = whole(checks)
    for test in held_down, down_and_up, lost_and_back, failing, slow, quota, scale_down, wrong_commands, helps:
        test(checks, names)
    checks.finish()


if __name__ == '__main__':
    main()
