#!/usr/bin/env python3
"""Bad input gets a clear error and loses nothing: kubeconfig files, API servers, CRDs, Apps and Clusters."""
import json
import os
import socket
import subprocess
import tempfile

import yaml

from lib import KUBECONFIG, OPERATOR, RESULTS, ROOT, Checks, Operator, kubectl, poll, refusal, run
from shop import Shop, app, cluster, condition, members_of


def kubeconfig(**changes):
    """The working one as a dict, with changes: of "cluster" and "user" fields, or of top-level ones."""
    with open(KUBECONFIG) as file:
        config = yaml.safe_load(file)
    config['clusters'][0]['cluster'].update(changes.pop('cluster', {}))
    config['users'][0]['user'].update(changes.pop('user', {}))
    config.update(changes)
    return config


def saved(folder, text):
    path = os.path.join(folder, 'kubeconfig')
    with open(path, 'w') as file:
        file.write(text if isinstance(text, str) else yaml.safe_dump(text))
    return path


# What the file is, its content, and words that the error has to hold.
UNUSABLE = [
    ('empty', '', ['kubeconfig']),
    ('not YAML', '{[', ['kubeconfig']),
    ('a list', '[1, 2]\n', ['kubeconfig']),
    ('YAML that is cut', 'clusters:\n- name: "a\n', ['kubeconfig']),
    ('no current-context', kubeconfig(**{'current-context': ''}), ['current-context']),
    ('a context that is not there', kubeconfig(**{'current-context': 'nowhere'}), ['nowhere']),
    ('no clusters', kubeconfig(clusters=[]), ['cluster']),
    ('no users', kubeconfig(users=[]), ['user']),
    ('no server', kubeconfig(cluster={'server': ''}), ['server']),
    ('a server that is no URL', kubeconfig(cluster={'server': 'ftp://x'}), ['ftp://x']),
    ('a CA file that is not there', kubeconfig(cluster={'certificate-authority': '/nowhere/ca.crt'}), ['/nowhere/ca']),
    ('a key file that is not there', kubeconfig(user={'client-key': '/nowhere/client.key'}), ['/nowhere/client.key']),
    ('a certificate that is no base64', kubeconfig(user={'client-certificate-data': '%%%'}), ['certificate-data']),
    ('a login command', kubeconfig(users=[{'name': 'admin', 'user': {'exec': {'command': 'x'}}}]), ['exec']),
]


def kubeconfig_errors(checks):
    """An unusable kubeconfig ends the operator at once with one line that says what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        for what, content, words in UNUSABLE:
            refuses(checks, what, saved(folder, content), words)
        refuses(checks, 'a file that is not there', os.path.join(folder, 'none'), ['none'])
        refuses(checks, 'a folder', folder, [folder])


def refuses(checks, what, path, words):
    try:
        done = subprocess.run([OPERATOR, 'run', '--kubeconfig', path], capture_output=True, text=True, timeout=5)
    except subprocess.TimeoutExpired:
        checks.check(f'kubeconfig, {what}: refused', False, 'still runs after 5 s')
        return
    said = done.stderr.strip()
    checks.check(f'kubeconfig, {what}: refused', 0 < done.returncode < 128, f'code {done.returncode}: {said}')
    checks.check(f'kubeconfig, {what}: named in one line',
                 '\n' not in said and all(word in said for word in words), f'{words} not in: {said}')


def complaints(operator, *words):
    return [line for line in operator.lines() if line['level'] in ('warn', 'error')
            and all(word in json.dumps(line).lower() for word in words)]


def an_operator(name, path):
    os.makedirs(RESULTS, exist_ok=True)
    return Operator(os.path.join(RESULTS, f'{name}.log'), path)


def no_api_server(checks):
    """Nobody answers: one message, and it goes on trying until somebody does."""
    with socket.socket() as taken, tempfile.TemporaryDirectory() as folder:
        taken.bind(('127.0.0.1', 0))  # bound but not listening: connections are refused
        port = taken.getsockname()[1]
        nobody = kubeconfig(cluster={'server': f'https://127.0.0.1:{port}'})
        operator = an_operator('no-api-server', saved(folder, nobody))
        poll('a complaint', lambda: complaints(operator, f'127.0.0.1:{port}'), 10)
        before = operator.stats()
        tries = poll('more tries', lambda: tried(operator.stats()) >= tried(before) + 3, 30)
        checks.check('it goes on trying', tries)
        found = complaints(operator)
        checks.check('it complains at most once for each kind', len(found) <= 6, f'{len(found)} lines: {found[:3]}')
        code, seconds = operator.end()
        checks.check('SIGTERM ends it within 5 s', code == 0 and seconds <= 5, f'code {code} after {seconds:.1f} s')


def tried(stats):
    return stats['requests']['list']


def wrong_certificate(checks):
    """The API server is not who the kubeconfig says: named, nothing is sent."""
    with tempfile.TemporaryDirectory() as folder:
        authority = os.path.join(folder, 'other.crt')
        run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
            '-subj', '/CN=other', '-keyout', os.path.join(folder, 'other.key'), '-out', authority)
        stranger = kubeconfig(cluster={'certificate-authority': authority})
        operator = an_operator('wrong-certificate', saved(folder, stranger))
        found = poll('a complaint', lambda: complaints(operator, 'certificate'), 10)
        checks.check('the certificate is named', found)
        checks.equal('it still runs', operator.process.poll(), None)
        operator.end()


def no_crds(checks):
    """The CRDs are not there: named; once they are, they are taken up without a restart."""
    kubectl('delete', '-k', f'{ROOT}/crd', '--ignore-not-found', '--wait=true')
    operator = an_operator('no-crds', KUBECONFIG)
    try:
        found = poll('a complaint', lambda: complaints(operator, 'rolecall.dev'), 10)
        checks.check('the missing kinds are named', any('crd' in json.dumps(line).lower() for line in found), found[:3])
    finally:
        kubectl('apply', '-k', f'{ROOT}/crd')
        kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd/apps.rolecall.dev',
                'crd/clusters.rolecall.dev')
    poll('all five kinds are watched', lambda: operator.stats()['requests']['watch'] >= 5, 60, 0.5)
    checks.check('they are taken up once they are there', True)
    operator.end()


def accepted(status):
    return condition(status, 'SpecAccepted')


def refused_with(shop, checks, what, reason, words):
    shop.wait(f'{what}: SpecAccepted is False', lambda s: accepted(s).get('status') == 'False'
              and accepted(s).get('reason') == reason, 20)
    message = accepted(shop.status()).get('message', '')
    checks.check(f'{what}: {reason}', all(word in message for word in words), f'{words} not in: {message}')


def refused_clusters(checks):
    """What CEL cannot check is refused with a reason, and taken up once it can be followed."""
    with Shop('live-refused') as shop:
        spec = cluster(shop.members.folder, members=1)
        shop.apply(spec)
        refused_with(shop, checks, 'an App that is not there', 'AppNotFound', ['shop-1'])
        checks.equal('nothing was made', members_of(shop.status()), {})
        shop.apply(app('shop-1', '1.0'))
        shop.wait_configured('shop-1')
        checks.check('the App came: configured', accepted(shop.status())['status'] == 'True',
                     shop.status()['conditions'])

    for what, reason, words, roles, cardinality in [
            ('a role that the App has not', 'UnknownRole', ['cache'], ['data', 'cache'], '1+'),
            ('fewer members than the cardinality', 'WrongCardinality', ['data', 'at least 2'], ['data', 'web'], '2+')]:
        with Shop('live-refused-role') as shop:
            shop.apply(app('shop-1', '1.0', cardinality), cluster(shop.members.folder, roles=roles, members=1))
            refused_with(shop, checks, what, reason, words)
            checks.equal(f'{what}: nothing was made', list(shop.pods.objects), [])


def other_apps():
    """Apps to which shop-1 (1.0) cannot be upgraded, each with what the refusal has to name."""
    distro, events = app('distro', '2.0'), app('events', '2.0')
    distro['spec']['distroID'] = 'test/other'
    events['spec']['roles'][0]['eventList'] = ['configure']
    return {
        'distro': (distro, ['distroID', 'test/other']),
        'roles': (app('roles', '2.0', roles=['data', 'cache']), ['spec.roles', 'roles']),
        'events': (events, ['eventList', 'data']),
        'older': (app('older', '0.9'), ['0.9', 'not newer', '1.0']),
        'same': (app('same', '1.0'), ['1.0', 'not newer']),
    }


def a_bad_edit_keeps_what_runs(checks):
    """spec.app names an App that is not there, then each that is no upgrade: the members stay as they are."""
    with Shop('live-bad-edit') as shop:
        others = other_apps()
        shop.apply(app('shop-1', '1.0'), *(item for item, _ in others.values()),
                   cluster(shop.members.folder, members=1))
        shop.wait_configured('shop-1')
        before = {name: pod['metadata']['uid'] for name, pod in shop.pods.objects.items()}
        for name, reason, words in [('missing', 'AppNotFound', ['missing']),
                                    *((name, 'UpgradeRefused', words) for name, (_, words) in others.items())]:
            shop.patch({'app': name})
            shop.wait(f'{name}: seen', lambda s: name in accepted(s).get('message', ''), 20)
            refused_with(shop, checks, f'App {name}', reason, words)
            checks.equal(f'App {name}: status.app stays', shop.status()['app'], 'shop-1')
            checks.check(f'App {name}: no upgradeInfo', 'upgradeInfo' not in shop.status())
            shop.patch({'app': 'shop-1'})
            shop.wait(f'App {name}: taken back', lambda s: accepted(s).get('status') == 'True', 20)
        after = {name: pod['metadata']['uid'] for name, pod in shop.pods.objects.items()}
        checks.equal('the pods are the same', after, before)
        checks.equal('state', shop.status()['state'], 'configured')
        shop.judge(checks)


def apps_that_the_api_server_refuses(checks):
    """What is not in the schema, storage for one, and a version that is none: refused, and the field is named."""
    storage, version = app('storage', '2.0'), app('version', '2.0')
    storage['spec']['roles'][0]['persistDirs'] = ['/data']
    version['spec']['version'] = 'latest'
    for item, words in (storage, ['spec.roles[0].persistDirs']), (version, ['spec.version', 'latest']):
        said = refusal(kubectl, '-n', 'default', 'apply', '--dry-run=server', '-f', '-', text=json.dumps(item))
        checks.check(f"App {item['metadata']['name']} is refused", all(word in said for word in words), said)


def a_status_by_others(checks):
    """A status that no operator wrote (an upgrade without a plan) harms neither the operator nor other Clusters."""
    with Shop('live-bad-status') as shop:
        other = cluster(shop.members.folder, members=1)
        other['metadata']['name'] = 'other'
        shop.operator.crash()
        shop.apply(app('shop-1', '1.0'), other)
        shop.kubectl('patch', 'clusters.rolecall.dev', 'other', '--subresource', 'status', '--type', 'merge', '-p',
                     '{"status": {"app": "shop-1", "upgradeInfo": {"prevApp": "shop-0"}}}')
        shop.operator.start()
        shop.apply(cluster(shop.members.folder, members=1))
        shop.wait_configured('shop-1')
        checks.check('another Cluster becomes configured', True)
        shop.operator.must_live()


if __name__ == '__main__':
    Checks().run([kubeconfig_errors, no_api_server, wrong_certificate, no_crds, refused_clusters,
                  a_bad_edit_keeps_what_runs, apps_that_the_api_server_refuses, a_status_by_others])
