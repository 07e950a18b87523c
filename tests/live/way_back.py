"""Judges a rollback by the members' own logs: who heard what is exactly U3, and everything is as it was before."""
from lib import is_ready, poll
from shop import checker, condition, members_of

NOT_LATER = 1.0  # a handler that was asked for just before the rollback was recorded may begin so much after it


def owed(calls, was_sent=()):
    """U3: what a member that heard these calls of the upgrade, or was sent these events, must hear of the way back."""
    heard = [call.event for call in calls] + list(was_sent)
    ran = any(call.event == 'start' and call.image == 'v2' for call in calls)
    reverted = ['pod_reverted'] if ran else []
    if 'role_upgraded' in heard:
        reverted += ['role_reverted']
    if reverted or 'cluster_upgraded' in heard:
        reverted += ['cluster_reverted']
    return reverted


def twice(calls):
    """Runs that one container was asked for twice."""
    seen, again = set(), []
    for call in calls:
        if call.event == 'start':
            seen = set()
        elif (call.id, call.attempt) in seen:
            again.append(call)
        seen.add((call.id, call.attempt))
    return again


def turning(cluster):
    return cluster.get('status', {}).get('upgradeInfo', {}).get('isRollingBack')


def sent_at_the_turn(shop, pod):
    """A call that was under way when the rollback was recorded counts as sent (README, limits); its handler may never run."""
    first = next((c for c in shop.clusters.since(0) if turning(c)), {})
    trace = members_of(first.get('status', {})).get(pod, {}).get('upgradeTrace', {})
    return ['role_upgraded'] if trace.get('roleTold') else []


def check_member(checks, before, pod, turned):
    calls = before.since(pod)
    reverted = [c for c in calls if c.event.endswith('_reverted')]
    heard = [c.event for c in calls]
    checks.equal(f'{pod} heard {heard}, so of the way back', [c.event for c in reverted],
                 owed(calls, sent_at_the_turn(before.shop, pod)))
    late = [c for c in calls if c.event.endswith('_upgraded') and c.at > turned + NOT_LATER]
    checks.check(f'{pod} heard of no upgrade once the rollback was recorded', not late, late)
    checks.check(f'{pod} heard all of it on A', all(c.image == 'v1' for c in reverted), [c.image for c in reverted])
    checks.check(f'{pod} heard nothing twice in one container', not twice(calls), calls)
    log = before.shop.members.log(pod)
    last = max(n for n, c in enumerate(log) if c.event == 'start')
    checks.equal(f'{pod} has A\'s image and A\'s set-up, and the set-up came first',
                 [(c.event, c.image) for c in log[last:last + 2]], [('start', 'v1'), ('configure', 'v1')])


def check_order(checks, before):
    """cluster_reverted has one id, and came after every member's pod_reverted."""
    calls = [call for pod in before.pods for call in before.since(pod)]
    ends = [c for c in calls if c.event == 'cluster_reverted']
    begun = [c.at for c in calls if c.event == 'pod_reverted']
    checks.check('cluster_reverted has one id', len({c.id for c in ends}) <= 1, ends)
    checks.check('cluster_reverted came after each pod_reverted',
                 not ends or not begun or min(c.at for c in ends) >= max(begun), (begun, [c.at for c in ends]))


def check_pods(shop, checks, before):
    """Every pod is on A; one that never left it is the very same."""
    def all_on_a(objects):
        return all(pod in objects and is_ready(objects[pod]) and
                   objects[pod]['spec']['containers'][0]['image'].endswith(':v1') for pod in before.pods)
    checks.check('every pod is Ready on A', shop.pods.wait('every pod is Ready on A', all_on_a, 5))
    left = {pod for version in checker.read(shop.history)
            for pod, member in members_of(version.get('status', {})).items() if member.get('podUpgradeStatus')}
    replaced = [pod for pod in before.pods
                if pod not in left and shop.pods.objects[pod]['metadata']['uid'] != before.uids[pod]]
    checks.equal('of those that never left A, these were replaced', replaced, [])


def check_status(shop, checks):
    status = shop.status()
    checks.equal('status.app', status['app'], 'shop-1')
    checks.equal('Ready', condition(status, 'Ready')['status'], 'True')
    plans = [(p['kind'], p['outcome'], p['reason']) for p in status['lastPlans'][:2]]
    checks.equal('plans', plans, [('rollback', 'Succeeded', 'RolledBack'), ('upgrade', 'Failed', 'RolledBack')])
    left = [pod for pod, m in members_of(status).items() if 'podUpgradeStatus' in m or 'upgradeTrace' in m]
    checks.equal('members with something of the upgrade in status', left, [])


def is_free(shop):
    return not shop.kubectl('get', 'apps.rolecall.dev', 'shop-2', '-o', 'jsonpath={.status.usedBy[*]}')


def judge(shop, checks, before, must_see=(), still_asked_for=False):
    """The Cluster is configured on A again: was all of the way back right?"""
    check_status(shop, checks)
    check_pods(shop, checks, before)
    turned = shop.clusters.first(turning)
    for pod in before.pods:
        check_member(checks, before, pod, turned)
    check_order(checks, before)
    shop.judge(checks, must_see)
    still_asked_for or poll('the App that was left is held no more', lambda: is_free(shop), 5)
