#!/usr/bin/env python3
"""The operator is killed (SIGKILL) at chosen points of a creation and an upgrade; what comes of them is the same (P5)."""
from lib import Checks, Container, poll
from shop import Shop, app, cluster, condition, is_upgraded, members_of, pods_of_role, queues
from upgrade_waits_test import WAITING, check_logs, end


def crash_and_start(shop, checks, where):
    shop.operator.crash()
    shop.operator.start()
    checks.measure('killed', where)


def has_heard(shop, pod, event):
    return any(call.event == event for call in shop.members.log(pod))


def while_creating(shop, checks):
    shop.members.steer('all', 'configure', seconds=2)
    shop.apply(app('shop-1', '1.0'), app('shop-2', '2.0'), app('shop-3', '3.0'), cluster(shop.members.folder))
    shop.wait('members', lambda s: len(members_of(s)) == 6)
    poll('a handler runs', lambda: any(has_heard(shop, pod, 'configure') for pod in members_of(shop.status())))
    crash_and_start(shop, checks, 'while handlers of configure ran')
    shop.wait_configured('shop-1')
    shop.members.steer('all', 'configure')
    for pod in members_of(shop.status()):
        checks.equal(f'{pod} heard at creation', [c.event for c in shop.members.log(pod)], ['start', 'configure'])


def while_an_upgrade_is_accepted(shop, checks):
    shop.patch({'app': 'shop-2'})
    shop.wait('upgradeInfo', lambda s: 'upgradeInfo' in s)
    crash_and_start(shop, checks, 'when upgradeInfo was just written')


def while_a_handler_runs(shop, checks, pod):
    shop.wait(f'pod_upgraded stands in the queue of {pod}', lambda s: 'pod_upgraded' in queues(s).get(pod, []))
    poll(f'the handler of {pod} runs', lambda: has_heard(shop, pod, 'pod_upgraded'))
    shop.operator.crash()
    checks.check('the handler has not ended yet', not is_upgraded(shop.status(), pod), 'it has')
    shop.operator.start()
    checks.measure('killed', 'while the handler of pod_upgraded ran')


def while_a_role_is_told(shop, checks, pod):
    """Returns the container that is down from here on."""
    shop.wait('role_upgraded stands in queues', lambda s: any('role_upgraded' in q for q in queues(s).values()), 120)
    crash_and_start(shop, checks, 'when role_upgraded was just queued')
    held = Container(shop.pods.objects[pod])
    held.freeze()
    return held


def while_all_waits(shop, checks, pod, held):
    shop.wait(f'all is told but to {pod}', lambda s: set(queues(s)) == {pod} and queues(s)[pod][-1] == WAITING[-1], 180)
    waited = queues(shop.status())[pod]
    shop.operator.crash()
    held.thaw()
    shop.operator.start()
    checks.measure('killed', f'while {pod} was down with {waited}; it came back without an operator')


def five_times(checks):
    """Killed five times on the way; each handler still runs once for each notification."""
    with Shop('live-killed') as shop:
        while_creating(shop, checks)
        pods = pods_of_role(shop.status(), shop.status()['roles'][0]['id'])
        slow = max(pods)  # the highest index goes first
        shop.members.steer(slow, 'pod_upgraded', seconds=3)
        while_an_upgrade_is_accepted(shop, checks)
        while_a_handler_runs(shop, checks, slow)
        held = while_a_role_is_told(shop, checks, slow)
        while_all_waits(shop, checks, slow, held)
        shop.wait_configured('shop-2')
        check_logs(shop, checks, slow, WAITING)
        end(shop, checks)


def handlers_that_fail(checks):
    """A failed handler is run again as another attempt, also by an operator that was killed between."""
    with Shop('live-attempts') as shop:
        shop.members.steer('all', 'configure', 3)
        shop.apply(app('shop-1', '1.0', roles=['web']), cluster(shop.members.folder, roles=['web'], members=1))
        pod = shop.wait('a member', lambda s: next(iter(members_of(s)), None))

        def attempts(status):
            queue = members_of(status).get(pod, {}).get('stateDetail', {}).get('pendingNotifyCmds', [])
            return queue[0].get('attempts', 0) if queue else 0
        shop.wait('a failed attempt is recorded', lambda s: attempts(s) >= 1)
        entry = members_of(shop.status())[pod]['stateDetail']['pendingNotifyCmds'][0]
        checks.equal('its exit code is recorded', entry.get('lastExitCode'), 3)
        crash_and_start(shop, checks, 'between two attempts')
        shop.members.steer('all', 'configure', 0)
        shop.wait_configured('shop-1')
        calls = [c for c in shop.members.log(pod) if c.event == 'configure']
        checks.equal('attempts count from 1 without a gap', [c.attempt for c in calls],
                     [str(n + 1) for n in range(len(calls))])
        checks.equal('they are of one notification', len({c.id for c in calls}), 1)
        checks.equal('Ready', condition(shop.status(), 'Ready').get('status'), 'True')
        shop.judge(checks, ['n5_attempts_never_fall'])


if __name__ == '__main__':
    Checks().run([five_times, handlers_that_fail])
