#!/usr/bin/env python3
"""Tests of the history checker: a good history with none, and for every rule a bad one with exactly its violation."""
import copy
import json
import os
import tempfile

import checker


def entry(i, event='role_upgraded', **more):
    return {'id': i, 'event': event, **more}


def status(queue=(), other=(), last_id=0, upgrade=True, member='upgraded', **more):
    """Of a cluster with one role of two members, whose queues are given."""
    queues = list(queue), list(other)
    stored = {e['id']: e['event'] for q in queues for e in q}
    members = [{'pod': f'shop-web-{n}', 'state': 'configured', **({'podUpgradeStatus': member} if upgrade else {}),
                'stateDetail': {'pendingNotifyCmds': q}} for n, q in enumerate(queues)]
    result = {
        'state': 'updating' if upgrade or stored else 'configured', 'app': 'v2', 'lastNotifyID': last_id,
        'pendingNotifies': sum(map(len, queues)), 'roles': [{'id': 'web', 'members': members}],
        'notifications': [{'id': i, 'event': event, 'role': 'web'} for i, event in stored.items()],
    }
    if upgrade:
        result['upgradeInfo'] = {'prevApp': 'v1', 'startedAt': '2026-01-01T00:00:00Z'}
    return {**result, **more}


def history(*statuses):
    return [{'kind': 'Cluster', 'metadata': {'name': 'shop', 'uid': 'u', 'resourceVersion': str(n)},
             'spec': {'app': 'v2', 'roles': []}, 'status': s} for n, s in enumerate(statuses)]


def plan(phase, last_status, outcome=None, last='plan-completed'):
    done = {'outcome': outcome} if outcome else {}
    return {'plan': {'id': 1, 'phase': phase, 'steps': [{'name': last, 'status': last_status}], **done}}


def broken(change, *statuses):
    """A history whose last status is changed by hand."""
    versions = copy.deepcopy(history(*statuses))
    change(versions[-1]['status'])
    return versions


def move_upgrade_start(s):
    s['upgradeInfo']['startedAt'] = '2026-01-02T00:00:00Z'


def back(queue=(), other=(), last_id=0, trace=({}, {}), **more):
    """As status(), on the way back; TRACE is the members'."""
    more = {'member': 'rollingBack', 'app': 'v1', **more}
    result = status(queue, other, last_id, **more)
    result['upgradeInfo']['isRollingBack'] = True
    for member, marks in zip(result['roles'][0]['members'], trace):
        member['upgradeTrace'] = marks
    return result


def becomes_upgraded(s):
    s['roles'][0]['roleUpgradeStatus'] = 'upgraded'


def turn_round(s):
    del s['upgradeInfo']['isRollingBack']


def move_prev_app(s):
    s['upgradeInfo']['prevApp'] = s['app'] = 'v0'


IDLE = status(upgrade=False)
ROLE, CLUSTER, SET_UP = entry(1), entry(2, 'cluster_upgraded'), entry(3, 'configure')
POD_BACK, ROLE_BACK, CLUSTER_BACK = entry(4, 'pod_reverted'), entry(5, 'role_reverted'), entry(6, 'cluster_reverted')
RAN, TOLD = {'containerRan': True}, {'containerRan': True, 'roleTold': True}

GOOD = [
    ('a whole upgrade', history(
        IDLE, status(member='upgrading'), status([ROLE], [ROLE], 1), status([ROLE, CLUSTER], [ROLE, CLUSTER], 2),
        status([ROLE, CLUSTER], [CLUSTER], 2), status([ROLE, CLUSTER], [], 2), status([CLUSTER], [], 2),
        status([], [], 2, upgrade=False, **plan('Done', 'Done', 'Succeeded')))),
    ('a configure before what waits', history(
        status([ROLE, CLUSTER], [], 2), status([SET_UP, ROLE, CLUSTER], [], 3), status([ROLE, CLUSTER], [], 3))),
    ('a head leaves while another is added', history(status([ROLE], [], 1), status([CLUSTER], [CLUSTER], 2))),
    ('failed attempts', history(
        status([entry(1, attempts=1)], [], 1), status([entry(1, attempts=2)], [], 1), status([], [], 1))),
    ('a rollback withdraws from anywhere', history(status([ROLE, CLUSTER], [], 2), back([ROLE], [], 2))),
    ('a whole rollback', history(
        status([ROLE, CLUSTER], [], 2), back([ROLE], [], 2, (TOLD, RAN)), back([POD_BACK], [POD_BACK], 4, (TOLD, RAN)),
        back([ROLE_BACK], [], 5, (TOLD, RAN), member='rolledBack'),
        back([CLUSTER_BACK], [CLUSTER_BACK], 6, (TOLD, RAN), member='rolledBack'),
        back([CLUSTER_BACK], [], 6, (TOLD, RAN), member='rolledBack'),
        status([], [], 6, upgrade=False, app='v1', **plan('Done', 'Done', 'Succeeded')))),
    ('who was upgraded stays that until its turn back', history(status(), back(member='upgraded'), back())),
    ('a rollback adds a set-up', history(back([POD_BACK], [], 4, (RAN, {})), back([entry(7, 'configure'), POD_BACK], [], 7, (RAN, {})))),
    ('the same version twice', history(status([ROLE], [], 1)) * 2),
]

BAD = [
    ('u1_upgrade_info_until_queues_are_empty', history(
        status([entry(1, 'configure')], [], 1), status([entry(1, 'configure')], [], 1, upgrade=False, state='updating'))),
    ('u1_upgrade_info_until_queues_are_empty', broken(
        lambda s: s['roles'][0]['members'][0].update(podUpgradeStatus='upgrading'),
        status(member='upgrading'), status(upgrade=False, state='updating'))),
    ('u1_upgrade_events_only_with_upgrade_info', history(status([ROLE], [], 1, upgrade=False, state='updating'))),
    ('u1_upgrade_info_is_constant', broken(move_upgrade_start, status(), status())),
    ('u1_upgrade_info_is_constant', broken(move_prev_app, back(), back())),
    ('u1_upgrade_info_until_queues_are_empty', history(back([POD_BACK], [], 4, (RAN, {})), status(
        [POD_BACK], [], 4, upgrade=False, app='v1', state='updating'))),
    ('u1_upgrade_info_until_queues_are_empty', broken(
        lambda s: s['roles'][0]['members'][0].update(podUpgradeStatus='rollingBack'),
        back(), status(upgrade=False, app='v1', state='updating'))),
    ('u3_nothing_is_announced_as_upgraded', history(status(), back([entry(1, 'pod_upgraded')], [], 1))),
    ('u3_nothing_is_announced_as_upgraded', history(back(member='upgraded'), back([ROLE], [], 1, member='upgraded'))),
    ('u3_nothing_is_announced_as_upgraded', history(back(member='upgraded'), back([CLUSTER], [], 2, member='upgraded'))),
    ('u3_nothing_is_announced_as_upgraded', history(back([ROLE], [], 1, member='upgraded'), back([ROLE], [ROLE], 1, member='upgraded'))),
    ('u3_nothing_is_announced_as_upgraded', history(status(member='upgrading'), back(member='upgraded'))),
    ('u3_nothing_is_announced_as_upgraded', history(back(member='rollingBack'), back(member='upgraded'))),
    ('u3_nothing_is_announced_as_upgraded', broken(becomes_upgraded, status(), back())),
    ('u3_a_rollback_goes_to_its_end', broken(turn_round, back(), back())),
    ('u3_a_rollback_goes_to_its_end', history(back(), status())),
    ('u3_a_rollback_goes_to_its_end', history(back(), status(upgrade=False, app='v2'))),
    ('u3_a_rollback_goes_to_its_end', history(status(), back(app='v2'))),
    ('u3_reverted_is_for_whom_it_reached', broken(turn_round, status(), back([ROLE_BACK], [], 5, (TOLD, TOLD)))),
    ('u3_reverted_is_for_whom_it_reached', history(back(), back([POD_BACK], [], 4))),
    ('u3_reverted_is_for_whom_it_reached', history(back(), back([POD_BACK], [], 4, ({'roleTold': True}, RAN)))),
    ('u3_reverted_is_for_whom_it_reached', history(back(), back([ROLE_BACK], [], 5, (RAN, TOLD)))),
    ('u3_reverted_is_for_whom_it_reached', history(back(), back([CLUSTER_BACK], [], 6, ({'roleTold': False}, RAN)))),
    ('u3_a_trace_stays', history(back(trace=(TOLD, RAN)), back(trace=(RAN, RAN)))),
    ('u3_a_trace_stays', history(back(trace=(TOLD, RAN)), back(trace=(TOLD, {})))),
    ('u3_only_upgraded_is_withdrawn', history(
        back([POD_BACK, ROLE_BACK], [], 5, (TOLD, {})), back([POD_BACK], [], 5, (TOLD, {})))),
    ('u3_only_upgraded_is_withdrawn', history(
        back([POD_BACK, ROLE_BACK], [], 5, (TOLD, {})), back([], [], 5, (TOLD, {})))),
    ('u1_configured_only_when_all_is_told', history(status([ROLE], [], 1, state='configured'))),
    ('u1_configured_only_when_all_is_told', history(status(state='configured'))),
    ('u1_configured_only_when_all_is_told', history(status(upgrade=False, **plan('Running', 'Running')))),
    ('n1_ids_never_fall', history(status(last_id=2), status(last_id=1))),
    ('n1_new_ids_are_new', history(status(last_id=2), status([ROLE], [], 2))),
    ('n1_new_ids_are_new', history(status([ROLE], [], 0))),
    ('n1_new_ids_are_new', history(status([ROLE], [], 1), status([entry(1, 'cluster_upgraded')], [], 1))),
    ('n1_each_event_is_stored_once', broken(lambda s: s['notifications'].clear(), status([ROLE], [], 1))),
    ('n1_each_event_is_stored_once', broken(
        lambda s: s['notifications'].append({'id': 1, 'event': 'role_upgraded'}), status([ROLE], [], 1))),
    ('n2_nothing_leaves_but_from_the_head', history(status([ROLE, CLUSTER], [], 2), status([ROLE], [], 2))),
    ('n2_nothing_leaves_but_from_the_head', history(status([ROLE, CLUSTER], [], 2), status([], [], 2))),
    ('n2_nothing_leaves_but_from_the_head', broken(
        lambda s: s['roles'][0]['members'].pop(0), status([ROLE], [], 1), status([], [], 1))),
    ('n3_order_in_a_queue', history(status([CLUSTER, ROLE], [], 2))),
    ('n3_order_in_a_queue', history(status([ROLE, SET_UP, CLUSTER], [], 3))),
    ('n3_new_entries_go_to_the_tail', history(
        status([CLUSTER], [], 2), status([entry(3), CLUSTER], [], 3))),
    ('n5_attempts_never_fall', history(status([entry(1, attempts=2)], [], 1), status([entry(1, attempts=1)], [], 1))),
    ('u_role_upgraded_after_all_its_members', history(status(), status([ROLE], [ROLE], 1, member='upgrading'))),
    ('counts_agree', history(status([ROLE], [], 1, pendingNotifies=0))),
    ('p1_outcome_of_a_plan', history(status(**plan('Running', 'Done', 'Succeeded')))),
    ('p1_outcome_of_a_plan', history(status(**plan('Done', 'Done')))),
    ('p1_outcome_of_a_plan', history(status(**plan('Done', 'Failed', 'Succeeded')))),
    ('p1_outcome_of_a_plan', history(status(**plan('Done', 'Done', 'Succeeded', last='roles')))),
    ('observed_generation_never_falls', history(status(observedGeneration=2), status(observedGeneration=1))),
]


def good_histories():
    for name, versions in GOOD:
        yield name, checker.check(versions).violations == []


def bad_histories():
    for rule, versions in BAD:
        broken_rules = {text.split(':')[0] for text in checker.check(versions).violations}
        yield f'{rule} is found', rule in broken_rules
        yield f'{rule} alone or with what follows from it', len(broken_rules) <= 2


def every_rule_is_tested():
    tested = {rule for rule, _ in BAD}
    for rule in checker.RULES:
        yield f'{rule.__name__} has a bad history', rule.__name__ in tested


def situations_are_counted():
    situations = checker.check(GOOD[0][1]).situations
    yield 'an upgrade ends once', situations['u1_upgrade_info_until_queues_are_empty'] == 1
    yield 'two notifications are new', situations['n1_new_ids_are_new'] == 2
    yield 'four entries leave', situations['n2_nothing_leaves_but_from_the_head'] == 4
    rollback = checker.check(dict(GOOD)['a whole rollback']).situations
    yield 'five versions are of a rollback', rollback['u3_nothing_is_announced_as_upgraded'] == 5
    yield 'five follow one that is', rollback['u3_a_rollback_goes_to_its_end'] == 5
    yield 'five notifications of a way back are new', rollback['u3_reverted_is_for_whom_it_reached'] == 5
    yield 'two members have a trace in five versions', rollback['u3_a_trace_stays'] == 10
    yield 'one notification is withdrawn', rollback['u3_only_upgraded_is_withdrawn'] == 1
    yield 'an idle cluster tests no queue', checker.check(history(IDLE)).situations['n3_order_in_a_queue'] == 0


def files_are_read():
    lines = [json.dumps({'type': 'MODIFIED', 'object': cluster}) for cluster in history(IDLE, IDLE)]
    lines.insert(1, json.dumps({'type': 'BOOKMARK', 'object': {'kind': 'Cluster', 'metadata': {}}}))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'history')
        with open(path, 'w') as file:
            file.write('\n'.join(lines) + '\n{"type": "MODIF')
        yield 'bookmarks and a line that was cut are left out', len(list(checker.read(path))) == 2


def main():
    passed = failed = 0
    for group in good_histories, bad_histories, every_rule_is_tested, situations_are_counted, files_are_read:
        for name, holds in group():
            passed, failed = passed + holds, failed + (not holds)
            if not holds:
                print(f'FAIL {group.__name__}: {name}')
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    raise SystemExit(main())
