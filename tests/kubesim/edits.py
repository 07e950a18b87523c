"""What an API server accepts and refuses of our rules in CEL and of the policy for Apps in use, as tables.

A row: "+" accepted or "-" refused with a message that holds WORDS; what it shows; how it is asked, of what, with what.
No operator runs: status is written here, as an operator would.
"""
import os

import spec_edits

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
API = {'apiVersion': 'rolecall.dev/v1alpha1'}
STRICT = '?fieldValidation=Strict'


def app(name, **spec):
    role = {'id': 'w', 'cardinality': '1+', 'handler': {'exec': {'command': ['h']}},
            'podTemplate': {'spec': {'terminationGracePeriodSeconds': 1, 'containers': [{'name': 'app'}]}}}
    whole = {'label': {'name': 'edits'}, 'distroID': 'test/edits', 'version': '1.0', 'configSchemaVersion': 8,
             'upgradable': True, 'defaultImageRepoTag': 'a:1', 'config': {'selectedRoles': ['w']}, 'roles': [role]}
    whole.update(spec)
    return {**API, 'kind': 'App', 'metadata': {'name': name}, 'spec': {k: v for k, v in whole.items() if v is not None}}


def cluster(name, spec):
    return {**API, 'kind': 'Cluster', 'metadata': {'name': name}, 'spec': spec}


def replace(path, value):
    return [{'op': 'replace', 'path': path, 'value': value}]


def add(path, value):
    return [{'op': 'add', 'path': path, 'value': value}]


def queue(*events):
    entries = [{'id': 8 + i, 'event': event} for i, event in enumerate(events)]
    return [{'id': 'w', 'members': [{'pod': 'a-w-0', 'stateDetail': {'pendingNotifyCmds': entries}}]}]


ROLE = '/spec/roles/0'
FIXED = 'an App is immutable'
APPS = [
    ('+', '', 'an App', 'create', 'apps', app('e1')),
    ('+', '', 'App: a label', 'merge', 'apps/e1', {'metadata': {'labels': {'colour': 'red'}}}),
    ('-', FIXED, 'App: version', 'json', 'apps/e1', replace('/spec/version', '1.1')),
    ('-', FIXED, 'App: a new field', 'json', 'apps/e1', add('/spec/defaultEventList', ['configure'])),
    ('-', FIXED, 'App: a field removed', 'json', 'apps/e1', [{'op': 'remove', 'path': '/spec/upgradable'}]),
    ('-', FIXED, 'App: handler', 'json', 'apps/e1', replace(ROLE + '/handler/timeoutSeconds', 7)),
    ('-', FIXED, 'App: podTemplate, a value deep inside', 'json', 'apps/e1',
     replace(ROLE + '/podTemplate/spec/containers/0/name', 'b')),
    ('-', FIXED, 'App: podTemplate, another key in its spec', 'json', 'apps/e1',
     replace(ROLE + '/podTemplate/spec', {'nodeName': 'n', 'containers': []})),
    ('-', FIXED, 'App: podTemplate, metadata added', 'json', 'apps/e1',
     add(ROLE + '/podTemplate/metadata', {'labels': {'a': 'b'}})),
    ('-', FIXED, 'App: podTemplate removed', 'json', 'apps/e1', [{'op': 'remove', 'path': ROLE + '/podTemplate'}]),
    ('-', 'podTemplate', 'App: podTemplate with other keys', 'json', 'apps/e1',
     replace(ROLE + '/podTemplate', {'metadate': {}})),
    ('-', 'selectedRoles', 'App: a selected role that is not there', 'create', 'apps',
     app('bad', config={'selectedRoles': ['x']})),
    ('-', 'imageRepoTag', 'App: no image at all', 'create', 'apps', app('bad', defaultImageRepoTag=None)),
    ('+', '', 'App: in use', 'status', 'apps/e1', {'usedBy': ['shop', 'blog']}),
    ('-', 'in use by: shop, blog', 'App: deletion in use', 'delete', 'apps/e1', None),
    ('+', '', 'App: no longer in use', 'status', 'apps/e1', {'usedBy': []}),
    ('+', '', 'App: deletion', 'delete', 'apps/e1', None),
]

W, X = {'id': 'w', 'members': 2, 'resources': {'limits': {'cpu': 1}}}, {'id': 'x'}
RUNS = 'an upgrade is in progress'
FEW = 'not changeable yet: roles cannot be added'
CLUSTERS = [
    ('-', 'at most 1000 members', '1001 members', 'create', 'clusters',
     cluster('a', {'app': 'v1', 'roles': [{'id': 'w', 'members': 600}, {'id': 'x', 'members': 401}]})),
    ('-', 'at most 63 characters', 'a name of 64 characters', 'create', 'clusters',
     cluster('a' * 64, {'app': 'v1', 'roles': [W]})),
    ('+', '', 'a name of 63 characters', 'create', 'clusters', cluster('a' * 63, {'app': 'v1', 'roles': [W]})),
    ('+', '', 'a Cluster', 'create', 'clusters', cluster('a', {'app': 'v1', 'roles': [W, X]})),
    ('-', FEW, 'idle: add a role', 'spec', 'clusters/a', {'roles': [W, X, {'id': 'y'}]}),
    ('-', FEW, 'idle: remove a role', 'spec', 'clusters/a', {'roles': [W]}),
    ('+', '', 'idle: roles in another order', 'spec', 'clusters/a', {'roles': [X, W]}),
    ('-', 'changed alone', 'idle: app and roles in one edit', 'spec', 'clusters/a',
     {'app': 'v2', 'roles': [{'id': 'w', 'members': 3}, X]}),
    ('+', '', 'status: running v1, id 7', 'status', 'clusters/a',
     {'app': 'v1', 'lastNotifyID': 7, 'state': 'configured'}),
    ('+', '', 'app v1 to v2', 'spec', 'clusters/a', {'app': 'v2'}),
    ('-', RUNS, 'taken up not yet: roleOrder', 'spec', 'clusters/a', {'upgrade': {'roleOrder': ['x']}}),
    ('-', 'an upgrade from v1 is asked for', 'taken up not yet: app v3', 'spec', 'clusters/a', {'app': 'v3'}),
    ('+', '', 'taken up not yet: app back', 'spec', 'clusters/a', {'app': 'v1'}),
    ('+', '', 'app v1 to v2 again', 'spec', 'clusters/a', {'app': 'v2'}),
    ('+', '', 'status: upgradeInfo, queue of one', 'status', 'clusters/a',
     {'app': 'v2', 'upgradeInfo': {'prevApp': 'v1'}, 'lastNotifyID': 8, 'roles': queue('role_upgraded')}),
    ('-', 'an upgrade from v1 is in progress', 'upgrading: app v3', 'spec', 'clusters/a', {'app': 'v3'}),
    ('-', RUNS, 'upgrading: maxUnavailable', 'spec', 'clusters/a', {'upgrade': {'maxUnavailable': 9}}),
    ('+', '', 'upgrading: pause and deadline', 'spec', 'clusters/a',
     {'upgrade': {'paused': True, 'progressDeadlineSeconds': 60}}),
    ('+', '', 'upgrading: a label', 'merge', 'clusters/a', {'metadata': {'labels': {'k': 'v'}}}),
    ('-', 'U1', 'status: upgradeInfo away with a queue', 'status', 'clusters/a', {'upgradeInfo': None}),
    ('-', 'U1', 'status: upgradeInfo away with a longer queue', 'status', 'clusters/a',
     {'upgradeInfo': None, 'roles': queue('role_upgraded', 'cluster_upgraded')}),
    ('-', 'U1', 'status: upgradeInfo away with all roles', 'status', 'clusters/a', {'upgradeInfo': None, 'roles': None}),
    ('-', 'N1', 'status: lastNotifyID back', 'status', 'clusters/a', {'lastNotifyID': 7}),
    ('-', 'N1', 'status: lastNotifyID away', 'status', 'clusters/a', {'lastNotifyID': None}),
    ('-', 'U1', 'status: U1 and N1 broken at once', 'status', 'clusters/a', {'lastNotifyID': None, 'upgradeInfo': None}),
    ('+', '', 'rollback: app v1', 'spec', 'clusters/a', {'app': 'v1'}),
    ('+', '', 'status: rolling back', 'status', 'clusters/a',
     {'app': 'v1', 'upgradeInfo': {'prevApp': 'v1', 'isRollingBack': True}}),
    ('-', 'upgrade from v1', 'rolling back: app v2', 'spec', 'clusters/a', {'app': 'v2'}),
    ('-', 'turned round', 'rolling back: app v2, the other rule', 'spec', 'clusters/a', {'app': 'v2'}),
    ('+', '', 'status: queue empty, upgradeInfo away, in one write', 'status', 'clusters/a',
     {'upgradeInfo': None, 'roles': queue()}),
    ('+', '', 'idle again: app v2', 'spec', 'clusters/a', {'app': 'v2'}),
]


def judge(talk, row):
    want, words, what, how, path, body = row
    if how in ('create', 'delete'):
        method = {'create': 'POST', 'delete': 'DELETE'}[how]
        talk.judge('edits: ' + what, want, words, method, path + (STRICT if body else ''), body)
    elif how == 'status':
        talk.judge('edits: ' + what, want, words, 'PATCH', path + '/status' + STRICT, {'status': body},
                   content_type='application/merge-patch+json')
    else:
        kind = 'json' if how == 'json' else 'merge'
        body = {'spec': body} if how == 'spec' else body
        talk.judge('edits: ' + what, want, words, 'PATCH', path + STRICT, body,
                   content_type=f'application/{kind}-patch+json')


IDLE = {'app', 'roles[].members'}
LOCKED = {'upgrade.paused', 'upgrade.progressDeadlineSeconds', 'upgrade.onFailure'}
# Where a Cluster is, what a refusal then says, and its status.
STATES = [('idle', 'not changeable yet', {'app': 'a'}), ('untaken', RUNS, {'app': 'a'}),
          ('upgrading', 'an upgrade ', {'app': 'a', 'upgradeInfo': {'prevApp': 'z'}})]


def may_change(state, field):
    if state == 'idle':
        return field in IDLE or field.split('.')[0] == 'upgrade'
    return field in LOCKED


def put_into(talk, state, base, spec, status):
    """A new Cluster "b" of this state."""
    name = f'every field: {state}, {base}: '
    talk.ask(name + 'delete', 'DELETE', 'clusters/b', brief=True)
    talk.judge(name + 'create', '+', '', 'POST', 'clusters', cluster('b', spec))
    merge = {'content_type': 'application/merge-patch+json'}
    talk.judge(name + 'status', '+', '', 'PATCH', 'clusters/b/status', {'status': status}, **merge)
    if state == 'untaken':
        talk.judge(name + 'app', '+', '', 'PATCH', 'clusters/b', {'spec': {'app': 'b'}}, **merge)


def every_field(talk):
    """Each field of the schema is edited in each state; nothing is stored."""
    spec = spec_edits.spec_of(f'{ROOT}/crd/cluster.yaml')
    for state, words, status in STATES:
        for base, whole in spec_edits.bases(spec).items():
            put_into(talk, state, base, whole, status)
            for of, field, what, patch in spec_edits.all_edits(spec):
                if of != base or (state, field) == ('untaken', 'app'):  # it is edited already
                    continue
                want = '+' if may_change(state, field) else '-'
                talk.judge(f'every field: {state}, {base}: {field}: {what}', want, words, 'PATCH',
                           'clusters/b' + STRICT + '&dryRun=All', patch, content_type='application/json-patch+json')


def run(talk):
    for row in APPS + CLUSTERS:
        judge(talk, row)
    every_field(talk)
