#!/usr/bin/env python3
"""The command line on a real API server: it shows what the status says, and what it asks for is done."""
import json
import os
import subprocess

from lib import OPERATOR, Checks
from shop import Shop, app, cluster, head, is_upgraded, members_of, pods_of_role


class Rolecall:
    """The program, as a user of shop's namespace runs it."""

    def __init__(self, shop, checks):
        self.shop, self.checks = shop, checks

    def run(self, *args):
        command = [OPERATOR, args[0], '-n', self.shop.namespace, *args[1:]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def expect(self, *args, code=0, out='', err=''):
        wanted = code, out and out + '\n', err and f'rolecall: {err}\n'
        self.checks.equal('rolecall ' + ' '.join(args), self.run(*args), wanted)

    def shows(self, *args, words):
        code, out, err = self.run(*args)
        missing = [word for word in words if word not in out]
        self.checks.check('rolecall ' + ' '.join(args), (code, err, missing) == (0, '', []), f'{code} {err} {out}')


def fails(pod):
    return lambda status: head(status, pod).get('attempts', 0) > 0


def what_it_shows(shop, checks, rolecall):
    status = shop.status()
    rolecall.shows('get', 'shop', words=['shop-1', *members_of(status)])
    rolecall.shows('get', 'shop', '-o', 'name', words=['cluster.rolecall.dev/shop'])
    code, out, _ = rolecall.run('get', 'shop', '-o', 'json')
    checks.equal('rolecall get -o json is the Cluster', (code, json.loads(out)['status']), (0, status))
    rolecall.expect('queue', 'shop', err='every queue of shop is empty')
    checks.equal('rolecall get nobody', rolecall.run('get', 'nobody')[0], 3)


def forwards(shop, checks, rolecall):
    """Every member is stuck in turn until something is done about it; returns the role that moves first."""
    shop.members.steer('all', 'pod_upgraded', exit_code=3)
    shop.patch({'app': 'shop-2'})
    shop.wait('a first member', lambda s: any(head(s, p).get('event') == 'pod_upgraded' for p in members_of(s)))
    role = next(r['id'] for r in shop.status()['roles']
                if any(head(shop.status(), m['pod']).get('event') == 'pod_upgraded' for m in r['members']))
    pods = pods_of_role(shop.status(), role)[::-1]

    shop.wait(f'{pods[0]} fails', fails(pods[0]))
    rolecall.shows('queue', 'shop', pods[0], words=['pod_upgraded'])
    shop.members.steer('all', 'pod_upgraded')
    rolecall.expect('retry', 'shop', pods[0], '--wait', out=f'shop: the operator has acted on the retry of {pods[0]}')
    shop.members.steer('all', 'pod_upgraded', exit_code=3)
    shop.wait(f'{pods[1]} fails', fails(pods[1]))
    number = head(shop.status(), pods[1])['id']
    rolecall.expect('skip', 'shop', pods[1], str(number), '--wait',
                    out=f'shop: the operator has acted on the skip of {pods[1]}/{number}')
    shop.wait(f'{pods[2]} fails', fails(pods[2]))
    checks.equal('upgraded', [is_upgraded(shop.status(), p) for p in pods], [True, True, False])

    rolecall.expect('pause', 'shop', out='shop: paused')
    shop.wait('Paused', lambda s: any(c['reason'] == 'Paused' for c in s['conditions']))
    rolecall.expect('resume', 'shop', out='shop: resumed')
    rolecall.expect('give-up', 'shop', pods[2], '--wait', out=f'shop: the operator has acted on the give-up of {pods[2]}')
    shop.wait('given up', lambda s: members_of(s)[pods[2]].get('givenUp'))


def backwards(shop, checks, rolecall):
    rolecall.expect('rollback', 'shop', out='shop: spec.app goes back from shop-2 to shop-1; follow it with '
                    f'"rolecall get shop -n {shop.namespace} --watch"')
    shop.members.steer('all', 'pod_upgraded')
    shop.wait_configured('shop-1', 180)
    checks.equal('rolecall rollback, once it is over', rolecall.run('rollback', 'shop')[0], 4)
    rolecall.expect('queue', 'shop', err='every queue of shop is empty')


def a_story(checks):
    """Shown, upgraded with each command in turn, and taken back."""
    with Shop('live-cli') as shop:
        rolecall = Rolecall(shop, checks)
        shop.apply(app('shop-1', '1.0'), app('shop-2', '2.0'), cluster(shop.members.folder))
        shop.wait_configured('shop-1')
        what_it_shows(shop, checks, rolecall)
        forwards(shop, checks, rolecall)
        backwards(shop, checks, rolecall)
        shop.judge(checks)


if __name__ == '__main__':
    os.environ['NO_COLOR'] = '1'
    Checks().run([a_story])
