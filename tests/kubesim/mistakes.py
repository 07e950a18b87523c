"""Every kind of mistake that a schema knows, as rows: kind, what is put where (or taken away), and what an object it is
put into. What is right is what a real server answers."""
import copy

from edits import app, cluster

AWAY = object()
MANY = [{'id': f'r{i}'} for i in range(33)]
BASES = {
    'cluster': cluster('n', {'app': 'v1', 'roles': [{'id': 'w', 'members': 2}]}),
    'app': app('n'),
    'status': {'status': {'state': 'configured', 'app': 'v1', 'roles': [{'id': 'w', 'members': [{'pod': 'm-w-0'}]}]}},
}

ROLE, STATUS = 'spec.roles.0', 'status.roles.0.members.0'
ROWS = [('cluster', path, value) for path, values in {
    'spec': [AWAY, None, 'x', []],
    'spec.app': [AWAY, 7, None, '', 'a' * 64, ['a'], {}, True],
    'spec.roles': [AWAY, [], {}, None, MANY, ['x'], [{}], [{'id': 'w'}, {'id': 'w'}]],
    ROLE + '.id': [7, '', '-a', 'a' * 64, 'ä'],
    ROLE + '.members': ['2', -1, 1001, 1.5, 2.0, True, None, [], 10 ** 20],
    ROLE + '.resources': [{'limits': {'cpu': True}}, {'limits': {'cpu': 'x' * 33}}, {'limits': {'cpu': 1.5}},
                          {'limits': {str(i): i for i in range(17)}}, {'limits': None}, {'limits': {'cpu': None}}, [],
                          {'limits': {'cpu': 1, 'memory': '1Gi'}}],
    ROLE + '.env': [[{'name': 'a'}], [{'name': '', 'value': 'b'}], [{'name': 'a', 'value': 5}], {}, [None]],
    ROLE + '.podTemplate': [{}, {'metadata': {}}, {'spec': {}, 'x': 1}, {'spec': {}, 'metadata': {}, 'x': 1}, 'x',
                            {'spec': None}, {'spec': {}, 'metadata': {'labels': {'a': 'b'}}}],
    'spec.imagePullSecrets': [[{'name': ''}], [{}], [{'name': str(i)} for i in range(17)]],
    'spec.upgrade': [{'maxUnavailable': 0}, {'onFailure': 'x'}, {'onFailure': 7}, {'paused': 'yes'},
                     {'progressDeadlineSeconds': 604801}, None, {'onFailure': None}, {'roleOrder': 'x'},
                     {'roleOrder': [1]}, {'paused': None}, {'maxUnavailable': 0, 'onFailure': 'x'}, {}],
    'metadata.labels': [{'a': 1}, {'a': 'b c'}, {'-': 'b'}, {'a': ''}, []],
    'metadata.annotations': [{'a': 1}, {'a/b/c': ''}],
    'metadata.name': ['A', 'a_b', '-a', 'a' * 254, '', 7],
    'metadata.finalizers': [['x'], [7]],
    'metadata': ['x', None],
    'kind': ['App', '', AWAY],
    'apiVersion': ['v1', AWAY],
}.items() for value in values] + [('app', path, value) for path, values in {
    'spec.version': ['1', 'x', '1.2.3-beta.1', '1.2 ', 1.0, '1.' + '2' * 64],
    'spec.label': [{}, {'name': ''}, {'name': 'a', 'description': 'd' * 1025}],
    'spec.configSchemaVersion': [6, 1001, 'x', AWAY],
    'spec.upgradable': ['x', None],
    'spec.defaultEventList': [['nope'], ['configure'] * 17, [7], []],
    ROLE + '.cardinality': ['x', '123456789', '3', '3++', 3, AWAY],
    ROLE + '.handler': [{'exec': {}}, {'exec': {'command': []}}, {'timeoutSeconds': 0}, {'retryLimit': 101},
                        {'timeoutSeconds': 86401, 'retryLimit': 0}, {}, None],
    'spec.config': [AWAY, {}, {'selectedRoles': []}, {'selectedRoles': ['x']}, {'selectedRoles': ['w', 'x', 7]}],
    'spec.defaultImageRepoTag': ['', 'i' * 1025, AWAY],
}.items() for value in values] + [('status', path, value) for path, values in {
    'status': [AWAY, None, 'x'],
    'status.state': ['x', None],
    'status.observedGeneration': ['x', 1.5],
    'status.pendingNotifies': [-1],
    'status.conditions': [[{}], [{'type': 'a', 'status': 'true'}],
                          [{'type': 'a', 'status': 'True', 'lastTransitionTime': 'yesterday'}]],
    'status.roles': [[{}], [{'id': 'w'}, {'id': 'w'}]],
    STATUS: [{}, {'pod': 'p' * 64}, {'pod': 'p', 'state': 'x'}],
    STATUS + '.stateDetail': [{'lastKnownContainerState': 'x'}, {'downSince': 'x'}, {'downSince': '2026-01-01'},
                              {'downSince': '2026-01-01T00:00:00Z'}, {'downReason': 'r' * 257},
                              {'pendingNotifyCmds': [{'id': 1, 'event': 'reconnect'}]},
                              {'pendingNotifyCmds': [{'id': '1', 'event': 'configure'}]},
                              {'pendingNotifyCmds': [{'id': 1, 'event': 'configure'}] * 33},
                              {'pendingNotifyCmds': [{'id': 1, 'event': 'configure', 'lastExitCode': -1}]}],
}.items() for value in values]

# Fields that no schema knows.
UNKNOWN = [
    ('cluster', 'spec.colour', 'red'), ('cluster', ROLE + '.colour', 'red'), ('cluster', 'spec.upgrade', {'colour': 1}),
    ('cluster', 'metadata.colour', 'red'), ('cluster', 'colour', 'red'), ('cluster', 'spec.App', 'v1'),
    ('cluster', ROLE + '.podTemplate', {'spec': {'colour': 'red'}}), ('cluster', ROLE + '.resources', {'claims': []}),
    ('app', 'spec.colour', {'deep': 1}), ('app', ROLE + '.handler', {'exec': {'command': ['h'], 'colour': 1}}),
    ('status', 'status.colour', 'red'), ('status', STATUS + '.colour', 'red'),
]


def changed(base, path, value):
    tree = copy.deepcopy(base)
    *way, last = path.split('.')
    at = tree
    for key in way:
        at = at[int(key) if isinstance(at, list) else key]
    last = int(last) if isinstance(at, list) else last
    if value is AWAY:
        del at[last]
    else:
        at[last] = value
    return tree


def shown(value):
    text = 'away' if value is AWAY else repr(value)
    return text if len(text) <= 60 else f'{text[:40]}... ({len(text)})'


def ask(talk, stored, name, row, query):
    kind, path, value = row
    tree = changed(BASES[kind], path, value)
    if kind != 'status':
        return talk.ask(name, 'POST', f'{kind}s?dryRun=All{query}', tree)
    return talk.ask(name, 'PUT', f'clusters/m/status?dryRun=All{query}', {**stored, **tree})


def run(talk):
    stored = {**BASES['cluster'], 'metadata': {'name': 'm'}}
    answer = talk.ask('mistakes: one to put a status into', 'POST', 'clusters', stored)
    stored['metadata'] = {'name': 'm', 'resourceVersion': answer['metadata']['resourceVersion']}
    for row in ROWS:
        ask(talk, stored, f'mistakes: {row[0]} {row[1]}: {shown(row[2])}', row, '')
    for row in UNKNOWN:
        for how in 'Strict', 'Warn', 'Ignore':
            ask(talk, stored, f'unknown: {row[0]} {row[1]}: {shown(row[2])} ({how})', row, f'&fieldValidation={how}')
    two = changed(changed(BASES['cluster'], 'spec.colour', 1), ROLE + '.colour', 2)
    talk.ask('unknown: two at once', 'POST', 'clusters?dryRun=All&fieldValidation=Strict', two)
    wrong = changed(changed(BASES['cluster'], 'spec.colour', 1), 'spec.app', 7)
    talk.ask('unknown: and a mistake', 'POST', 'clusters?dryRun=All&fieldValidation=Strict', wrong)
    over = changed(BASES['cluster'], 'spec.roles', [{'id': 'w', 'members': 1000}, {'id': 'x', 'members': 1001}])
    talk.ask('mistakes: beside a broken rule', 'POST', 'clusters?dryRun=All', over)
    over = changed(over, 'spec.app', 7)
    talk.ask('mistakes: that keep a rule from being tried', 'POST', 'clusters?dryRun=All', over)
