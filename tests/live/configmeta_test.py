#!/usr/bin/env python3
"""configmeta.json in the members (N7), judged by the members themselves: what each handler found, and what stands there now."""
import copy
import hashlib

from lib import RESULTS, Checks, Operator, poll
from shop import ROLES, Shop, app, cluster, members_of, pods_of_role

PLACE = '/etc/guestconfig/configmeta.json'


def begin(shop, first, members=2, change=None):
    """Configured on App FIRST; CHANGE may edit the Cluster before."""
    item = cluster(shop.members.folder, members=members)
    if change:
        change(item)
    shop.apply(first, item)
    shop.wait_configured('shop-1')


def resize(shop, **members):
    generation = shop.status()['specGenerationToProcess'] + 1
    shop.patch({'roles': [{**role, 'members': members.get(role['id'], role['members'])} for role in shop.spec()['roles']]})
    shop.wait(f'generation {generation} is digested by all',
              lambda status: status.get('state') == 'configured' and digested(status) == {generation})
    return generation


def details(status):
    return [m['stateDetail'] for m in members_of(status).values()]


def digested(status):
    return {d.get('lastSetupGeneration') for d in details(status)} | {d.get('lastConfigDataGeneration') for d in details(status)}


def in_member(shop, pod, path=PLACE):
    return shop.kubectl('exec', pod, '-c', 'app', '--', 'cat', path)


def check_document(shop, checks, pod, generation):
    """What the handler found is what is there now, and is true."""
    status, document = shop.status(), shop.members.configmeta(pod, generation)
    found = shop.members.found(pod)[-1]
    checks.equal(f'{pod}: the last handler found generation', (found.generation, found.path), (generation, PLACE))
    checks.equal(f'{pod}: and it is there now', hashlib.sha256(in_member(shop, pod).encode()).hexdigest(), found.sum)
    groups = document['nodegroups']['1']
    checks.equal(f'{pod}: members', {role: [name.split('.')[0] for name in groups['roles'][role]['fqdns']] for role in groups['roles']},
                 {role: pods_of_role(status, role) for role in ROLES})
    member = members_of(status)[pod]
    checks.equal(f'{pod}: itself', (document['node']['id'], document['node']['fqdn'].split('.')[0]), (str(member['nodeID']), pod))
    checks.equal(f'{pod}: version', groups['catalog_entry_version'], '1.0')


def never_goes_back(shop, checks):
    for pod in members_of(shop.status()):
        found = [f.generation for f in shop.members.found(pod)]
        checks.equal(f'{pod}: generations that its handlers found rise', found, sorted(found))
        checks.check(f'{pod}: none was told without', all(found), found)


def members_come_and_go(checks, operator):
    """Every handler finds the members of the generation that it is told of."""
    with Shop('live-config', operator=operator) as shop:
        begin(shop, app('shop-1', '1.0'))
        for pod in members_of(shop.status()):
            check_document(shop, checks, pod, 1)
        for generation, members in ((2, {'data': 3}), (3, {'data': 2, 'web': 1}), (4, {'data': 1, 'web': 3})):
            checks.equal('generation', resize(shop, **members), generation)
            for pod in members_of(shop.status()):
                check_document(shop, checks, pod, generation)
        never_goes_back(shop, checks)
        shop.judge(checks)


def who_hears_nothing_of_it(checks, operator):
    """A role that hears configure only is brought the file all the same."""
    deaf = app('shop-1', '1.0')
    for role in deaf['spec']['roles']:
        role['eventList'] = ['configure']
    with Shop('live-config-deaf', operator=operator) as shop:
        begin(shop, deaf)
        resize(shop, data=3)
        for pod in members_of(shop.status()):
            checks.equal(f'{pod} heard', [f.event for f in shop.members.found(pod)], ['configure'])
            poll(f'{pod} has the new member', lambda pod=pod: pods_of_role(shop.status(), 'data')[2] in in_member(shop, pod))
        shop.judge(checks)


def more_than_one_message(checks, operator):
    """One that needs several messages of the WebSocket arrives byte for byte."""
    large = app('shop-1', '1.0')
    large['spec']['config']['configMeta'] = {f'key-{i}': chr(97 + i % 26) * 1024 for i in range(64)}
    with Shop('live-config-large', operator=operator) as shop:
        begin(shop, large)
        for pod in members_of(shop.status()):
            check_document(shop, checks, pod, 1)
            document = shop.members.configmeta(pod, 1)
            checks.equal(f'{pod}: configMeta', document['nodegroups']['1']['config_metadata'], large['spec']['config']['configMeta'])
        resize(shop, web=3)
        for pod in members_of(shop.status()):
            check_document(shop, checks, pod, 2)


def make_read_only(item):
    for role in item['spec']['roles']:
        role['podTemplate'] = copy.deepcopy(role['podTemplate'])  # the roles share one
        pod = role['podTemplate']['spec']
        pod['volumes'].append({'name': 'state', 'emptyDir': {}})
        pod['containers'][0]['volumeMounts'].append({'name': 'state', 'mountPath': '/var/lib/rolecall'})
        pod['containers'][0]['securityContext'] = {'readOnlyRootFilesystem': True}


def read_only_root(checks, operator):
    """Handlers are told, the file is elsewhere, and status and plan say why."""
    with Shop('live-config-ro', operator=operator) as shop:
        begin(shop, app('shop-1', '1.0'), members=1, change=make_read_only)
        for pod, member in members_of(shop.status()).items():
            found = shop.members.found(pod)[-1]
            checks.equal(f'{pod}: found', (found.generation, found.path), (1, '/var/lib/rolecall/configmeta.json'))
            checks.equal(f'{pod}: whole', hashlib.sha256(in_member(shop, pod, found.path).encode()).hexdigest(), found.sum)
            detail = member['stateDetail'].get('configDataDetail', '')
            checks.check(f'{pod}: the reason is in status', 'Read-only file system' in detail, detail)
        warnings = shop.status()['lastPlans'][0].get('warnings', [])
        checks.check('the plan warns', any('Read-only file system' in w['message'] for w in warnings), warnings)


def main():
    checks = Checks()
    with Operator(f'{RESULTS}/configmeta-operator.log') as operator:
        checks.together([members_come_and_go, who_hears_nothing_of_it, more_than_one_message, read_only_root], operator)
    checks.finish()


if __name__ == '__main__':
    main()
