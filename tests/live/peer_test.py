#!/usr/bin/env python3
"""The scenarios S1 to S8 in which another operator of this kind was measured; what it did is in tests/README.md.

S2 and S4 are in rollback_test.py and upgrade_waits_test.py.
"""
import os
import time

import way_back
from killed_test import crash_and_start
from lib import RESULTS, Checks, Container, Operator, is_ready, poll
from shop import Shop, app, checker, condition, head, is_upgraded, members_of
from upgrades import (FORWARD, create, down_reason, ends_well, go_back, heard_of_v2, is_held, is_on_b, named,
                      role_pods, soon_in_status, waiting_reason, with_container, with_retry_limit)

PULL_FAILS = 'ErrImagePull', 'ImagePullBackOff'


def s1_plain(checks, operator):
    """Two roles with three members: each event in its order in each member, and over the members."""
    with Shop('live-s1', operator=operator) as shop:
        before = create(shop, members=3)
        begun = time.monotonic()
        shop.patch({'app': 'shop-2'})
        shop.wait_configured('shop-2')
        checks.measure('spec.app to configured', f'{time.monotonic() - begun:.1f} s')
        for pod in before.pods:
            checks.equal(f'{pod} heard', before.heard(pod), FORWARD)
        calls = [call for pod in before.pods for call in before.since(pod)]
        last, first = (f(c.at for c in calls if c.event == event)
                       for f, event in ((max, 'pod_upgraded'), (min, 'cluster_upgraded')))
        checks.check('cluster_upgraded came after every pod_upgraded', first > last, (last, first))
        members_are_named(shop, checks, before)
        checks.check('a watcher saw both roles upgraded while queues were not empty', shop.clusters.first(told_later))
        ends_well(shop, checks)
        shop.judge(checks, ['u1_upgrade_info_until_queues_are_empty', 'u_role_upgraded_after_all_its_members'])


def told_later(item):
    status = item.get('status', {})
    roles = [r.get('roleUpgradeStatus') for r in status.get('roles', [])]
    return roles == ['upgraded'] * 2 and status['pendingNotifies']


def members_are_named(shop, checks, before):
    """Both events name all members of the receiver's role."""
    for pods in role_pods(shop, 0), role_pods(shop, 1):
        for pod in pods:
            for call in before.since(pod)[-2:]:
                names = call.arguments[call.arguments.index('--fqdns') + 1].split(',')
                checks.equal(f'{pod}: {call.event} names', sorted(n.split('.')[0] for n in names), pods)


def s3_failing_handler(checks, operator):
    """role_upgraded ends with code 1 in every member until it is repaired: visible, retried, never overtaken."""
    with Shop('live-s3', operator=operator) as shop:
        before = create(shop)
        shop.members.steer('all', 'role_upgraded', 1)
        shop.patch({'app': 'shop-2'})

        def have_failed(status):
            attempts = [head(status, pod).get('attempts', 0) for pod in before.pods]
            return min(attempts) >= 1 and max(attempts) >= 2
        shop.wait('each member has failed, some twice', have_failed)
        failing(shop, checks, before)
        shop.members.steer('all', 'role_upgraded', 0)
        shop.wait_configured('shop-2')
        for pod in before.pods:
            tries = [c.attempt for c in before.since(pod) if c.event == 'role_upgraded']
            checks.equal(f'{pod}: attempts count from 1 without a gap', tries, [str(n + 1) for n in range(len(tries))])
            checks.equal(f'{pod} heard', before.heard(pod), FORWARD[:3] + ['role_upgraded'] * len(tries) + FORWARD[4:])
        plan = ends_well(shop, checks, warns=True)
        for pod in before.pods:
            text = next((w['message'] for w in plan['warnings'] if pod in w['message']), '')
            named(checks, 'a warning of the plan', text, pod, 'role_upgraded', 'code 1')
        shop.judge(checks, ['n5_attempts_never_fall', 'n3_order_in_a_queue'])


def failing(shop, checks, before):
    """While role_upgraded fails in every member."""
    status = shop.status()
    for pod in before.pods:
        entry = head(status, pod)
        checks.equal(f'{pod}: event and exit code', (entry['event'], entry.get('lastExitCode')), ('role_upgraded', 1))
        named(checks, f'{pod}: its output', entry.get('lastError', ''), 'asked to end with 1')
        checks.check(f'{pod}: when it is tried again is shown', entry.get('nextAttempt'), entry)
        checks.equal(f'{pod} is not taken for down', down_reason(status, pod), '')
        checks.check(f'{pod} has not heard cluster_upgraded', 'cluster_upgraded' not in before.heard(pod))
    checks.equal('state', status['state'], 'updating')
    checks.equal('upgradeInfo', status.get('upgradeInfo', {}).get('prevApp'), 'shop-1')
    is_held(shop, checks, 'a handler fails')
    checks.equal('the way back is open', shop.may_patch({'app': 'shop-1'}), '')

    def of_each():
        notes = shop.notes('NotificationFailed')
        return all(any(pod in note for note in notes) for pod in before.pods) and notes
    notes = poll('an Event for each member', of_each, 10)
    checks.check('the Events name the exit code', all('code 1' in note for note in notes), notes)


def s5_operator_killed(checks):
    """SIGKILL half-way, and inside a slow role_upgraded: nothing runs twice, and A is held all the time."""
    with Shop('live-s5') as shop:
        before = create(shop)
        slow = role_pods(shop, 0)
        for pod in slow:
            shop.members.steer(pod, 'role_upgraded', seconds=20)
        shop.patch({'app': 'shop-2'})
        shop.wait(f'{slow[-1]} is upgraded', lambda s: is_upgraded(s, slow[-1]))
        shop.operator.crash()
        is_held(shop, checks, 'the operator is dead')
        shop.operator.start()
        killed_in_a_slow_handler(shop, checks, slow)
        shop.wait_configured('shop-2')
        for pod in before.pods:
            calls = before.since(pod)
            checks.equal(f'{pod} heard', [c.event for c in calls], FORWARD)
            checks.check(f'{pod} heard all on the first attempt', all(c.attempt in '-1' for c in calls), calls)
        others_did_not_wait(shop, checks, before, slow)
        ends_well(shop, checks)
        shop.judge(checks, ['u1_upgrade_info_until_queues_are_empty'])


def killed_in_a_slow_handler(shop, checks, slow):
    poll('role_upgraded runs in both', lambda: all(heard_of_v2(shop, pod, 'role_upgraded') for pod in slow), 60)
    count = shop.clusters.count()
    crash_and_start(shop, checks, 'while role_upgraded ran in every member of role data')
    owed = [head(shop.status(), pod).get('event') for pod in slow]
    checks.equal('both are still owed it', owed, ['role_upgraded'] * 2)
    shop.wait('the upgrade goes on', lambda s: shop.clusters.count() > count)
    is_held(shop, checks, 'the operator was started again')
    checks.equal('the way back is open', shop.may_patch({'app': 'shop-1'}), '')
    named(checks, 'the refusal of another edit', shop.may_patch({'upgrade': {'maxUnavailable': 2}}), 'in progress')


def others_did_not_wait(shop, checks, before, slow):
    """The other role's members were replaced and told while the slow handlers ran."""
    until = min(c.at for pod in slow for c in before.since(pod) if c.event == 'role_upgraded') + 20
    for pod in role_pods(shop, 1):
        at = next(c.at for c in before.since(pod) if c.event == 'pod_upgraded')
        checks.check(f'{pod} did not wait for the slow handlers', at < until, f'{at - until:.1f} s late')
    for pod in slow:
        begun, after = (next(c.at for c in before.since(pod) if c.event == event) for event in FORWARD[-2:])
        checks.check(f'{pod}: cluster_upgraded came when role_upgraded had ended', after - begun >= 20, after - begun)


def s6_no_premature_finish(checks, operator):
    """A container is killed just before spec.app is set: the upgrade is not taken for done."""
    with Shop('live-s6', operator=operator) as shop:
        before = create(shop, members=1)
        held = Container(shop.pods.objects[role_pods(shop, 0)[0]])
        held.kill()
        shop.patch({'app': 'shop-2'})
        shop.wait_configured('shop-2')
        checks.check('configured means that every pod is on B', shop.pods.wait(
            'every pod is Ready on B', lambda objects: all(is_ready(objects[pod]) and is_on_b(objects[pod])
                                                           for pod in before.pods), 2))
        for pod in before.pods:
            checks.equal(f'{pod} heard on B', [c.event for c in before.since(pod) if c.image == 'v2'], FORWARD)
        there = ['upgradeInfo' in version.get('status', {}) for version in checker.read(shop.history)]
        checks.equal('upgradeInfo came once and went once', sum(a != b for a, b in zip(there, there[1:])), 2)
        shop.judge(checks, ['u1_configured_only_when_all_is_told'])


def s7_failing_pod_upgraded(checks, operator):
    """pod_upgraded ends with code 1: the member does not count as upgraded, and its role waits for it."""
    with Shop('live-s7', operator=operator) as shop:
        before = create(shop, with_retry_limit(app('shop-2', '2.0'), 2))
        fails = role_pods(shop, 0)[-1]
        shop.members.steer(fails, 'pod_upgraded', 1)
        shop.patch({'app': 'shop-2'})
        shop.wait(f'{fails} is in config error', lambda s: members_of(s)[fails]['state'] == 'config error')
        in_config_error(shop, checks, before, fails)
        shop.members.steer(fails, 'pod_upgraded', 0)
        shop.annotate('retry', fails)
        shop.wait_configured('shop-2')
        for pod in before.pods:
            times = 3 if pod == fails else 1
            checks.equal(f'{pod} heard', before.heard(pod), FORWARD[:2] + ['pod_upgraded'] * times + FORWARD[3:])
        ends_well(shop, checks, warns=True)
        shop.judge(checks, ['u_role_upgraded_after_all_its_members', 'n5_attempts_never_fall'])


def in_config_error(shop, checks, before, fails):
    status = shop.status()
    checks.check(f'{fails} does not count as upgraded', not is_upgraded(status, fails), status)
    entry = head(status, fails)
    checks.equal('what failed', (entry['event'], entry['lastExitCode'], entry['attempts']), ('pod_upgraded', 1, 2))
    words = fails, 'pod_upgraded', 'code 1'
    named(checks, 'configErrorDetail', members_of(status)[fails]['stateDetail'].get('configErrorDetail', ''), *words)
    named(checks, 'Degraded', condition(status, 'Degraded').get('message', ''), *words)
    named(checks, 'Progressing', condition(status, 'Progressing').get('message', ''), *words)
    named(checks, 'the gate', status['roles'][0].get('waitingFor', ''), 'MaxUnavailable:', fails)
    checks.equal('only it has heard of the upgrade', before.touched(), [fails])
    is_held(shop, checks, 'a member is in config error')


def s8_image_that_cannot_be_pulled(checks, operator):
    """The reason is in status within seconds; past its deadline the upgrade is Stalled; the way back works."""
    with Shop('live-s8', operator=operator) as shop:
        b = with_container(app('shop-2', '2.0'), imagePullPolicy='IfNotPresent')
        b['spec']['defaultImageRepoTag'] = '127.0.0.1:1/none:v2'
        before = create(shop, b)
        fails = role_pods(shop, 0)[-1]
        shop.patch({'app': 'shop-2', 'upgrade': {'progressDeadlineSeconds': 8}})
        shop.wait('the reason is in status', lambda s: down_reason(s, fails).startswith(PULL_FAILS))
        soon_in_status(shop, checks, fails, lambda pod: waiting_reason(pod) in PULL_FAILS)
        shop.wait('Stalled', lambda s: s['plan']['phase'] == 'Stalled')
        stalled = condition(shop.status(), 'Progressing')
        checks.equal('Progressing', (stalled['status'], stalled['reason']), ('False', 'ProgressDeadlineExceeded'))
        named(checks, 'Progressing', stalled['message'], fails, 'ImagePull')
        named(checks, 'the Event', poll('an Event Stalled', lambda: shop.notes('Stalled'), 10)[0], fails, 'ImagePull')
        checks.equal('these heard something', before.touched(), [])
        go_back(shop, checks)
        way_back.judge(shop, checks, before)
        heard = [before.heard(pod) for pod in before.touched()]
        checks.equal('only a new set-up was heard', heard, [['start', 'configure']])


SIDE_BY_SIDE = [s1_plain, s3_failing_handler, s6_no_premature_finish, s7_failing_pod_upgraded,
                s8_image_that_cannot_be_pulled]

if __name__ == '__main__':
    CHECKS = Checks()
    CHECKS.one(s5_operator_killed)
    with Operator(os.path.join(RESULTS, 'peer', 'operator.log')) as OPERATOR:
        CHECKS.together(SIDE_BY_SIDE, OPERATOR)
    CHECKS.finish()
