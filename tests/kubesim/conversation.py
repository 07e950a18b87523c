"""One conversation with an API server: everything that kubesim imitates, in the order in which a user might ask it."""
import base64
import json

import yaml

import edits
import mistakes
from client import TABLE
from edits import app, cluster

GROUP = '/apis/rolecall.dev/v1alpha1'
NAMESPACE = 'talk'
BASE = f'{GROUP}/namespaces/{NAMESPACE}'
MERGE, JSON_PATCH, APPLY, STRATEGIC = ({'content_type': f'application/{kind}'} for kind in (
    'merge-patch+json', 'json-patch+json', 'apply-patch+yaml', 'strategic-merge-patch+json'))
SPEC = {'app': 'v1', 'roles': [{'id': 'w', 'members': 2}]}


def version(answer):
    return answer['metadata']['resourceVersion']


def labelled(name, **labels):
    return {**cluster(name, SPEC), 'metadata': {'name': name, 'labels': labels}}


def discovery(talk):
    talk.ask('discovery', 'GET', GROUP)
    talk.ask('a group that is not there', 'GET', '/apis/nowhere.dev/v1')
    talk.ask('a version that is not there', 'GET', '/apis/rolecall.dev/v9/clusters')
    talk.ask('a kind that is not there', 'GET', f'{BASE}/roles')
    talk.ask('a method that is not there', 'PUT', f'{BASE}/clusters', cluster('a', SPEC))


def creating(talk):
    talk.ask('create', 'POST', 'apps', app('v1'))
    talk.ask('create the same', 'POST', 'apps', app('v1'))
    talk.ask('create a Cluster: defaults come', 'POST', 'clusters', labelled('one', colour='red', size='1'))
    talk.ask('create with a status: it is not taken', 'POST', 'clusters',
             {**labelled('two', colour='blue'), 'status': {'state': 'configured'}})
    talk.ask('generateName', 'POST', 'clusters',
             {**cluster('', SPEC), 'metadata': {'generateName': 'gen-', 'labels': {'gone': 'soon'}}})
    talk.ask('no name', 'POST', 'clusters', {**cluster('', SPEC), 'metadata': {}})
    talk.ask('a version in a new object', 'POST', 'clusters',
             {**cluster('', SPEC), 'metadata': {'name': 'x', 'resourceVersion': '1'}})
    talk.ask('a uid in a new object', 'POST', 'clusters?dryRun=All',
             {**cluster('', SPEC), 'metadata': {'name': 'x', 'uid': 'mine', 'generation': 7}})
    talk.ask('another kind', 'POST', 'clusters', app('x'))
    talk.ask('another namespace', 'POST', 'clusters', {**cluster('', SPEC), 'metadata': {'name': 'x', 'namespace': 'y'}})
    talk.ask('a namespace that is not there', 'POST', f'{GROUP}/namespaces/nowhere/clusters', cluster('x', SPEC))
    talk.ask('no JSON', 'POST', 'clusters', '{"a":')
    talk.ask('nothing', 'POST', 'clusters', '')
    talk.ask('a list for an object', 'POST', 'clusters', '[]')
    talk.ask('YAML', 'POST', 'clusters?dryRun=All', yaml.safe_dump(cluster('yaml', SPEC)), content_type='application/yaml')
    talk.ask('a format that nobody knows', 'POST', 'clusters', 'x', content_type='text/plain')
    for name in 'app-1.0', 'app-1.1', 'cluster':
        with open(f'{edits.ROOT}/manifests/examples/{name}.yaml') as file:
            talk.ask(f'manifests/examples/{name}.yaml', 'POST', name.split('-')[0] + 's?dryRun=All&fieldValidation=Strict',
                     yaml.safe_load(file))


def dry_run(talk):
    talk.ask('dry run: create', 'POST', 'clusters?dryRun=All', cluster('dry', SPEC))
    talk.ask('dry run: not there', 'GET', 'clusters/dry')
    talk.ask('dry run: of one that is there', 'POST', 'clusters?dryRun=All', cluster('one', SPEC))
    talk.ask('dry run: patch', 'PATCH', 'clusters/one?dryRun=All', {'spec': {'app': 'v9'}}, **MERGE)
    talk.ask('dry run: delete', 'DELETE', 'clusters/one?dryRun=All')
    talk.ask('dry run: as it was', 'GET', 'clusters/one')
    talk.ask('dry run: of another word', 'POST', 'clusters?dryRun=Some', cluster('dry', SPEC))


def reading(talk):
    talk.ask('get', 'GET', 'clusters/one')
    talk.ask('get what is not there', 'GET', 'clusters/none')
    talk.ask('get status', 'GET', 'clusters/one/status')
    talk.ask('list', 'GET', 'clusters?fieldSelector=metadata.name%3Done')
    talk.ask('list of nothing', 'GET', f'{GROUP}/namespaces/nowhere/clusters')
    talk.ask('Table of one', 'GET', 'clusters/one', accept=TABLE)
    talk.ask('Table of one that is not there', 'GET', 'clusters/none', accept=TABLE)
    for include in 'Object', 'None', 'Metadata':
        talk.ask(f'Table with {include}', 'GET', f'apps?includeObject={include}', accept=TABLE)
    talk.ask('Table of Clusters', 'GET', 'clusters', accept=TABLE)


def pages(talk):
    first = talk.ask('pages: the first', 'GET', 'clusters?limit=2&labelSelector=%21gone')
    talk.ask('pages: of all, the first', 'GET', 'clusters?limit=1')
    token = first['metadata'].get('continue', '')
    talk.ask('pages: no more', 'GET', f'clusters?limit=9&labelSelector=%21gone&continue={token}')
    talk.ask('pages: a token that is none', 'GET', 'clusters?limit=1&continue=x')


def selectors(talk):
    for text in ('colour=red', 'colour==red', 'colour!=red', 'colour', '!colour', 'colour in (red,blue)',
                 'colour notin (red)', 'colour=red,size=1', 'colour=red,size!=1', 'colour in ()', 'colour=', 'a=b=c',
                 'colour in red', 'size>0', ',', '!', 'colour notin (red), size'):
        answer = talk.client.call('GET', f'{BASE}/clusters?labelSelector=' + text.replace(' ', '%20').replace('>', '%3E'))
        talk.keep(f'labels: {text}', answer[0], [o['metadata'].get('labels') for o in answer[1].get('items', [])])
    for text in 'metadata.name=one', 'metadata.name!=one,metadata.namespace=talk', 'spec.app=v1', 'metadata.uid=x':
        answer = talk.client.call('GET', f'{BASE}/clusters?fieldSelector={text}')
        talk.keep(f'fields: {text}', answer[0],
                  [o['metadata'].get('labels') for o in answer[1].get('items', [])] or answer[1].get('message'))


def patching(talk):
    talk.ask('merge patch', 'PATCH', 'clusters/one', {'spec': {'upgrade': {'paused': True}}}, **MERGE)
    talk.ask('merge patch that changes nothing', 'PATCH', 'clusters/one', {'spec': {'upgrade': {'paused': True}}}, **MERGE)
    talk.ask('merge patch that removes', 'PATCH', 'clusters/one', {'spec': {'upgrade': {'paused': None}}}, **MERGE)
    talk.ask('annotate: no new generation', 'PATCH', 'clusters/one', {'metadata': {'annotations': {'a': 'b'}}}, **MERGE)
    talk.ask('patch of the status by the way: not taken', 'PATCH', 'clusters/one', {'status': {'app': 'v1'}}, **MERGE)
    talk.ask('patch of the status', 'PATCH', 'clusters/one/status', {'status': {'app': 'v1'}, 'spec': {'app': 'v9'}}, **MERGE)
    talk.ask('JSON patch', 'PATCH', 'clusters/one', [
        {'op': 'test', 'path': '/spec/app', 'value': 'v1'}, {'op': 'add', 'path': '/spec/upgrade/roleOrder', 'value': ['w']},
        {'op': 'add', 'path': '/spec/upgrade/roleOrder/-', 'value': 'z'},
        {'op': 'copy', 'from': '/spec/upgrade/roleOrder/0', 'path': '/spec/upgrade/roleOrder/1'},
        {'op': 'replace', 'path': '/metadata/labels/size', 'value': '2'},
        {'op': 'add', 'path': '/metadata/annotations/x.y~1z', 'value': '~'}], **JSON_PATCH)
    talk.ask('JSON patch, moving', 'PATCH', 'clusters/one', [
        {'op': 'move', 'from': '/metadata/annotations/x.y~1z', 'path': '/metadata/annotations/moved'},
        {'op': 'remove', 'path': '/spec/upgrade/roleOrder'}], **JSON_PATCH)
    for what, patch in {
            'a test that fails': [{'op': 'test', 'path': '/spec/app', 'value': 'v2'}],
            'a path that is not there': [{'op': 'replace', 'path': '/spec/none/x', 'value': 1}],
            'removing what is not there': [{'op': 'remove', 'path': '/spec/none'}],
            'an index too high': [{'op': 'add', 'path': '/spec/roles/7', 'value': {'id': 'x'}}],
            'an operation that is not there': [{'op': 'turn', 'path': '/spec/app'}],
            'no list': {'op': 'remove', 'path': '/spec/app'}}.items():
        talk.ask(f'JSON patch: {what}', 'PATCH', 'clusters/one', patch, **JSON_PATCH)
    for what, patch in {
            'a stale version': {'metadata': {'resourceVersion': '1'}}, 'another name': {'metadata': {'name': 'x'}},
            'another uid': {'metadata': {'uid': 'x'}}, 'another kind': {'kind': 'App'}, 'no object': ['x']}.items():
        talk.ask(f'merge patch: {what}', 'PATCH', 'clusters/one', patch, **MERGE)
    talk.ask('merge patch of what is not there', 'PATCH', 'clusters/none', {}, **MERGE)
    talk.ask('strategic merge patch', 'PATCH', 'clusters/one', {}, **STRATEGIC)
    talk.ask('a patch that is none', 'PATCH', 'clusters/one', {}, content_type='application/json')


def applying(talk):
    mine, theirs = 'clusters/applied?fieldManager=me', 'clusters/applied?fieldManager=they'
    first = {**cluster('applied', SPEC), 'metadata': {'name': 'applied', 'labels': {'a': '1', 'b': '2'}}}
    less = {**first, 'metadata': {'name': 'applied', 'labels': {'a': '1'}}}
    talk.ask('apply: new', 'PATCH', mine, first, **APPLY)
    talk.ask('apply: the same', 'PATCH', mine, first, **APPLY)
    talk.ask('apply: another field by another', 'PATCH', theirs,
             {**edits.API, 'kind': 'Cluster', 'metadata': {'name': 'applied', 'labels': {'c': '3'}}, 'spec': SPEC}, **APPLY)
    talk.ask('apply: what is left out goes', 'PATCH', mine, less, **APPLY)
    talk.ask('apply: YAML', 'PATCH', mine, yaml.safe_dump(less), **APPLY)
    other = {**less, 'spec': {'app': 'v2', 'roles': SPEC['roles']}}
    talk.ask('apply: what another owns', 'PATCH', mine + '&dryRun=All', other, **APPLY)
    talk.ask('apply: what another owns, by force', 'PATCH', mine + '&force=true', other, **APPLY)
    talk.ask('apply: nobody', 'PATCH', 'clusters/applied', less, **APPLY)
    talk.ask('apply: an unknown field', 'PATCH', mine + '&fieldValidation=Strict', {**less, 'colour': 1}, **APPLY)
    talk.ask('apply: another name', 'PATCH', 'clusters/x?fieldManager=me', less, **APPLY)
    talk.ask('apply: with managedFields', 'PATCH', mine, {**less, 'metadata': {'name': 'applied', 'managedFields': [
        {'manager': 'me', 'operation': 'Apply'}]}}, **APPLY)
    talk.ask('apply: a status', 'PATCH', 'clusters/applied/status?fieldManager=me', {
        **edits.API, 'kind': 'Cluster', 'metadata': {'name': 'applied'}, 'status': {'app': 'v1'}}, **APPLY)
    talk.ask('apply: a status of what is not there', 'PATCH', 'clusters/none/status?fieldManager=me', {
        **edits.API, 'kind': 'Cluster', 'metadata': {'name': 'none'}, 'status': {'app': 'v1'}}, **APPLY)


def replacing(talk):
    old = talk.ask('put: before', 'GET', 'clusters/two')
    new = {**old, 'status': {'app': 'v1', 'state': 'creating', 'roles': []}, 'spec': {**old['spec'], 'app': 'v2'}}
    talk.ask('put status: only it is taken', 'PUT', 'clusters/two/status', new)
    talk.ask('put status: stale', 'PUT', 'clusters/two/status', new)
    fresh = talk.ask('put: now', 'GET', 'clusters/two')
    talk.ask('put status: the same again', 'PUT', 'clusters/two/status', fresh)
    talk.ask('put: the status is not taken', 'PUT', 'clusters/two',
             {**fresh, 'status': {}, 'spec': {**fresh['spec'], 'upgrade': {'paused': True}}})
    talk.ask('put: stale', 'PUT', 'clusters/two', fresh)
    for what, meta in {'no version': {'name': 'two'}, 'another name': {**fresh['metadata'], 'name': 'x'},
                       'another uid': {**fresh['metadata'], 'uid': 'x', 'resourceVersion': ''},
                       'no name': {'resourceVersion': version(fresh)}}.items():
        talk.ask(f'put: {what}', 'PUT', 'clusters/two', {**fresh, 'metadata': meta})
    talk.ask('put: what is not there', 'PUT', 'clusters/none', cluster('none', SPEC))
    talk.ask('put: what is not there, with a version', 'PUT', 'clusters/none',
             {**cluster('none', SPEC), 'metadata': {'name': 'none', 'resourceVersion': '1'}})
    talk.ask('put status: what is not there', 'PUT', 'clusters/none/status', cluster('none', SPEC))


def deleting(talk):
    talk.ask('delete: new', 'POST', 'clusters', cluster('del', SPEC))
    uid = talk.client.call('GET', f'{BASE}/clusters/del')[1]['metadata']['uid']
    for what, wanted in {'another uid': {'uid': 'x'}, 'another version': {'resourceVersion': '1'}}.items():
        talk.ask(f'delete: {what}', 'DELETE', 'clusters/del', {'preconditions': wanted})
    talk.ask('delete: no options', 'DELETE', 'clusters/del', '[')
    talk.ask('delete: with its uid', 'DELETE', 'clusters/del', {'preconditions': {'uid': uid}})
    talk.ask('delete: what is not there', 'DELETE', 'clusters/del')
    held = {**cluster('held', SPEC), 'metadata': {'name': 'held', 'finalizers': ['talk.dev/hold']}}
    talk.ask('held: new', 'POST', 'clusters', held)
    talk.ask('held: delete', 'DELETE', 'clusters/held')
    talk.ask('held: delete again', 'DELETE', 'clusters/held')
    talk.ask('held: still there', 'GET', 'clusters/held')
    talk.ask('held: an edit while it ends', 'PATCH', 'clusters/held', {'spec': {'upgrade': {'paused': True}}}, **MERGE)
    more = {'metadata': {'finalizers': ['talk.dev/hold', 'talk.dev/more']}}
    talk.ask('held: another finalizer', 'PATCH', 'clusters/held?dryRun=All', more, **MERGE)
    talk.ask('held: let go', 'PATCH', 'clusters/held', {'metadata': {'finalizers': None}}, **MERGE)
    talk.ask('held: gone', 'GET', 'clusters/held')


def watching(talk):
    start = version(talk.client.call('GET', f'{BASE}/clusters')[1])
    talk.ask('watch: a new one', 'POST', 'clusters', labelled('seen', colour='red'), brief=True)
    talk.ask('watch: an edit', 'PATCH', 'clusters/seen', {'metadata': {'labels': {'size': '3'}}}, brief=True, **MERGE)
    talk.ask('watch: no edit', 'PATCH', 'clusters/seen', {'metadata': {'labels': {'size': '3'}}}, brief=True, **MERGE)
    talk.ask('watch: another one', 'POST', 'clusters', labelled('unseen', colour='blue'), brief=True)
    talk.ask('watch: out of the selection', 'PATCH', 'clusters/seen', {'metadata': {'labels': {'colour': 'blue'}}},
             brief=True, **MERGE)
    talk.ask('watch: its end', 'DELETE', 'clusters/seen', brief=True)
    talk.watch('watch: all of it', f'clusters?watch=1&resourceVersion={start}', 5)
    talk.watch('watch: a selection', f'clusters?watch=1&resourceVersion={start}&labelSelector=colour%3Dred', 3)
    talk.watch('watch: one by name', f'clusters?watch=true&resourceVersion={start}&fieldSelector=metadata.name%3Dunseen', 1)
    talk.watch('watch: ends by itself', f'clusters?watch=1&resourceVersion={start}&timeoutSeconds=1', 9)
    talk.watch('watch: initial events and their bookmark', 'clusters?watch=1&sendInitialEvents=true&allowWatchBookmarks=true'
               '&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name%3Done', 2)
    talk.watch('watch: initial events without a match', 'clusters?watch=1&sendInitialEvents=true', 1)
    talk.watch('watch: without a version', 'clusters?watch=1&fieldSelector=metadata.name%3Done', 1)
    talk.watch('watch: no version', 'clusters?watch=1&resourceVersion=x', 1)


def aged(token):
    """A continue token of the first version; a real server may still have a picture of the last minutes in memory."""
    if '.' in token:  # kubesim's
        return '1.' + token.split('.', 1)[1]
    inside = json.loads(base64.urlsafe_b64decode(token + '=' * (-len(token) % 4)))
    return base64.urlsafe_b64encode(json.dumps({**inside, 'rv': 1}).encode()).decode().rstrip('=')


def forgetting(talk):
    """What the server no longer keeps: 410, as an event and as a code."""
    token = talk.client.call('GET', f'{BASE}/clusters?limit=1')[1]['metadata']['continue']
    talk.ask('410: a new one', 'POST', 'clusters', cluster('later', SPEC), brief=True)
    talk.compact()
    talk.watch('410: a watch', 'clusters?watch=1&resourceVersion=1', 1)
    talk.ask('410: the next page', 'GET', f'clusters?limit=1&continue={aged(token)}')


def begin(talk):
    space = {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': NAMESPACE}}
    talk.ask('a namespace', 'POST', '/api/v1/namespaces', space)
    talk.ask('the same namespace', 'POST', '/api/v1/namespaces', space)
    talk.ask('a namespace as a Table', 'GET', f'/api/v1/namespaces/{NAMESPACE}', accept=TABLE)


def end(talk):
    talk.ask('a namespace ends', 'DELETE', f'/api/v1/namespaces/{NAMESPACE}', brief=True)


CHAPTERS = [begin, discovery, creating, dry_run, reading, pages, selectors, patching, applying, replacing, deleting,
            watching, mistakes.run, edits.run, forgetting, end]


def run(talk):
    for chapter in CHAPTERS:
        if chapter is not forgetting or talk.compact:
            chapter(talk)
