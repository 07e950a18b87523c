#!/usr/bin/env python3
"""kubectl as people use it, against kubesim with the operator running: a script of commands, each with its exit code and
patterns that its output has to hold."""
import glob
import json
import os
import re
import shutil
import stat
import subprocess
import threading

from stand import PATIENCE_S, ROOT, Checks, Stand

DEMO = os.path.join(ROOT, 'hack', 'demo')
FILES = [f'-f{DEMO}/{name}.yaml' for name in ('demo-1.0', 'demo-2.0', 'cluster')]
UNKNOWN = '''apiVersion: rolecall.dev/v1alpha1
kind: Cluster
metadata: {name: x}
spec: {app: demo-1.0, colour: red, roles: [{id: store}]}
'''
IN_USE = r'apps.rolecall.dev "demo-1.0" is forbidden: .*App demo-1.0 is in use by: demo'
CONFIGURED = '--for=jsonpath={.status.state}=configured'
READY = '--for=jsonpath={.status.readyMembers}=6/6'


def find_kubectl():
    """The one that hack/kube.sh has built, or any; None."""
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    own = sorted(glob.glob(f'{cache}/rolecall/kube-*/kubectl'))
    return shutil.which('kubectl', path=os.environ.get('KUBE_BIN', '')) or (own and own[-1]) or shutil.which('kubectl')


# Arguments, exit code, patterns; and what is given to standard input.
CREATION = [
    (['version'], 0, [r'Server Version: v1\.\d+\.\d+\+kubesim']),
    (['api-resources', '--api-group=rolecall.dev'], 0,
     [r'(?m)^apps +rapp +rolecall.dev/v1alpha1 +true +App$', r'(?m)^clusters +rcl +rolecall.dev/v1alpha1 +true +Cluster$']),
    (['explain', 'rcl.spec.app'], 0, ['KIND: +Cluster', 'FIELD: app <string>', 'Changing it\\s+upgrades the cluster']),
    (['explain', 'rcl.spec.colour'], 1, ['field "colour" does not exist']),
    (['get', 'rcl'], 0, ['No resources found in default namespace']),
    (['apply', *FILES], 0, ['app.rolecall.dev/demo-1.0 created', 'demo-2.0 created', 'cluster.rolecall.dev/demo created']),
    # kubectl calls an App configured whose roles have got defaults, though nothing has changed.
    (['apply', *FILES], 0, ['demo-1.0 (configured|unchanged)', 'cluster.rolecall.dev/demo unchanged']),
    (['get', 'rapp', 'demo-1.0', '-o', 'jsonpath={.metadata.generation}'], 0, ['^1$']),
    (['apply', '-f', '-'], 1, ['strict decoding error: unknown field "spec.colour"'], UNKNOWN),
    (['apply', '--server-side', '-f', '-'], 1, ['unknown field "spec.colour"'], UNKNOWN),
    (['apply', '--validate=ignore', '--dry-run=server', '-f', '-'], 0, [r'x created \(server dry run\)'], UNKNOWN),
    (['wait', CONFIGURED, 'rcl/demo', '--timeout=30s'], 0, ['cluster.rolecall.dev/demo condition met']),
    (['wait', READY, 'rcl/demo', '--timeout=30s'], 0, ['cluster.rolecall.dev/demo condition met']),
]
READING = [
    (['get', 'rcl'], 0, [r'^NAME +APP +STATE +READY +PENDING +UPGRADE +AGE\n',
                         r'demo +demo-1.0 +configured +6/6 +0 +\d+s\n$']),
    (['get', 'clusters.rolecall.dev', '-o', 'wide'], 0, ['PLAN +MESSAGE\n', 'demo +demo-1.0 .* create: Succeeded\n']),
    (['get', 'rcl', 'demo', '-o', 'name'], 0, ['^cluster.rolecall.dev/demo\n$']),
    (['get', 'rcl', 'demo', '-o', 'jsonpath={.spec.roles[*].id}/{.status.app}'], 0, ['^store worker front/demo-1.0$']),
    (['get', 'rcl', 'demo', '-o', 'yaml'], 0, ['^apiVersion: rolecall.dev/v1alpha1\nkind: Cluster\n', 'maxUnavailable: 1\n']),
    (['get', 'rcl', 'nobody'], 1, ['NotFound.*clusters.rolecall.dev "nobody" not found']),
    (['get', 'nothing'], 1, ['doesn\'t have a resource type "nothing"']),
    (['get', 'rolecall'], 0, ['NAME +DISTRO +VERSION +UPGRADABLE +USED BY', r'app.rolecall.dev/demo-1.0 .*\["demo"\]',
                              'cluster.rolecall.dev/demo +demo-1.0']),
    (['get', 'rolecall', '-A'], 0, ['NAMESPACE +NAME', 'default +app.rolecall.dev/demo-2.0', 'default +cluster.rolecall.dev']),
    (['get', 'po,sts,svc'], 0, [r'pod/demo-front-\w+-0 +1/1 +Running +0', r'statefulset.apps/demo-store-\w+ +3/3',
                                r'service/demo-\w+ +ClusterIP +None']),
    (['get', 'ev', '--field-selector=involvedObject.name=demo'], 0, ['Normal +Creat(ed|ing) +cluster/demo']),
    (['describe', 'rcl', 'demo'], 0, ['Name: +demo', 'State: +configured', 'Events:', 'Normal +Created +.*Succeeded']),
    (['get', 'rcl', '--token=wrong'], 1, ['Unauthorized']),
]
EDITING = [
    (['patch', 'rcl', 'demo', '--type=merge', '-p', '{"spec":{"upgrade":{"maxUnavailable":2}}}'], 0, ['demo patched']),
    (['patch', 'rcl', 'demo', '--type=merge', '-p', '{"spec":{"upgrade":{"maxUnavailable":2}}}'], 0, ['(no change)']),
    (['patch', 'rcl', 'demo', '--type=json', '-p', '[{"op":"replace","path":"/spec/upgrade/maxUnavailable","value":3}]'], 0,
     ['demo patched']),
    (['get', 'rcl', 'demo', '-o', 'jsonpath={.spec.upgrade.maxUnavailable}'], 0, ['^3$']),
    (['patch', 'rcl', 'demo', '--type=merge', '-p', '{"spec":{"upgrade":{"maxUnavailable":0}}}'], 1,
     ['spec.upgrade.maxUnavailable: Invalid value: 0: .* should be greater than or equal to 1']),
    (['patch', 'rcl', 'demo', '--subresource=status', '--type=merge', '-p', '{"status":{"lastNotifyID":0}}'], 1,
     ['N1: lastNotifyID may not go back']),
    (['edit', 'rcl', 'demo'], 0, ['cluster.rolecall.dev/demo edited']),
    (['get', 'rcl', 'demo', '-o', 'jsonpath={.spec.upgrade.progressDeadlineSeconds}'], 0, ['^77$']),
    (['apply', f'-f{DEMO}/cluster.yaml'], 0, ['cluster.rolecall.dev/demo (configured|unchanged)']),
    (['apply', '--server-side', f'-f{DEMO}/cluster.yaml'], 0, ['cluster.rolecall.dev/demo serverside-applied']),
    (['annotate', 'rcl', 'demo', 'example.com/a=b'], 0, ['demo annotated']),
    (['annotate', 'rcl', 'demo', 'example.com/a=c'], 1, ['already has a value']),
    (['label', 'rcl', 'demo', 'tier=gold'], 0, ['demo labeled']),
    (['get', 'rcl', '-l', 'tier in (gold)', '-o', 'name'], 0, ['^cluster.rolecall.dev/demo\n$']),
    (['get', 'rcl', '-l', 'tier=silver'], 0, ['No resources found']),
    (['delete', 'rapp', 'demo-1.0'], 1, [IN_USE]),
    (['create', 'ns', 'other'], 0, ['namespace/other created']),
    (['create', 'ns', 'other'], 1, ['AlreadyExists.*namespaces "other" already exists']),
    (['apply', '-n', 'other', f'-f{DEMO}/demo-1.0.yaml'], 0, ['demo-1.0 created']),
    (['delete', 'ns', 'other'], 0, ['namespace "other" deleted']),
    (['get', 'ns'], 0, [r'^NAME +STATUS +AGE\ndefault +Active +\d+s\n$']),
    (['get', 'rapp', '-A', '--no-headers'], 0, [r'^default +demo-1.0 .*\ndefault +demo-2.0 .*\n$']),
]
ENDING = [
    (['delete', 'rcl', 'demo'], 0, ['cluster.rolecall.dev "demo" deleted']),
    (['wait', '--for=delete', 'pod', '--all', '--timeout=30s'], 0, []),
    (['delete', 'rapp', '--all'], 0, ['demo-1.0" deleted', 'demo-2.0" deleted']),
    (['get', 'all,rolecall'], 0, ['No resources found in default namespace']),
]


class Script:
    """Runs commands one after the other and checks what they say."""

    def __init__(self, checks, kubectl, stand):
        self.checks, self.kubectl = checks, kubectl
        self.environment = {**os.environ, 'KUBECONFIG': stand.kubeconfig, 'EDITOR': self.write_editor(stand),
                            'HOME': stand.folder.name}  # where kubectl keeps what it has discovered

    @staticmethod
    def write_editor(stand):
        path = os.path.join(stand.folder.name, 'editor')
        with open(path, 'w') as file:
            file.write('#!/bin/sh\nexec sed -i "s/progressDeadlineSeconds: .*/progressDeadlineSeconds: 77/" "$1"\n')
        os.chmod(path, stat.S_IRWXU)
        return path

    def run(self, arguments, code, patterns, text=None):
        done = subprocess.run([self.kubectl, *arguments], input=text, env=self.environment, capture_output=True, text=True,
                              timeout=2 * PATIENCE_S)
        said = done.stdout + done.stderr
        holds = done.returncode == code and all(re.search(pattern, said) for pattern in patterns)
        self.checks.check('kubectl ' + ' '.join(arguments), holds,
                          f'exit code {done.returncode}, wanted {code} and {patterns}; it said\n{said}')
        return said

    def run_all(self, rows):
        for row in rows:
            self.run(*row)


def an_upgrade_is_watched(script):
    """get -w: a line for every change, up to the last."""
    watch = subprocess.Popen([script.kubectl, 'get', 'rcl', 'demo', '-w', '--no-headers'], env=script.environment,
                             stdout=subprocess.PIPE, text=True)
    alarm = threading.Timer(2 * PATIENCE_S, watch.kill)
    alarm.start()
    lines = [watch.stdout.readline()]
    script.run(['patch', 'rcl', 'demo', '--type=merge', '-p', '{"spec":{"app":"demo-2.0"}}'], 0, ['demo patched'])
    for line in watch.stdout:
        lines.append(line)
        if 'demo-2.0   configured   6/6' in re.sub('  +', '   ', line):
            break
    watch.kill()
    watch.wait()
    alarm.cancel()
    text = ''.join(lines)
    script.checks.check('get -w: before', re.search(r'^demo +demo-1.0 +configured +6/6', text), text)
    script.checks.check('get -w: on the way', re.search(r'demo +demo-2.0 +updating +\d/6 +\d+ +demo-1.0', text), text)
    script.checks.check('get -w: the end', re.search(r'demo +demo-2.0 +configured +6/6 +0 +\d+s\n$', text), text)


def members(script):
    """What there is to ask of a pod."""
    cluster = json.loads(script.run(['get', 'rcl', 'demo', '-o', 'json'], 0, ['"kind": "Cluster"']))
    pod = cluster['status']['roles'][0]['members'][0]['pod']
    script.run(['logs', pod], 0, [r'\tstart\t-\t-\tv1\t\n', r'\tconfigure\t1\t1\tv1\t\n'])
    script.run(['logs', 'nobody'], 1, ['pods "nobody" not found'])
    script.run(['exec', pod, '--', 'ls'], 126, ['kubesim runs no programs'])
    script.run(['describe', 'pod', pod], 0, ['Controlled By: +StatefulSet/demo-store', 'State: +Running', 'Events:'])


def main():
    checks, kubectl = Checks(), find_kubectl()
    scripts = [CREATION, READING, EDITING, ENDING]
    if not kubectl:
        checks.skipped = sum(map(len, scripts))
        print('skipped: no kubectl, neither in PATH nor among the binaries of hack/kube.sh')
        checks.finish()
    with Stand('--speed', '4', '--handler-ms', '20') as stand:
        stand.operator()
        script = Script(checks, kubectl, stand)
        script.run_all(CREATION + READING)
        members(script)
        script.run_all(EDITING)
        an_upgrade_is_watched(script)
        script.run_all(ENDING)
    checks.finish()


if __name__ == '__main__':
    main()
