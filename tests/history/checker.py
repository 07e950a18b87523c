#!/usr/bin/env python3
"""Judges the recorded history of Clusters: every version that the API server ever stored, in order.

checker.py FILE...   each a watch saved as JSON lines ({"type": ..., "object": ...}); prints what breaks a rule, then
how often each rule was really put to the test, then "versions N, violations N". Exit code 1 when there are violations.

A rule is a function of two versions that follow each other (the first is judged against an empty status). It yields a
text for each violation and calls seen() whenever it had something to judge, so that a history in which nothing happened
is not taken for a good one.
"""
import collections
import json
import sys

UPGRADED_EVENTS = {'pod_upgraded', 'role_upgraded', 'cluster_upgraded'}
# Of the trace of what reached a member, what each of these needs (any of them).
REVERTED_EVENTS = {'pod_reverted': ('containerRan',), 'role_reverted': ('roleTold',),
                   'cluster_reverted': ('containerRan', 'roleTold', 'clusterTold')}
UPGRADE_EVENTS = UPGRADED_EVENTS | set(REVERTED_EVENTS)


class Version:
    """What the rules read of one stored Cluster."""

    def __init__(self, cluster):
        self.spec = cluster['spec']
        self.status = status = cluster.get('status', {})
        self.name = cluster['metadata']['name']
        self.uid = cluster['metadata'].get('uid', self.name)
        self.version = cluster['metadata'].get('resourceVersion', '?')
        self.roles = status.get('roles', [])
        self.members = {m['pod']: m for r in self.roles for m in r.get('members', [])}
        self.queues = {pod: m.get('stateDetail', {}).get('pendingNotifyCmds', []) for pod, m in self.members.items()}
        self.upgrade = status.get('upgradeInfo')
        self.last_id = status.get('lastNotifyID', 0)
        self.rolling_back = bool(self.upgrade and self.upgrade.get('isRollingBack'))

    def ids(self, pod):
        return [entry['id'] for entry in self.queues.get(pod, [])]

    def added(self, old):
        """(pod, entry) of what was not in the queue of that pod before."""
        return [(pod, entry) for pod, queue in self.queues.items() for entry in queue if entry['id'] not in old.ids(pod)]

    def trace(self, pod):
        """What of the upgrade has reached the member."""
        return {mark for mark, is_so in self.members[pod].get('upgradeTrace', {}).items() if is_so}

    def events(self):
        """id -> event of everything that stands in a queue."""
        return {entry['id']: entry['event'] for queue in self.queues.values() for entry in queue}


def u1_upgrade_info_until_queues_are_empty(old, new, seen):
    if old.upgrade and not new.upgrade:
        seen()
        for pod in new.queues:
            if new.ids(pod):
                yield f'upgradeInfo was removed while the queue of {pod} holds {new.ids(pod)}'
        for pod, member in new.members.items():
            if member.get('podUpgradeStatus') in ('upgrading', 'rollingBack'):
                yield f'upgradeInfo was removed while {pod} is {member["podUpgradeStatus"]}'


def u1_upgrade_events_only_with_upgrade_info(old, new, seen):
    upgrade_ids = [i for i, event in new.events().items() if event in UPGRADE_EVENTS]
    if upgrade_ids:
        seen()
        if not new.upgrade:
            yield f'no upgradeInfo, but {upgrade_ids} are queued'


def u1_upgrade_info_is_constant(old, new, seen):
    if old.upgrade and new.upgrade:
        seen()
        for field in 'prevApp', 'toApp', 'startedAt':
            if old.upgrade.get(field) != new.upgrade.get(field):
                yield f'upgradeInfo.{field} changed from {old.upgrade.get(field)} to {new.upgrade.get(field)}'


def u1_configured_only_when_all_is_told(old, new, seen):
    if new.status.get('state') == 'configured':
        seen()
        waiting = {pod: new.ids(pod) for pod in new.queues if new.ids(pod)}
        if waiting:
            yield f'state is configured, but queued are {waiting}'
        if new.upgrade:
            yield 'state is configured, but upgradeInfo is there'
        if new.status.get('plan', {}).get('phase') == 'Running':
            yield 'state is configured, but a plan is Running'
        for pod, member in new.members.items():
            if member.get('state') != 'configured':
                yield f'state is configured, but {pod} is {member.get("state")}'


def n1_ids_never_fall(old, new, seen):
    if new.last_id > old.last_id:
        seen()
    if new.last_id < old.last_id:
        yield f'lastNotifyID fell from {old.last_id} to {new.last_id}'


def n1_new_ids_are_new(old, new, seen):
    before = old.events()
    for i, event in new.events().items():
        if i not in before:
            seen()
            if not old.last_id < i <= new.last_id:
                yield f'{event} {i} is queued, but lastNotifyID went from {old.last_id} to {new.last_id}'
        elif before[i] != event:
            yield f'{i} was {before[i]} and is {event}'


def n1_each_event_is_stored_once(old, new, seen):
    stored = [(n['id'], n['event']) for n in new.status.get('notifications', [])]
    queued = {(entry['id'], entry['event']) for queue in new.queues.values() for entry in queue}
    if stored or queued:
        seen()
    if len(stored) != len(set(i for i, _ in stored)):
        yield f'notifications holds an id twice: {stored}'
    if set(stored) != queued:
        yield f'notifications holds {sorted(stored)}, the queues hold {sorted(queued)}'


def n2_nothing_leaves_but_from_the_head(old, new, seen):
    for pod, queue in old.queues.items():
        if not queue:
            continue
        if pod not in new.members:
            yield f'{pod} is gone and with it {old.ids(pod)}'
            continue
        left = [i for i in old.ids(pod) if i not in new.ids(pod)]
        if left:
            seen()
            if left != old.ids(pod)[:len(left)] and not new.rolling_back:
                yield f'{left} left the queue of {pod}, but not from the head of {old.ids(pod)}'
            if len(left) > 1 and not new.rolling_back:
                yield f'{left} left the queue of {pod} at once'


def n3_order_in_a_queue(old, new, seen):
    for pod, queue in new.queues.items():
        if len(queue) > 1:
            seen()
        rest = queue[1:] if queue and queue[0]['event'] == 'configure' else queue
        ids = [entry['id'] for entry in rest]
        if any(a >= b for a, b in zip(ids, ids[1:])):
            yield f'the queue of {pod} is not in order: {new.ids(pod)}'


def n3_new_entries_go_to_the_tail(old, new, seen):
    for pod in new.queues:
        kept = [i for i in new.ids(pod) if i in old.ids(pod)]
        if not kept:
            continue
        added = [entry for entry in new.queues[pod] if entry['id'] not in old.ids(pod)]
        if added:
            seen()
        if added and new.queues[pod][0] is added[0] and added[0]['event'] == 'configure':
            added = added[1:]
        tail = new.queues[pod][len(new.queues[pod]) - len(added):]
        if added != tail:
            yield f'the queue of {pod} went from {old.ids(pod)} to {new.ids(pod)}'
        if [i for i in old.ids(pod) if i in kept] != kept:
            yield f'the queue of {pod} changed its order from {old.ids(pod)} to {new.ids(pod)}'


def n5_attempts_never_fall(old, new, seen):
    for pod, queue in new.queues.items():
        before = {entry['id']: entry.get('attempts', 0) for entry in old.queues.get(pod, [])}
        for entry in queue:
            attempts = entry.get('attempts', 0)
            if attempts > before.get(entry['id'], 0):
                seen()
            if attempts < before.get(entry['id'], 0):
                yield f'attempts of {entry["id"]} in {pod} fell from {before[entry["id"]]} to {attempts}'


def u_role_upgraded_after_all_its_members(old, new, seen):
    before = old.events()
    for notification in new.status.get('notifications', []):
        event, about = notification['event'], notification.get('role')
        if notification['id'] in before or event not in ('role_upgraded', 'cluster_upgraded'):
            continue
        seen()
        for role in new.roles:
            if event == 'role_upgraded' and role['id'] != about:
                continue
            for member in role.get('members', []):
                if member.get('podUpgradeStatus') != 'upgraded' and not member.get('givenUp'):
                    yield f'{event} {notification["id"]} is queued, but {member["pod"]} is not upgraded'


def u3_nothing_is_announced_as_upgraded(old, new, seen):
    if not new.rolling_back:
        return
    seen()
    for pod, entry in new.added(old):
        if entry['event'] in UPGRADED_EVENTS:
            yield f'{entry["event"]} {entry["id"]} is queued for {pod} in a rollback'
    for pod, member in new.members.items():
        if member.get('podUpgradeStatus') == 'upgraded' != old.members.get(pod, {}).get('podUpgradeStatus'):
            yield f'{pod} became upgraded in a rollback'
    before = {role['id']: role.get('roleUpgradeStatus') for role in old.roles}
    for role in new.roles:
        if role.get('roleUpgradeStatus') == 'upgraded' != before.get(role['id']):
            yield f'role {role["id"]} became upgraded in a rollback'


def u3_a_rollback_goes_to_its_end(old, new, seen):
    if new.rolling_back and new.status.get('app') != new.upgrade.get('prevApp'):
        yield f'a rollback to {new.upgrade.get("prevApp")} has the app {new.status.get("app")}'
    if not old.rolling_back:
        return
    seen()
    if new.upgrade and not new.rolling_back:
        yield 'a rollback was turned round'
    if not new.upgrade and new.status.get('app') != old.upgrade.get('prevApp'):
        yield f'a rollback to {old.upgrade.get("prevApp")} ended on {new.status.get("app")}'


def u3_reverted_is_for_whom_it_reached(old, new, seen):
    for pod, entry in new.added(old):
        needed = REVERTED_EVENTS.get(entry['event'])
        if not needed:
            continue
        seen()
        if not new.rolling_back:
            yield f'{entry["event"]} {entry["id"]} is queued for {pod} without a rollback'
        if not new.trace(pod).intersection(needed):
            yield f'{entry["event"]} {entry["id"]} is queued for {pod}, whose trace is {sorted(new.trace(pod))}'


def u3_a_trace_stays(old, new, seen):
    if not old.upgrade or not new.upgrade:
        return
    for pod in new.members:
        lost = old.trace(pod) - new.trace(pod) if pod in old.members else set()
        if new.trace(pod):
            seen()
        if lost:
            yield f'the trace of {pod} lost {sorted(lost)}'


def u3_only_upgraded_is_withdrawn(old, new, seen):
    for pod, queue in old.queues.items():
        if not new.rolling_back or pod not in new.members or new.members[pod].get('givenUp'):
            continue
        left = [entry for entry in queue if entry['id'] not in new.ids(pod)]
        beyond = [entry for entry in left if entry is not queue[0]]
        if beyond:
            seen()
        for entry in beyond:
            if entry['event'] not in UPGRADED_EVENTS:
                yield f'{entry["event"]} {entry["id"]} left the queue of {pod} from behind its head'


def counts_agree(old, new, seen):
    if 'pendingNotifies' in new.status:
        seen()
        total = sum(len(queue) for queue in new.queues.values())
        if new.status['pendingNotifies'] != total:
            yield f'pendingNotifies is {new.status["pendingNotifies"]}, the queues hold {total}'


def p1_outcome_of_a_plan(old, new, seen):
    for plan in [new.status.get('plan'), *new.status.get('lastPlans', [])]:
        if not plan:
            continue
        last = (plan.get('steps') or [{}])[-1]
        if plan.get('phase') == 'Running' and 'outcome' in plan:
            yield f'plan {plan.get("id")} runs and has the outcome {plan["outcome"]}'
        if plan.get('phase') == 'Done':
            seen()
            if 'outcome' not in plan:
                yield f'plan {plan.get("id")} is Done without an outcome'
            if last.get('name') != 'plan-completed':
                yield f'plan {plan.get("id")} is Done, but its last step is {last.get("name")}'
            if (plan.get('outcome') == 'Succeeded') != (last.get('status') == 'Done'):
                yield f'plan {plan.get("id")} is {plan.get("outcome")}, but its last step is {last.get("status")}'


def observed_generation_never_falls(old, new, seen):
    before, now = (v.status.get('observedGeneration', 0) for v in (old, new))
    if now > before:
        seen()
    if now < before:
        yield f'observedGeneration fell from {before} to {now}'


RULES = [
    u1_upgrade_info_until_queues_are_empty, u1_upgrade_events_only_with_upgrade_info, u1_upgrade_info_is_constant,
    u1_configured_only_when_all_is_told, n1_ids_never_fall, n1_new_ids_are_new, n1_each_event_is_stored_once,
    n2_nothing_leaves_but_from_the_head, n3_order_in_a_queue, n3_new_entries_go_to_the_tail, n5_attempts_never_fall,
    u_role_upgraded_after_all_its_members, u3_nothing_is_announced_as_upgraded, u3_a_rollback_goes_to_its_end,
    u3_reverted_is_for_whom_it_reached, u3_a_trace_stays, u3_only_upgraded_is_withdrawn, counts_agree, p1_outcome_of_a_plan, observed_generation_never_falls,
]


class Report:
    def __init__(self):
        self.versions = 0
        self.violations = []
        self.situations = collections.Counter({rule.__name__: 0 for rule in RULES})


def check(clusters):
    """Judges Clusters in the order in which they were stored; histories of several may be mixed."""
    report, newest = Report(), {}
    for cluster in clusters:
        new = Version(cluster)
        old = newest.get(new.uid)
        if old is not None and old.version == new.version:
            continue  # a watch that was started again shows the same version
        old = old or Version({'spec': new.spec, 'metadata': cluster['metadata']})
        newest[new.uid] = new
        report.versions += 1
        for rule in RULES:
            def seen(name=rule.__name__):
                report.situations[name] += 1
            for text in rule(old, new, seen):
                report.violations.append(f'{rule.__name__}: {new.name} at {new.version}: {text}')
    return report


def read(path):
    """The Clusters of a watch saved as JSON lines. A last line that was cut is left out."""
    with open(path) as file:
        for line in file:
            if not line.endswith('\n'):
                return
            event = json.loads(line)
            if event['type'] in ('ADDED', 'MODIFIED') and event['object'].get('kind') == 'Cluster':
                yield event['object']


def main():
    report = check(cluster for path in sys.argv[1:] for cluster in read(path))
    for violation in report.violations:
        print(violation)
    for name, count in report.situations.items():
        print(f'{count:6} {name}')
    print(f'versions {report.versions}, violations {len(report.violations)}')
    return 1 if report.violations else 0


if __name__ == '__main__':
    sys.exit(main())
