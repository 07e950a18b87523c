#!/usr/bin/env python3
"""What goes wrong in an upgrade: the reason is in status within seconds of the fact, and each way out is taken.

An image that cannot be pulled, and a handler that is repaired and retried, are in peer_test.py.
"""
import os

import way_back
from lib import RESULTS, ROOT, Checks, Operator, poll, run
from shop import Shop, app, cluster, condition, head, members_of, queues
from upgrades import (FORWARD, Before, create, down_reason, ends_well, named, role_pods, soon_in_status, with_container,
                      with_retry_limit)

NEVER_READY = {'exec': {'command': ['/bin/sh', '-c', 'exit 1']}, 'periodSeconds': 1}
SPREAD = [{'maxSkew': 1, 'topologyKey': 'kubernetes.io/hostname', 'whenUnsatisfiable': 'ScheduleAnyway',
           'labelSelector': {'matchLabels': {'rolecall.dev/cluster': 'shop'}}}]


def progressing(shop):
    return condition(shop.status(), 'Progressing')['message']


def a_pod_that_is_never_ready(checks, operator):
    """B fails its readiness probe: Stalled says so; onFailure Rollback takes it back, and B is not tried again."""
    with Shop('live-not-ready', operator=operator) as shop:
        shop.apply(app('shop-3', '2.1'))
        before = create(shop, with_container(app('shop-2', '2.0'), readinessProbe=NEVER_READY))
        fails = role_pods(shop, 0)[-1]
        shop.patch({'app': 'shop-2', 'upgrade': {'progressDeadlineSeconds': 6}})
        shop.wait('Stalled', lambda s: s.get('plan', {}).get('phase') == 'Stalled')
        named(checks, 'Stalled', progressing(shop), fails, 'not ready')
        checks.equal('only it was touched', before.touched(), [fails])
        shop.patch({'upgrade': {'onFailure': 'Rollback'}})
        shop.wait_configured('shop-1')
        went_back_by_itself(shop, checks, before)
        is_left_alone(shop, checks)
        tried_again(shop, checks)


def went_back_by_itself(shop, checks, before):
    status = shop.status()
    checks.equal('spec.app was not edited', shop.spec()['app'], 'shop-2')
    checks.equal('rolledBack', status.get('rolledBack', {}).get('app'), 'shop-2')
    accepted = condition(status, 'SpecAccepted')
    checks.equal('SpecAccepted', (accepted['status'], accepted['reason']), ('False', 'UpgradeRolledBack'))
    notes = poll('an Event RollbackStarted', lambda: shop.notes('RollbackStarted'), 10)
    named(checks, 'the Event', notes[0], 'shop-2', 'deadline')
    way_back.judge(shop, checks, before, still_asked_for=True)


def is_left_alone(shop, checks):
    """Another look at the Cluster begins no other upgrade."""
    count, passes = shop.clusters.count(), shop.operator.stats()['passes']
    shop.kubectl('annotate', 'clusters.rolecall.dev', 'shop', 'test/look=again')
    poll('a pass for the edit', lambda: shop.operator.stats()['passes'] > passes)
    checks.check('B is not tried again', all('upgradeInfo' not in c['status'] for c in shop.clusters.since(count)))


def tried_again(shop, checks):
    """Another spec.app ends it: back to what runs, then to a B that works."""
    shop.patch({'app': 'shop-1', 'upgrade': {'progressDeadlineSeconds': None, 'onFailure': None}})
    shop.wait('accepted again', lambda s: 'rolledBack' not in s and
              condition(s, 'SpecAccepted')['status'] == 'True', 10)
    shop.patch({'app': 'shop-3'})
    shop.wait_configured('shop-3')
    ends_well(shop, checks)
    shop.judge(checks)


def a_handler_that_fails_in_one_member(checks, operator):
    """role_upgraded cannot be digested by data-1: what it is owed is held until the user skips it."""
    with Shop('live-skip', operator=operator) as shop:
        before = create(shop, with_retry_limit(app('shop-2', '2.0'), 2))
        fails = role_pods(shop, 0)[-1]
        shop.members.steer(fails, 'role_upgraded', 1)
        shop.patch({'app': 'shop-2'})
        shop.wait(f'{fails} is in config error', lambda s: members_of(s)[fails]['state'] == 'config error')
        shop.wait('nobody else waits', lambda s: set(queues(s)) == {fails})
        entry = head(shop.status(), fails)
        checks.equal('what failed', (entry['event'], entry['lastExitCode'], entry['attempts']), ('role_upgraded', 1, 2))
        named(checks, 'Progressing', progressing(shop), fails, 'role_upgraded', 'code 1')
        refused_commands(shop, checks, fails, entry['id'])
        checks.equal('nothing was lost', head(shop.status(), fails).get('id'), entry['id'])

        shop.annotate('skip-notify', f'{fails}/{entry["id"]}')
        shop.wait_configured('shop-2')
        checks.equal(f'{fails} heard', before.heard(fails), FORWARD[:3] + ['role_upgraded'] * 2 + ['cluster_upgraded'])
        plan = ends_well(shop, checks, warns=True)
        text = next((w['message'] for w in plan['warnings'] if 'skipped' in w['message']), '')
        named(checks, 'a warning of the plan', text, fails, f'role_upgraded {entry["id"]}')
        shop.judge(checks, ['n5_attempts_never_fall'])


def refused_commands(shop, checks, pod, number):
    for command, value, why in [('skip-notify', f'{pod}/{number + 1000}', 'no such notification'),
                                ('skip-notify', pod, 'MEMBER/ID'),
                                ('skip-notify', f'nobody/{number}', 'no such member'),
                                ('give-up', 'nobody', 'no such member'), ('retry', 'nobody', 'no such member')]:
        shop.annotate(command, value)
        start = f'rolecall.dev/{command}: {value}: '
        notes = poll(f'{command}={value} is refused', lambda start=start: [
            note for note in shop.notes('CommandRefused') if note.startswith(start)], 10)
        named(checks, f'the refusal of {command}={value}', notes[0], why)


def quota_that_is_used_up(checks, operator):
    """The new pod is not allowed: status names the quota; it goes on when there is room."""
    with Shop('live-quota', operator=operator) as shop:
        before = create(shop)
        fails = role_pods(shop, 0)[-1]
        shop.apply({'apiVersion': 'v1', 'kind': 'ResourceQuota', 'metadata': {'name': 'few'},
                    'spec': {'hard': {'pods': '3'}}})
        poll('the quota counts', lambda: shop.kubectl('get', 'resourcequota', 'few', '-o',
                                                      'jsonpath={.status.used.pods}') == '4')
        shop.patch({'app': 'shop-2'})
        shop.pods.wait(f'{fails} is gone', lambda objects: fails not in objects)
        shop.wait('the quota is named', lambda s: 'exceeded quota: few' in down_reason(s, fails), 10)
        named(checks, 'Progressing', progressing(shop), fails, 'exceeded quota: few')
        shop.kubectl('patch', 'resourcequota', 'few', '-p', '{"spec": {"hard": {"pods": "9"}}}')
        shop.wait_configured('shop-2')
        for pod in before.pods:
            checks.equal(f'{pod} heard', before.heard(pod), FORWARD)
        ends_well(shop, checks)
        shop.judge(checks)


def kube(*arguments):
    run(f'{ROOT}/hack/kube.sh', *arguments, timeout=180)


def a_node_cut_for_good(checks, operator):
    """Its members are given up, so that the upgrade ends; when it comes back they are configured as new."""
    with Shop('live-cut', operator=operator) as shop:
        item = cluster(shop.members.folder, roles=['data'], members=4)
        item['spec']['roles'][0]['podTemplate']['spec']['topologySpreadConstraints'] = SPREAD
        shop.apply(app('shop-1', '1.0', roles=['data']), app('shop-2', '2.0', roles=['data']), item)
        shop.wait_configured('shop-1')
        before = Before(shop)
        node = shop.pods.objects[before.pods[0]]['spec']['nodeName']
        cut = [pod for pod in before.pods if shop.pods.objects[pod]['spec']['nodeName'] == node]
        checks.check('members are on both nodes', 0 < len(cut) < len(before.pods), cut)
        shop.patch({'app': 'shop-2', 'upgrade': {'paused': True}})
        shop.wait('the upgrade is recorded', lambda s: 'upgradeInfo' in s)
        kube('crash', node)
        try:
            is_blocked_by(shop, checks, cut)
            goes_on_without(shop, checks, before, cut)
        finally:
            kube('up')
        comes_back(shop, checks, cut)


def lost_its_node(pod):
    """Kubernetes takes Ready away without a reason; kubelet always gives one."""
    return any(c['type'] == 'Ready' and c['status'] == 'False' and not c.get('reason')
               for c in pod.get('status', {}).get('conditions', []))


def is_blocked_by(shop, checks, cut):
    def all_named(status):
        return all('NodeNotReady' in down_reason(status, pod) for pod in cut)
    shop.wait('the node is known to be silent', all_named, 120)
    soon_in_status(shop, checks, cut[0], lost_its_node)
    shop.patch({'upgrade': {'paused': False}})
    gate = shop.wait('a gate blocks', lambda s: next(
        (r['waitingFor'] for r in s['roles'] if r.get('waitingFor', '').startswith('MaxUnavailable')), None))
    checks.check('the gate names one that was cut', any(pod in gate for pod in cut), gate)
    checks.check('their reason is still told', all_named(shop.status()), shop.status())


def goes_on_without(shop, checks, before, cut):
    for pod in cut:
        shop.annotate('give-up', pod)
    shop.wait_configured('shop-2')
    for pod in set(before.pods) - set(cut):
        checks.equal(f'{pod} heard', before.heard(pod), FORWARD)
    plan = ends_well(shop, checks, warns=True)
    for pod in cut:
        warned = any(f'{pod} was given up' in w['message'] for w in plan['warnings'])
        checks.check(f'the plan warns that {pod} was given up', warned, plan['warnings'])
        checks.equal(f'{pod} is given up', members_of(shop.status())[pod].get('givenUp'), True)
    degraded = condition(shop.status(), 'Degraded')
    checks.equal('Degraded', (degraded['status'], degraded['reason']), ('True', 'MembersGivenUp'))


def comes_back(shop, checks, cut):
    def is_whole(status):
        return not any(m.get('givenUp') for m in members_of(status).values()) and status['state'] == 'configured' and \
            condition(status, 'Ready')['status'] == 'True'
    shop.wait('the members are back', is_whole, 120)
    for pod in cut:
        log = shop.members.log(pod)
        last = max(n for n, c in enumerate(log) if c.event == 'start')
        checks.equal(f'{pod} was configured as new, on B', [(c.event, c.image) for c in log[last:]],
                     [('start', 'v2'), ('configure', 'v2')])
        poll(f'an Event MemberBack for {pod}',
             lambda pod=pod: any(pod in note for note in shop.notes('MemberBack')), 10)
    checks.equal('Degraded', condition(shop.status(), 'Degraded')['status'], 'False')
    shop.judge(checks)


SIDE_BY_SIDE = [a_pod_that_is_never_ready, a_handler_that_fails_in_one_member, quota_that_is_used_up]

if __name__ == '__main__':
    CHECKS = Checks()
    with Operator(os.path.join(RESULTS, 'failures', 'operator.log')) as OPERATOR:
        CHECKS.together(SIDE_BY_SIDE, OPERATOR)
        CHECKS.one(a_node_cut_for_good, OPERATOR)
    CHECKS.finish()
