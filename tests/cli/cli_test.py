#!/usr/bin/env python3
"""The commands as a user runs them, against a fake API server: text, exit code, and what was sent."""
import contextlib
import json
import os
import pty
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import yaml

import fake
import shop

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from terminal import on_terminal  # noqa: E402

PROGRAM = os.environ.get('ROLECALL', os.path.join(ROOT, 'build', 'rolecall'))
SECONDS = 60  # no command takes so long
LIST = f'{fake.GROUP}/namespaces/default/clusters'
SHOP = f'{LIST}/shop'
DB1 = 'shop-db-9c8d7-1'
FRONT1 = 'shop-front-1a2b3-1'

failures = []
checks = 0


def check(what, got, want):
    global checks
    checks += 1
    if got != want:
        failures.append(what)
        print(f'FAILED: {what}\n  got:  {got!r}\n  want: {want!r}')


def check_in(what, part, text):
    global checks
    checks += 1
    if part not in text:
        failures.append(what)
        print(f'FAILED: {what}\n  got:  {text!r}\n  want: ...{part!r}...')


class World:
    """The fake, a kubeconfig for it, and a home without anything."""

    def __init__(self, folder):
        self.folder = folder
        self.api = fake.Fake(folder)
        self.config = self.kubeconfig('config', self.api.url)
        self.home = os.path.join(folder, 'home')
        os.mkdir(self.home)
        self.bin = os.path.join(folder, 'bin')
        os.mkdir(self.bin)
        for name in 'rolecall', 'kubectl-rolecall', 'kubectl_complete-rolecall':
            os.symlink(os.path.abspath(PROGRAM), os.path.join(self.bin, name))

    def kubeconfig(self, name, server, **context):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as file:
            json.dump({'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'here',
                       'contexts': [{'name': 'here', 'context': {'cluster': 'k', 'user': 'u', **context}},
                                    {'name': 'there', 'context': {'cluster': 'k', 'user': 'u', 'namespace': 'other'}}],
                       'clusters': [{'name': 'k', 'cluster': {'server': server, 'certificate-authority': self.api.crt}}],
                       'users': [{'name': 'u', 'user': {'token': 'secret'}}]}, file)
        return path

    def env(self, **more):
        env = {'PATH': f'{self.bin}:{os.environ["PATH"]}', 'HOME': self.home, 'KUBECONFIG': self.config}
        env.update({k: v for k, v in os.environ.items() if k.endswith('SAN_OPTIONS')})
        env.update(more)
        return {k: v for k, v in env.items() if v is not None}

    def run(self, *args, program='rolecall', **env):
        """Exit code, standard output, standard error."""
        done = subprocess.run([os.path.join(self.bin, program), *args], env=self.env(**env), text=True,
                              capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def terminal(self, columns, *args, **env):
        """Output on a terminal of so many columns."""
        process, output = on_terminal(columns, lambda terminal: subprocess.Popen(
            [os.path.join(self.bin, 'rolecall'), *args], stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE,
            env=self.env(**env)))
        process.stderr.close()
        return process.wait(SECONDS), output.replace('\r\n', '\n')


def expect(what, got, code, out=None, err=None):
    """OUT and ERR: the whole text; None: not looked at."""
    check(f'{what}: exit code', got[0], code)
    if out is not None:
        check(f'{what}: output', got[1], out)
    if err is not None:
        check(f'{what}: error', got[2], err)


def when(method, path, answer):
    """A fault: the answer to every request of this method whose path begins so."""
    return lambda m, p: answer if m == method and p.startswith(path) else None


def once(fault):
    """The fault for the first request that it fits only."""
    used = []

    def first(method, path):
        answer = None if used else fault(method, path)
        if answer:
            used.append(1)
        return answer

    return first


def usage(w):
    see = 'See: rolecall --help\n'
    rows = [
        ((), 'no command', ''),
        (('gte', 'shop'), 'there is no command "gte": did you mean "get"?', ''),
        (('get', '--namespce=x'), 'there is no option --namespce: did you mean --namespace?', ''),
        (('get', '-o', 'xml'), '--output is table, wide, json, yaml or name, not "xml"', ''),
        (('get', 'a', 'b'), 'get takes one Cluster, and 2 were given: a, b', 'get '),
        (('get', 'cluster', 'shop'), 'all commands are about Clusters, the kind is not named: rolecall get shop', 'get '),
        (('get', 'app/x'), '"app/x" is no Cluster, and get is about Clusters only; for other kinds: kubectl get app/x',
         'get '),
        (('retry', 'shop'), 'retry needs CLUSTER MEMBER', 'retry '),
        (('pause', 'shop', '--watch'), 'pause takes no option --watch', 'pause '),
    ]
    for args, text, command in rows:
        expect(f'usage {args}', w.run(*args), 2, '', f'rolecall: {text}\n' + see.replace('--', f'{command}--', 1))
    expect('as a plugin', w.run('get', 'a', 'b', program='kubectl-rolecall'), 2, '',
           'kubectl rolecall: get takes one Cluster, and 2 were given: a, b\nSee: kubectl rolecall get --help\n')
    check('usage: nothing was sent', w.api.requests, [])


def targets_in_words(w):
    w.api.reset(shop.upgrading())
    expect('retry of a notification', w.run('retry', 'shop', f'{DB1}/8'), 2, '',
           f'rolecall: "{DB1}/8" is no member: retry takes CLUSTER MEMBER\n')
    expect('skip of a word', w.run('skip', 'shop', DB1, 'pod_upgraded'), 2, '',
           'rolecall: "pod_upgraded" is no id of a notification: it is a number, as "rolecall queue shop" shows it\n')
    expect('skip with two ids', w.run('skip', 'shop', f'{DB1}/8', '9'), 2, '',
           f'rolecall: "{DB1}/8" is no member: skip takes CLUSTER MEMBER ID\n')
    check('none of these was sent', w.api.requests, [])


def helps(w):
    code, out, err = w.run('--help')
    expect('help', (code, out, err), 0, None, '')
    check('help: lines of at most 80', [l for l in out.splitlines() if len(l) > 80], [])
    commands = [line.split()[0] for line in out.split('commands:\n')[1].split('\n\n')[0].splitlines()]
    check_in('help lists get', 'get', commands)
    for command in commands:
        code, out, err = w.run(command, '--help')
        expect(f'{command} --help', (code, out, err), 0, None, '')
        if command != 'help':
            check_in(f'{command} --help: usage', f'usage: rolecall {command}', out)
            check_in(f'{command} --help: examples', 'examples:\n', out)
        check(f'help {command}', w.run('help', command)[1], out)
        check(f'{command} --help: lines of at most 80', [l for l in out.splitlines() if len(l) > 80], [])
    check_in('help as a plugin', '  kubectl rolecall skip shop', w.run('skip', '-h', program='kubectl-rolecall')[1])
    check('help: nothing was sent', w.api.requests, [])


def lists(w):
    w.api.reset(shop.quiet('cart'), shop.upgrading(), shop.quiet('zoo', namespace='other'))
    code, out, err = w.run('get')
    expect('get', (code, out, err), 0, None, '')
    lines = [line.split()[:5] for line in out.splitlines()]
    check('get: lines', lines, [['NAME', 'APP', 'STATE', 'READY', 'PENDING'], ['cart', 'shop-v1', 'configured', '4/4', '0'],
                                ['shop', 'shop-v2', 'updating', '2/4', '4']])
    check('get: requests', w.api.requests, [('GET', f'{LIST}?limit=250', None)])
    check('get -n', w.run('get', '-n', 'other', '-o', 'name')[1], 'cluster.rolecall.dev/zoo\n')
    check('get in the context\'s namespace', w.run('get', '--context=there', '-o', 'name')[1], 'cluster.rolecall.dev/zoo\n')
    check_in('get -A', '\nother      zoo   shop-v1  configured', w.run('get', '-A')[1])
    check_in('get -o wide', 'upgrade Stalled', w.run('get', '-o', 'wide')[1])
    check('get -o json', [i['metadata']['name'] for i in json.loads(w.run('get', '-o', 'json')[1])['items']], ['cart', 'shop'])
    check('get -o json: a List', json.loads(w.run('get', '-ojson')[1])['kind'], 'List')
    expect('get where there is none', w.run('get', '-n', 'nowhere'), 0, '',
           'rolecall: there are no Clusters in namespace nowhere\n')
    check('get where there is none, for programs', json.loads(w.run('get', '-n', 'nowhere', '-o', 'json')[1])['items'], [])


def pages(w):
    w.api.reset(*(shop.quiet(f'c{i}') for i in range(7)))
    w.api.page = 3
    check('pages', w.run('get', '-o', 'name')[1], ''.join(f'cluster.rolecall.dev/c{i}\n' for i in range(7)))
    check('pages: requests', len(w.api.requests), 3)
    w.api.faults = [when('GET', LIST, (200, {'items': [], 'metadata': {'continue': 'again'}}))]
    expect('a list without an end', w.run('get'), 1, '', 'rolecall: the list of Clusters has more than 400 pages\n')


def trees(w):
    w.api.reset(shop.upgrading(), shop.quiet('cart'))
    code, out, err = w.run('get', 'shop')
    expect('tree', (code, out, err), 0, None, '')
    for line in ('+- plan 2 upgrade             Stalled', f'|  `- {FRONT1}      configured', '|     +- 11 configure         next',
                 'down: there is no pod', 'tried 5 times, exit 1: cannot migrate:  [31mdisk full'):
        check_in('tree: lines', line, out)
    check('tree: no control characters', [c for c in out if ord(c) < 32 and c != '\n'], [])
    for form in 'cluster/shop', 'rcl/shop', 'clusters.rolecall.dev/shop':
        check(f'get {form}', w.run('get', form)[1], out)
    check('get shop -o name', w.run('get', 'shop', '-o', 'name')[1], 'cluster.rolecall.dev/shop\n')
    stored = dict(w.api.clusters['default', 'shop'])
    stored['metadata'] = {k: v for k, v in stored['metadata'].items() if k != 'managedFields'}
    check('get -o json', json.loads(w.run('get', 'shop', '-o', 'json')[1]), stored)
    check('get -o yaml', yaml.safe_load(w.run('get', 'shop', '-o', 'yaml')[1]), stored)


def queues(w):
    w.api.reset(shop.upgrading(), shop.quiet('cart'))
    check('queue', [l.split()[:3] for l in w.run('queue')[1].splitlines()][:2],
          [['CLUSTER', 'MEMBER', 'ID'], ['shop', FRONT1, '11']])
    check('queue shop -o name', w.run('queue', 'shop', '-o', 'name')[1],
          f'{FRONT1}/11\n{FRONT1}/9\n{DB1}/8\n{DB1}/10\n')
    check('queue of a member', w.run('queue', 'shop', DB1, '-o', 'name')[1], f'{DB1}/8\n{DB1}/10\n')
    items = json.loads(w.run('queue', 'shop', DB1, '-o', 'json')[1])['items']
    check('queue -o json', items[0], {
        'namespace': 'default', 'cluster': 'shop', 'role': 'db', 'member': DB1, 'memberState': 'config error', 'id': 8,
        'event': 'pod_upgraded', 'attempts': 5, 'lastExitCode': 1, 'lastError': 'cannot migrate:\n\x1b[31mdisk full'})
    check('queue -o yaml', yaml.safe_load(w.run('queue', 'shop', DB1, '-o', 'yaml')[1])['items'], items)
    expect('queue of an empty one', w.run('queue', 'cart'), 0, '', 'rolecall: every queue of cart is empty\n')
    expect('queue of an empty member', w.run('queue', 'cart', 'cart-db-9c8d7-0'), 0, '',
           'rolecall: the queue of cart-db-9c8d7-0 is empty\n')
    expect('queue of nobody', w.run('queue', 'shop', 'shop-db-9c8d7-3'), 3, '',
           'rolecall: shop has no member shop-db-9c8d7-3: did you mean shop-db-9c8d7-0? There are: shop-front-1a2b3-0, '
           f'{FRONT1}, shop-db-9c8d7-0, {DB1}\n')
    w.api.reset(shop.quiet('cart'))
    expect('queues that are all empty', w.run('queue'), 0, '',
           'rolecall: every queue in namespace default is empty (Clusters: 1)\n')


def missing(w):
    w.api.reset(shop.quiet(), shop.quiet('cart'))
    expect('not found', w.run('get', 'shp'), 3, '',
           'rolecall: there is no Cluster shp in namespace default: did you mean shop? There are: cart, shop\n')
    expect('not found, nothing like it', w.run('pause', 'frobnicate'), 3, '',
           'rolecall: there is no Cluster frobnicate in namespace default; there are: cart, shop\n')
    expect('not found, nothing there', w.run('get', 'shop', '-n', 'nowhere'), 3, '',
           'rolecall: there is no Cluster shop in namespace nowhere, nor any other; see get --all-namespaces\n')
    w.api.faults = [when('GET', f'{LIST}?', fake.status(403, 'Forbidden', 'user u cannot list'))]
    expect('not found, and no list', w.run('get', 'shp'), 3, '', 'rolecall: there is no Cluster shp in namespace default\n')
    w.api.faults = [when('GET', fake.GROUP, (404, b'404 page not found\n'))]
    for args in ('get',), ('get', 'shop'):
        expect(f'no such kind {args}', w.run(*args), 3, '',
               f'rolecall: the API server {w.api.url} knows no Clusters of rolecall.dev/v1alpha1: install them with '
               'kubectl apply -k manifests/install\n')
    expect('a name that needs escapes', w.run('get', '../x y'), 2, None, None)
    expect('a name that needs escapes, without a slash', w.run('get', 'x y?z'), 3, '', None)
    check('it was escaped', w.api.requests[-1][1], f'{LIST}/x%20y%3Fz')


def acts(w):
    """What is sent, and only when there is a reason to."""
    paused = shop.quiet('still')
    paused['metadata']['annotations'] = {'rolecall.dev/paused': 'true'}
    rows = [
        (('retry', 'shop', DB1), f'shop: retry of {DB1} asked for', {'annotations': {'rolecall.dev/retry': DB1}}, None),
        (('skip', 'shop', DB1, '10'), f'shop: skip of {DB1}/10 asked for',
         {'annotations': {'rolecall.dev/skip-notify': f'{DB1}/10'}}, None),
        (('skip', 'shop', f'{DB1}/10'), f'shop: skip of {DB1}/10 asked for',
         {'annotations': {'rolecall.dev/skip-notify': f'{DB1}/10'}}, None),
        (('give-up', 'rcl/shop', FRONT1), f'shop: give-up of {FRONT1} asked for',
         {'annotations': {'rolecall.dev/give-up': FRONT1}}, None),
        (('pause', 'shop'), 'shop: paused', {'annotations': {'rolecall.dev/paused': 'true'}}, None),
        (('pause', 'still'), 'still: paused already', None, None),
        (('resume', 'still'), 'still: resumed', {'annotations': {'rolecall.dev/paused': None}}, None),
        (('pause', 'shop', '--upgrade'), 'shop: the replacement of members is paused', {}, {'upgrade': {'paused': True}}),
        (('resume', 'shop', '--upgrade'), 'shop: the replacement of members is not paused', None, None),
        (('rollback', 'shop'), 'shop: spec.app goes back from shop-v2 to shop-v1; follow it with "rolecall get shop --watch"',
         {}, {'app': 'shop-v1'}),
    ]
    for args, text, metadata, spec in rows:
        w.api.reset(shop.upgrading(), paused)
        version = w.api.clusters['default', args[1].split('/')[-1]]['metadata']['resourceVersion']
        expect(f'{args}', w.run(*args), 0, text + '\n', '')
        sent = w.api.sent('PATCH')
        if metadata is None:
            check(f'{args}: nothing is sent', sent, [])
            continue
        want = {'metadata': {'resourceVersion': version, **metadata}, **({'spec': spec} if spec else {})}
        check(f'{args}: patch', sent, [(f'{LIST}/{args[1].split("/")[-1]}?fieldManager=kubectl-rolecall', want)])


def refused(w):
    rows = [
        (('retry', 'shop', 'shop-db-9c8d7-0'), 4, 'the queue of shop-db-9c8d7-0 is empty: there is nothing to retry'),
        (('retry', 'shop', FRONT1), 4,
         f'{FRONT1} has failed at nothing: 11 configure is delivered as soon as it can hear it (down: there is no pod)'),
        (('skip', 'shop', DB1), 2, f'which one? The queue of {DB1}: 8 pod_upgraded, 10 cluster_upgraded'),
        (('skip', 'shop', DB1, '9'), 3, f'the queue of {DB1} has no 9; it has: 8 pod_upgraded, 10 cluster_upgraded'),
        (('skip', 'shop', FRONT1, '11'), 4,
         f'configure cannot be skipped: without its set-up {FRONT1} can digest nothing else. Mend what keeps it from being '
         f'configured and "rolecall retry shop {FRONT1}", or go on without it: "rolecall give-up shop {FRONT1}"'),
        (('give-up', 'shop', 'shop-db'), 3,
         f'shop has no member shop-db; there are: shop-front-1a2b3-0, {FRONT1}, shop-db-9c8d7-0, {DB1}'),
        (('rollback', '-n', 'default', 'cart'), 4, 'cart: no upgrade is in progress, so there is nothing to go back from; it runs App '
         'shop-v1. To move it to another App, edit spec.app: kubectl edit rcl cart -n default'),
        (('rollback', 'cart'), 4, 'cart: no upgrade is in progress, so there is nothing to go back from; it runs App shop-v1. '
         'To move it to another App, edit spec.app: kubectl edit rcl cart'),
        (('rollback', 'back'), 4, 'back is on its way back to shop-v1 already, and that cannot be turned round; follow it with '
         '"rolecall get back --watch"'),
    ]
    back = shop.quiet('back')
    back['status']['upgradeInfo'] = {'prevApp': 'shop-v1', 'toApp': 'shop-v2', 'isRollingBack': True}
    w.api.reset(shop.upgrading(), shop.quiet('cart'), back)
    for args, code, text in rows:
        expect(f'{args}', w.run(*args), code, '', f'rolecall: {text}\n')
    check('refused: nothing is sent', w.api.sent('PATCH'), [])
    w.api.faults = [when('PATCH', SHOP, fake.status(422, 'Invalid', 'spec.app may only go back to shop-v0'))]
    expect('refused by a rule of the API server', w.run('rollback', 'shop'), 4, '',
           f'rolecall: patch {SHOP}: HTTP 422: spec.app may only go back to shop-v0\n')
    w.api.faults = [when('PATCH', SHOP, fake.status(403, 'Forbidden', 'user u cannot patch'))]
    expect('forbidden', w.run('pause', 'shop'), 4, '', f'rolecall: patch {SHOP}: HTTP 403: user u cannot patch\n')


def conflicts(w):
    """Somebody else writes between our read and our patch."""
    conflict = fake.status(409, 'Conflict', 'the object has been modified')
    w.api.reset(shop.upgrading())
    w.api.faults = [once(when('PATCH', SHOP, conflict))]
    expect('one conflict', w.run('retry', 'shop', DB1), 0, f'shop: retry of {DB1} asked for\n', '')
    check('one conflict: read again', [m for m, _, _ in w.api.requests], ['GET', 'PATCH', 'GET', 'PATCH'])
    w.api.reset(shop.upgrading())
    w.api.faults = [when('PATCH', SHOP, conflict)]
    expect('conflicts without an end', w.run('retry', 'shop', DB1), 1, '',
           'rolecall: somebody else changed shop each time, 5 times: '
           f'patch {SHOP}: HTTP 409: the object has been modified\n')
    check('conflicts without an end: bounded', len(w.api.sent('PATCH')), 5)


def act_at_once(c):
    """An operator that acts before anybody looks: skips, and removes the annotations."""
    annotations = c['metadata'].pop('annotations', {})
    member, _, number = annotations.get('rolecall.dev/skip-notify', '/').partition('/')
    for role in c['status']['roles']:
        for m in role['members']:
            if m['pod'] == member:
                queue = m['stateDetail']['pendingNotifyCmds']
                queue[:] = [e for e in queue if str(e['id']) != number]


def waits(w):
    w.api.reset(shop.upgrading())
    w.api.operator = act_at_once
    expect('--wait', w.run('skip', 'shop', DB1, '10', '--wait'), 0, f'shop: the operator has acted on the skip of {DB1}/10\n', '')
    expect('--wait for a retry', w.run('retry', 'shop', DB1, '--wait'), 0,
           f'shop: the operator has acted on the retry of {DB1}\n', '')
    expect('--wait for give-up', w.run('give-up', 'shop', FRONT1, '--wait'), 0,
           f'shop: the operator has acted on the give-up of {FRONT1}\n', '')
    w.api.operator = lambda c: c['metadata'].pop('annotations', None)
    expect('--wait for what the operator refuses', w.run('skip', 'shop', DB1, '8', '--wait'), 4, '',
           f'rolecall: shop: the operator refused to skip {DB1}/8; why: kubectl get events --field-selector '
           'reason=CommandRefused\n')
    w.api.operator = None
    expect('--wait without an operator', w.run('retry', 'shop', DB1, '--wait', '--timeout=1'), 5, '',
           f'rolecall: shop: retry of {DB1} was not acted on in time: does an operator run, and is the Cluster not paused? It '
           'stays asked for\n')
    check('--wait without an operator: asked for once', len(w.api.sent('PATCH')), 5)
    expect('asked for twice', w.run('retry', 'shop', DB1), 0, f'shop: retry of {DB1} asked for already\n', '')


def earlier_commands(w):
    busy = shop.upgrading()
    busy['metadata']['annotations'] = {'rolecall.dev/skip-notify': f'{DB1}/8'}
    w.api.reset(busy)
    expect('behind another command, no operator', w.run('skip', 'shop', DB1, '10', '--request-timeout=1s'), 5, '',
           f'rolecall: shop: an earlier skip ({DB1}/8) has not been acted on: does an operator run, and is the Cluster not '
           'paused?\n')
    check('behind another command: it is not overwritten', w.api.sent('PATCH'), [])
    # The operator acts when it was looked at twice.
    looks = []

    def act(method, path):
        looks.append(path)
        if len(looks) == 3:
            acted = json.loads(json.dumps(w.api.clusters['default', 'shop']))
            act_at_once(acted)
            w.api.put(acted)

    w.api.faults = [act]
    expect('behind another command', w.run('skip', 'shop', DB1, '10'), 0, f'shop: skip of {DB1}/10 asked for\n', '')


def version(w):
    code, out, err = w.run('version')
    expect('version', (code, out, err), 0, None, '')
    client, server = out.splitlines()
    check_in('version: ours', 'rolecall ', client)
    check('version: the server\'s', server, 'Kubernetes v1.36.3')
    expect('--version', w.run('--version'), 0, out, '')
    expect('version --client', w.run('version', '--client', KUBECONFIG='/nowhere'), 0, client + '\n', '')
    check('version -o json', json.loads(w.run('version', '-o', 'json')[1]),
          {'clientVersion': {'version': client.split()[1]},
           'serverVersion': {'major': '1', 'minor': '36', 'gitVersion': 'v1.36.3'}})
    check('version -o yaml', yaml.safe_load(w.run('version', '--client', '-o', 'yaml')[1]),
          {'clientVersion': {'version': client.split()[1]}})
    code, out, err = w.run('version', KUBECONFIG='/nowhere')
    expect('version without a server: ours is told', (code, out, err), 1, client + '\n')
    w.api.faults = [when('GET', '/version', (200, {'hello': 'world'}))]
    expect('version of something else', w.run('version'), 1, client + '\n',
           f'rolecall: {w.api.url} does not say which version it has\n')


def servers(w):
    """A server that is not there, not ours, slow, broken, busy."""
    with contextlib.closing(socket.create_server(('127.0.0.1', 0))) as free:
        port = free.getsockname()[1]
    gone = w.kubeconfig('gone', f'https://127.0.0.1:{port}')
    expect('nobody there', w.run('get', '--kubeconfig', gone), 1, '',
           f'rolecall: list {LIST}: cannot connect to https://127.0.0.1:{port}: Connection refused\n')
    w.api.reset(shop.quiet())
    w.api.faults = [when('GET', LIST, (500, b'<html>oops</html>'))]
    expect('500', w.run('get', 'shop'), 1, '', f'rolecall: get {SHOP}: HTTP 500: <html>oops</html>\n')
    w.api.faults = [when('GET', LIST, (200, b'not JSON'))]
    code, out, err = w.run('get', 'shop')
    expect('no JSON', (code, out), 1, '')
    check_in('no JSON', 'rolecall: Cluster shop: ', err)
    w.api.faults = [when('GET', LIST, fake.status(401, 'Unauthorized', 'Unauthorized'))]
    expect('401', w.run('get', 'shop'), 4, '',
           f'rolecall: get {SHOP}: HTTP 401: Unauthorized (the credentials of user "u" in {w.config} were not accepted)\n')
    w.api.faults = [slow(w)]
    expect('no answer', w.run('get', 'shop', '--request-timeout=1s'), 5, '', f'rolecall: get {SHOP}: no answer for 1000 ms\n')
    w.api.faults = [once(lambda m, p: (429, {'kind': 'Status', 'message': 'slowly'}, [('Retry-After', '1')]))]
    expect('429 with a time: asked again', w.run('get', 'shop', '-o', 'name'), 0, 'cluster.rolecall.dev/shop\n', '')
    w.api.faults = [lambda m, p: (429, {'kind': 'Status', 'message': 'slowly'}, [('Retry-After', '90')])]
    expect('429 for too long', w.run('get', 'shop'), 1, '', f'rolecall: get {SHOP}: HTTP 429: slowly\n')


def slow(w):
    """A fault: no answer until the client has gone, which the next request shows."""

    def wait(method, path):
        with w.api.lock:
            count = len(w.api.requests)
            w.api.lock.wait_for(lambda: w.api.ended or len(w.api.requests) != count, 5)

    return wait


def kubeconfigs(w):
    expect('no HOME', w.run('get', HOME=None, KUBECONFIG=None), 1, '',
           'rolecall: no kubeconfig: name one with --kubeconfig or $KUBECONFIG\n')
    code, out, err = w.run('get', KUBECONFIG=None)
    expect('nothing in HOME', (code, out), 1, '')
    check_in('nothing in HOME: its name', f'{w.home}/.kube/config', err)
    code, out, err = w.run('get', '--kubeconfig=/nowhere/config')
    expect('no such file', (code, out), 1, '')
    check_in('no such file: its name', '/nowhere/config', err)
    code, out, err = w.run('get', '--context=nowhere')
    expect('no such context', (code, out), 1, '')
    check_in('no such context: those there are', '"here", "there"', err)
    check('the kubeconfig: nothing was sent', w.api.requests, [])


def refused_kubeconfigs(w):
    """The samples that must be refused (tests/samples/kubeconfig), in the words that a user sees."""
    rows = [
        ('15-nulls-and-empties', (), 'no current-context in {}; choose one with --context (there: none)'),
        ('16-legacy-auth-provider', (), 'user "o" in {}: auth-provider oidc is no longer supported, nor is it by kubectl since '
         '1.26; use its credential plugin (exec), a client certificate or a token, or choose another context with --context'),
        ('18-wrong-references', (), 'no context "missing" in {}; its contexts: "c", "c"'),
        ('18-wrong-references', ('--context=c',), '{} has two contexts of the name "c"; remove one'),
        ('07-exec-returns-certs', (), 'credential plugin of user "sso" in {}: cannot run /usr/local/bin/sso: No such file or '
         'directory'),
        ('02-minikube-paths-extensions', (), 'certificate-authority {folder}/ca.crt of cluster "lab" in {} holds no PEM '
         'certificate'),
        ('01-kubeadm-certdata', (), 'certificate-authority-data of cluster "kubernetes" in {} holds no PEM certificate'),
    ]
    folder = os.path.join(ROOT, 'tests', 'samples', 'kubeconfig')
    for name, args, text in rows:
        path = f'{folder}/{name}.yaml'
        expect(f'sample {name} {args}', w.run('get', f'--kubeconfig={path}', *args), 1, '',
               f'rolecall: {text.format(path, folder=folder)}\n')
    listed = w.run('get', KUBECONFIG=f'{folder}/15-nulls-and-empties.yaml:{w.config}')
    expect('a list whose first file says nothing', listed, 0, '', 'rolecall: there are no Clusters in namespace default\n')


def operators_that_cannot_start(w):
    """The operator's own command lines: wrong ones as of any command, all else as lines of its log."""
    see = 'See: rolecall run --help\n'
    for args, text in ((('shop',), 'run takes options only, and "shop" is too much'), (('-A',), 'run takes no option '
                       '--all-namespaces'), (('-o', 'json'), 'run takes no option --output')):
        expect(f'run {args}', w.run('run', *args), 2, '', f'rolecall: {text}\n{see}')
    expect('run, log level', w.run('run', '--log-level=loud'), 2, '',
           'rolecall: --log-level is error, warn, info or debug, not "loud"\nSee: rolecall --help\n')
    for args, text in ((('--kubeconfig=/nowhere',), 'kubeconfig: cannot open /nowhere: No such file or directory'),
                       (('--context=x',), f'no context "x" in {w.config}; its contexts: "here", "there"')):
        code, out, err = w.run('run', *args)
        line = json.loads(err)
        check(f'run {args}', (code, out, line['level'], line['msg'], line['error']), (1, '', 'error', 'cannot start', text))
    check('run: nothing was sent', w.api.requests, [])


def lists_in_disorder(w):
    """Answers of the right form with something else in them."""
    for body, text in ((b'[1', 'the list of Clusters: '), (b'not JSON', 'the list of Clusters: ')):
        w.api.faults = [when('GET', LIST, (200, body))]
        for args in ('get',), ('queue',):
            code, out, err = w.run(*args)
            expect(f'a list that is {body} for {args}', (code, out), 1, '')
            check_in(f'a list that is {body} for {args}: error', f'rolecall: {text}', err)
    nameless = shop.quiet()
    del nameless['metadata']['name']
    w.api.faults = [when('GET', LIST, (200, {'items': [nameless, shop.quiet('cart')], 'metadata': {}}))]
    code, out, err = w.run('get', '-o', 'table')
    expect('a Cluster without a name', (code, [line.split()[0] for line in out.splitlines()]), 1, ['NAME', 'cart'])
    check('a Cluster without a name: why', err, 'rolecall: Cluster without a name cannot be shown by this version of rolecall: '
          'metadata.name: expected a value\n')
    w.api.faults = []
    expect('none anywhere', w.run('get', '-A'), 0, '', 'rolecall: there are no Clusters in any namespace\n')
    w.api.faults = [when('GET', SHOP, fake.status(403, 'Forbidden', 'user u cannot get'))]
    for args in ('get', 'shop'), ('queue', 'shop'), ('pause', 'shop'), ('rollback', 'shop'):
        expect(f'forbidden: {args}', w.run(*args), 4, '', f'rolecall: get {SHOP}: HTTP 403: user u cannot get\n')


def what_it_cannot_show(w):
    """A Cluster of a newer version hides none of the others."""
    new = shop.quiet('new')
    new['status']['state'] = 'dreaming'
    w.api.reset(shop.quiet('cart'), new)
    code, out, err = w.run('get')
    expect('a Cluster that cannot be shown', (code, [l.split()[0] for l in out.splitlines()]), 1, ['NAME', 'cart'])
    check('a Cluster that cannot be shown: why', err,
          'rolecall: Cluster new cannot be shown by this version of rolecall: status.state: unknown word "dreaming"\n')
    expect('nor can it be changed', w.run('pause', 'new'), 1, '', err)
    check_in('but printed', 'state: dreaming', w.run('get', 'new', '-o', 'yaml')[1])


def widths(w):
    w.api.reset(shop.upgrading(), shop.quiet('cart'))
    for columns in 40, 80, 200:
        for args in ('get',), ('get', '-A'), ('get', 'shop'), ('queue',), ('queue', 'shop'):
            for env in {'LC_ALL': 'C.UTF-8', 'TERM': 'xterm'}, {'LC_ALL': 'C', 'TERM': 'dumb'}:
                code, out = w.terminal(columns, *args, NO_COLOR='1', **env)
                what = f'{columns} columns, {env["LC_ALL"]}: {args}'
                check(f'{what}: exit code', code, 0)
                check(f'{what}: too long', [l for l in out.splitlines() if len(l) > columns], [])
                check(f'{what}: something is shown', len(out.splitlines()) > 2, True)
                check(f'{what}: ASCII', out.isascii(), env['LC_ALL'] == 'C' or args != ('get', 'shop'))
    check('a terminal and a pipe of this width', w.run('get', 'shop', COLUMNS='80')[1], w.terminal(80, 'get', 'shop')[1])
    wide = w.terminal(40, 'get', '-o', 'wide')[1]
    check('wide leaves out nothing', wide, w.run('get', '-o', 'wide')[1])
    check('no colours in a pipe', '\033' in w.run('get', 'shop', TERM='xterm')[1], False)
    check('colours on a terminal', '\033[31mconfig error\033[0m' in w.terminal(80, 'get', 'shop', TERM='xterm')[1], True)
    check('NO_COLOR', '\033' in w.terminal(80, 'get', 'shop', TERM='xterm', NO_COLOR='1')[1], False)
    check('no colours on a dumb terminal', '\033' in w.terminal(80, 'get', 'shop', TERM='dumb')[1], False)


def what_goes_first(w):
    """Columns go in the order in which help and README say it."""
    documented = {
        ('get',): ['AGE', 'UPGRADE', 'APP', 'PENDING', 'READY'],
        ('get', 'shop'): ['UPGRADE', 'SINCE', 'DETAIL'],
        ('queue',): ['NEXT', 'EXIT', 'TRIES', 'STATE', 'ERROR'],
    }
    with open(os.path.join(ROOT, 'controller', 'cli', 'README.md')) as file:
        readme = file.read()
    w.api.reset(shop.upgrading(), shop.quiet('cart'))
    for args, order in documented.items():
        gone, before = [], []
        for columns in range(150, 9, -1):
            titles = w.run(*args, COLUMNS=str(columns))[1].split('\n')[0].split()
            gone += [title for title in before if title not in titles]
            before = titles
        check(f'{args}: columns go in this order', gone, order)
        check_in(f'{args}: README says so', f'| {", ".join(order)} |', readme)
    for command, words in (('get', 'first AGE, then UPGRADE, APP, PENDING and READY; of the tree first UPGRADE, then SINCE '
                            'and DETAIL'), ('queue', 'first NEXT, then EXIT, TRIES, STATE and ERROR')):
        check_in(f'{command} --help says so', words, w.run(command, '--help')[1].replace('\n', ' '))


def exit_codes(w):
    """README and help say the same."""
    with open(os.path.join(ROOT, 'go-free-README.md')) as file:
        readme = file.read()
    lines = w.run('--help')[1].split('exit codes:\n')[1].splitlines()
    check('exit codes: how many', len(lines), 6)
    for line in lines:
        code, meaning = line.strip().split('  ', 1)
        check_in(f'exit code {code} in README', f'| {code} | {meaning.replace("--wait", "`--wait`")} |', readme)


def outputs(w):
    """Readers that go, disks that are full, disks that may not be written."""
    w.api.reset(*(shop.quiet(f'c{i}') for i in range(2000)))
    command = [os.path.join(w.bin, 'rolecall'), 'get', '-o', 'json']
    process = subprocess.Popen(command, env=w.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    expect('a closed pipe', (process.wait(SECONDS), '', error), 0, '', '')
    process = subprocess.Popen([command[0], '--help'], env=w.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    expect('a closed pipe, help', (process.wait(SECONDS), '', error), 0, '', '')
    with open('/dev/full', 'w') as full:
        done = subprocess.run(command, env=w.env(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=SECONDS)
    expect('a full disk', (done.returncode, '', done.stderr), 1, '',
           'rolecall: cannot write the output: No space left on device\n')
    w.api.reset(shop.upgrading())

    def no_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    before = sorted(os.listdir(w.home)), sorted(os.listdir(w.folder))
    for args in ('get', 'shop'), ('queue', '-o', 'yaml'), ('retry', 'shop', DB1), ('completion', 'bash'):
        done = subprocess.run([command[0], *args], env=w.env(TMPDIR=w.home), capture_output=True, text=True, cwd=w.home,
                              preexec_fn=no_files, timeout=SECONDS)
        expect(f'no file can be written: {args}', (done.returncode, done.stdout, done.stderr), 0, None, '')
    check('no file is made', (sorted(os.listdir(w.home)), sorted(os.listdir(w.folder))), before)


def read_until(file, part, seconds=SECONDS):
    """Reads from a pipe until PART has come."""
    text = ''
    while part not in text:
        if not select.select([file], [], [], seconds)[0]:
            return text
        chunk = os.read(file.fileno(), 65536).decode()
        if not chunk:
            return text
        text += chunk
    return text


def watches(w):
    w.api.reset(shop.quiet(), shop.quiet('cart'))
    process = subprocess.Popen([os.path.join(w.bin, 'rolecall'), 'get', 'shop', '-w'], env=w.env(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        check_in('watch: first', 'configured', read_until(process.stdout, 'shop-db-9c8d7-1'))
        w.api.put(shop.upgrading())
        check_in('watch: a change', 'Stalled', read_until(process.stdout, 'cluster_upgraded'))
        watched = [path for m, path, _ in w.api.requests if 'watch=1' in path]
        check_in('watch: of this one only', 'fieldSelector=metadata.name%3Dshop', watched[0])
        w.api.put(w.api.clusters['default', 'shop'], 'DELETED')
        check('watch: gone', process.wait(SECONDS), 3)
        check('watch: gone, in words', process.stderr.read().decode(),
              'rolecall: there is no Cluster shop in namespace default; there are: cart\n')
    finally:
        process.kill()
        process.stdout.close()
        process.stderr.close()
    w.api.reset(shop.quiet())
    process = subprocess.Popen([os.path.join(w.bin, 'rolecall'), 'get', '-w', '-o', 'name'], env=w.env(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        read_until(process.stdout, 'shop\n')
        process.stdout.close()
        w.api.put(shop.quiet('cart'), 'ADDED')
        check('watch: the reader has gone', process.wait(SECONDS), 0)
        check('watch: the reader has gone, in silence', process.stderr.read(), b'')
    finally:
        process.kill()
        process.stderr.close()


def watch_marks(w):
    """What stands between one state and the next: a new document, an empty line; a screen is emptied."""
    for args, env, mark in ((('-o', 'yaml'), {}, '---\napiVersion'), ((), {}, '\nNAME'),
                            ((), {'TERM': 'xterm'}, '\033[H\033[2JNAME')):
        w.api.reset(shop.quiet())
        master, slave = pty.openpty() if env else os.pipe()
        process = subprocess.Popen([os.path.join(w.bin, 'rolecall'), 'get', '-w', *args], env=w.env(**env),
                                   stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL)
        os.close(slave)
        try:
            with open(master, 'rb', buffering=0) as output:
                read_until(output, 'shop')
                w.api.put(shop.quiet('cart'), 'ADDED')
                check_in(f'watch {args} {env}', mark, read_until(output, mark).replace('\r', ''))
        finally:
            process.kill()
            process.wait()


def completions(w):
    w.api.reset(shop.upgrading(), shop.quiet('cart'))
    rows = [
        (('',), 'get queue retry skip give-up pause resume rollback run version completion help'),
        (('re',), 'retry resume'),
        (('get', ''), 'cart shop'),
        (('get', 's'), 'shop'),
        (('get', 'shop', ''), ''),
        (('-n', 'other', 'get', ''), ''),
        (('get', '--o'), '--output'),
        (('get', '-o', ''), 'table wide json yaml name'),
        (('run', '--log-level', 'd'), 'debug'),
        (('retry', 'shop', 'shop-d'), f'shop-db-9c8d7-0 {DB1}'),
        (('skip', 'shop', DB1, ''), '8 10'),
        (('completion', ''), 'bash zsh fish'),
        (('help', 'ro'), 'rollback'),
        (('get', 'nothing', '--kubeconfig', '/nowhere', ''), ''),
    ]
    for words, want in rows:
        expect(f'complete {words}', w.run('__complete', *words), 0, ''.join(f'{c}\n' for c in want.split()), '')
    expect('complete for kubectl', w.run('get', '', program='kubectl_complete-rolecall'), 0, 'cart\nshop\n:4\n', '')
    expect('no server to complete from', w.run('__complete', 'get', '', KUBECONFIG='/nowhere'), 0, '', '')
    expect('completion of nothing', w.run('completion', 'tcsh'), 2, '',
           'rolecall: completion is for bash, zsh or fish, not for "tcsh"\n')


def shells(w):
    """The completion in the shells that are here, and kubectl. Returns those that are not."""
    w.api.reset(shop.upgrading(), shop.quiet('cart'))
    programs = {
        'bash': 'source <(rolecall completion bash); COMP_WORDS=(rolecall get ""); COMP_CWORD=2; _rolecall; '
                'printf "%s\\n" "${COMPREPLY[@]}"',
        'zsh': 'compadd() { print -l -- "${(@)candidates}"; }; compdef() { :; }; source <(rolecall completion zsh); '
               'words=(rolecall get ""); CURRENT=3; _rolecall',
        'fish': 'rolecall completion fish | source; complete -C "rolecall get "',
    }
    absent = [shell for shell in programs if not shutil.which(shell)]
    if shutil.which('kubectl'):
        done = subprocess.run(['kubectl', 'rolecall', 'get', '-o', 'name'], env=w.env(), capture_output=True, text=True,
                              timeout=SECONDS)
        expect('as a plugin of kubectl', (done.returncode, done.stdout, done.stderr), 0,
               'cluster.rolecall.dev/cart\ncluster.rolecall.dev/shop\n', '')
        done = subprocess.run(['kubectl', '__complete', 'rolecall', 'get', 's'], env=w.env(), capture_output=True, text=True,
                              timeout=SECONDS)
        expect('completion in kubectl', (done.returncode, done.stdout), 0, 'shop\n:4\n')
    else:
        absent.append('kubectl')
    for shell, text in programs.items():
        if shell not in absent:
            done = subprocess.run([shell, '-c', text], env=w.env(), capture_output=True, text=True, timeout=SECONDS)
            expect(f'completion in {shell}', (done.returncode, done.stdout, done.stderr), 0, 'cart\nshop\n', '')
    return absent


def main():
    tests = [usage, targets_in_words, helps, lists, pages, trees, queues, missing, acts, refused, conflicts, waits,
             earlier_commands, version, servers, kubeconfigs, refused_kubeconfigs, operators_that_cannot_start,
             lists_in_disorder, what_it_cannot_show, widths, what_goes_first, exit_codes, outputs, watches, watch_marks,
             completions]
    with tempfile.TemporaryDirectory() as folder:
        w = World(folder)
        for test in tests:
            w.api.reset()
            test(w)
        absent = shells(w)
        w.api.close()
    for shell in absent:
        print(f'skipped: {shell} is not installed')
    print(f'{checks - len(failures)} passed, {len(failures)} failed, {len(absent)} skipped')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
