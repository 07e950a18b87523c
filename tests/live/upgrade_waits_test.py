#!/usr/bin/env python3
"""An upgrade waits for a member that is down: its notifications stay queued, and upgradeInfo with them."""
import time

from lib import Checks, Container, installed_account, poll, refusal
from shop import Shop, app, cluster, is_upgraded, members_of, pods_of_role, queues

WAITING = ['role_upgraded', 'cluster_upgraded']
PASSES = 10
MUST_SEE = ['u1_upgrade_info_until_queues_are_empty', 'u1_configured_only_when_all_is_told', 'n1_new_ids_are_new',
            'n2_nothing_leaves_but_from_the_head', 'n3_order_in_a_queue', 'u_role_upgraded_after_all_its_members']


def create(shop, checks):
    shop.apply(app('shop-1', '1.0'), app('shop-2', '2.0'), app('shop-3', '3.0'), cluster(shop.members.folder))
    status = shop.wait_configured('shop-1')
    checks.measure('creation, last pod Ready to configured', f'{since(shop, "configured", "shop-1"):.2f} s')
    for pod in members_of(shop.status()):
        checks.equal(f'{pod} heard at creation', [c.event for c in shop.members.log(pod)], ['start', 'configure'])
    return status


def since(shop, state, app_name):
    """Seconds from the last pod Ready on the App's image until the Cluster was in STATE."""
    image = ':v' + app_name[-1]

    def is_there(item):
        status = item.get('status', {})
        return (status.get('state'), status.get('app')) == (state, app_name)
    return shop.clusters.first(is_there) - shop.last_ready(image)


def upgrade_with_a_frozen_member(shop, checks):
    """Freezes the first member that is upgraded; returns its pod's name and its container."""
    role = shop.status()['roles'][0]['id']
    shop.patch({'app': 'shop-2'})
    pods = pods_of_role(shop.status(), role)
    frozen = shop.wait('a first upgraded member', lambda s: next((p for p in pods if is_upgraded(s, p)), None))
    held = Container(shop.pods.objects[frozen])
    held.freeze()
    checks.check(f'{frozen} is frozen while the rest of its role is not done',
                 not all(is_upgraded(shop.status(), p) for p in pods), 'the role was done already')

    shop.wait(f'all is told but to {frozen}', lambda s: queues(s) == {frozen: WAITING}, 180)
    status = shop.status()
    checks.equal('every role is upgraded', [r.get('roleUpgradeStatus') for r in status['roles']], ['upgraded'] * 2)
    checks.equal('upgradeInfo names what is left', status.get('upgradeInfo', {}).get('prevApp'), 'shop-1')
    checks.equal('state', status['state'], 'updating')
    checks.equal('pendingNotifies', status['pendingNotifies'], 2)
    checks.equal(f'{frozen} is still counted as upgraded', is_upgraded(status, frozen), True)
    checks.check('status says why it waits', members_of(status)[frozen]['stateDetail'].get('downReason'), status)
    return frozen, held


def nothing_else_may_change(shop, checks):
    for what, edit in ('maxUnavailable', {'upgrade': {'maxUnavailable': 2}}), ('a third App', {'app': 'shop-3'}):
        text = refusal(shop.patch, edit)
        named = 'upgrade' in text and 'in progress' in text
        checks.check(f'an edit is refused, naming the upgrade: {what}', named, text)
    text = refusal(shop.kubectl, 'delete', 'apps.rolecall.dev', 'shop-1')
    checks.check('deletion of the old App is refused, naming the Cluster', 'in use by' in text and 'shop' in text, text)


def passes_change_nothing(shop, checks):
    """Each edit of an annotation is looked at in a pass of its own."""
    before, status, count = shop.operator.stats(), shop.status(), shop.clusters.count()
    for n in range(PASSES):
        passes = shop.operator.stats()['passes']
        shop.kubectl('annotate', '--overwrite', 'clusters.rolecall.dev', 'shop', f'test/pass={n}')
        poll('a pass for the edit', lambda passes=passes: shop.operator.stats()['passes'] > passes)
    after = shop.operator.stats()
    checks.check('they changed no status', all(c['status'] == status for c in shop.clusters.since(count)), 'it changed')
    checks.equal('they wrote no status', after['statusWrites'] - before['statusWrites'], 0)
    checks.equal('they sent no request', requests_between(before, after), {})
    checks.measure('tries to reach the member meanwhile', after['execs'] - before['execs'])


def requests_between(before, after):
    """Counts by verb. A watch that ran out is made again, whatever happens."""
    counts = {verb: after['requests'][verb] - before['requests'][verb] for verb in after['requests']}
    return {verb: n for verb, n in counts.items() if n and verb != 'watch'}


def check_logs(shop, checks, frozen, frozen_heard):
    for pod in members_of(shop.status()):
        log = shop.members.log(pod)
        heard = [c.event for c in log]
        upgraded = ['start', 'configure', 'start', 'configure', 'pod_upgraded']
        checks.equal(f'{pod} heard', heard, upgraded + (frozen_heard if pod == frozen else WAITING))
        ids = [int(c.id) for c in log if c.event != 'start']
        checks.check(f'{pod} heard each once', len(set(ids)) == len(ids), log)
        checks.check(f'{pod} heard all on the first attempt', all(c.attempt in '-1' for c in log), log)
    heard = {pod: {c.event: c.id for c in shop.members.log(pod)} for pod in members_of(shop.status())}
    checks.equal('cluster_upgraded has one id', len({ids['cluster_upgraded'] for ids in heard.values()}), 1)


def end(shop, checks):
    shop.wait_configured('shop-2')
    plan = shop.status().get('plan') or shop.status()['lastPlans'][0]
    checks.equal('plan', (plan['kind'], plan['phase'], plan['outcome']), ('upgrade', 'Done', 'Succeeded'))
    shop.judge(checks, MUST_SEE)
    text = delete_app(shop)
    checks.equal('the old App can be deleted', text, '')


def delete_app(shop):
    """usedBy is another object's status: it follows the Cluster's after a moment."""
    def users():
        return shop.kubectl('get', 'apps.rolecall.dev', 'shop-1', '-o', 'jsonpath={.status.usedBy[*]}')
    poll('usedBy is empty', lambda: not users())
    return refusal(shop.kubectl, 'delete', 'apps.rolecall.dev', 'shop-1', '--timeout=10s')


def print_costs(shop, checks):
    stats, (rss, anonymous) = shop.operator.stats(), shop.operator.memory()
    writes = shop.status_writes()
    checks.measure('operator RSS (aim: 13 MiB), anonymous', f'{rss / 1024:.1f} MiB, {anonymous / 1024:.1f} MiB')
    checks.measure('CPU', f'{shop.operator.cpu_seconds():.2f} s')
    checks.measure('requests', ', '.join(f'{verb} {n}' for verb, n in stats['requests'].items()))
    checks.measure('passes, execs', f'{stats["passes"]}, {stats["execs"]}')
    checks.measure('status writes', f'{stats["statusWrites"]} sent, {writes} stored')
    checks.check('RSS is at most 16 MiB', rss <= 16 * 1024, f'{rss} KiB')


def idle_costs_nothing(shop, checks):
    before = shop.operator.stats()
    time.sleep(5)  # the length of the measurement
    after = shop.operator.stats()
    checks.equal('5 s idle: requests', requests_between(before, after), {})
    checks.equal('5 s idle: passes', after['passes'] - before['passes'], 0)


def the_container_is_killed(checks):
    """The member comes back in a new container: configure goes first, then what waited, within a second."""
    with Shop('live-waits-kill') as shop:
        create(shop, checks)
        before = shop.operator.stats()['statusWrites']
        frozen, held = upgrade_with_a_frozen_member(shop, checks)
        nothing_else_may_change(shop, checks)
        passes_change_nothing(shop, checks)
        running = shop.kill(frozen, held)
        shop.wait_configured('shop-2')
        back = [c for c in shop.members.log(frozen) if c.event in ('configure', *WAITING)][-3:]
        checks.measure('from running to each call', ', '.join(f'{c} {c.at - running:.2f} s' for c in back))
        gaps = [b - a for a, b in zip([running] + [c.at for c in back], [c.at for c in back])]
        checks.check('each came within a second of running or of the one before it', max(gaps) <= 1, gaps)
        check_logs(shop, checks, frozen, ['start', 'configure', *WAITING])
        writes = (shop.operator.stats()['statusWrites'] - before) / len(members_of(shop.status()))
        checks.measure('status writes for an upgraded member (aim: 4)', f'{writes:.1f}')
        checks.check('at most 12 status writes for an upgraded member', writes <= 12, writes)
        end(shop, checks)
        idle_costs_nothing(shop, checks)
        print_costs(shop, checks)
        code, seconds = shop.operator.end()
        checks.check('SIGTERM ends it within 5 s', code == 0 and seconds <= 5, f'code {code} after {seconds:.1f} s')


def the_container_is_thawed(checks):
    """The member goes on in its old container: it still has its set-up and hears only what waited."""
    with Shop('live-waits-thaw') as shop:
        create(shop, checks)
        frozen, held = upgrade_with_a_frozen_member(shop, checks)
        held.thaw()
        shop.wait_configured('shop-2')
        check_logs(shop, checks, frozen, WAITING)
        end(shop, checks)
        upgraded = since(shop, 'configured', 'shop-2')
        checks.measure('upgrade, last pod Ready to configured (with a thaw between)', f'{upgraded:.2f} s')


def nobody_is_down(checks):
    """An upgrade with all members up, by an operator with the rights of manifests/install only."""
    with Shop('live-upgrade', installed_account()) as shop:
        create(shop, checks)
        shop.patch({'app': 'shop-2'})
        shop.wait_configured('shop-2', 180)
        check_logs(shop, checks, None, WAITING)
        checks.measure('upgrade, last pod Ready to configured', f'{since(shop, "configured", "shop-2"):.2f} s')
        end(shop, checks)
        stats = shop.operator.stats()
        checks.equal('no request failed, no Event was lost', (stats['failures'], stats['eventsLost']), (0, 0))


if __name__ == '__main__':
    Checks().run([nobody_is_down, the_container_is_killed, the_container_is_thawed])
