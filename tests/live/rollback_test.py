#!/usr/bin/env python3
"""The way back from eight points of an upgrade: it ends on App A, and who hears what of it is exactly U3."""
import os

import way_back
from lib import RESULTS, Checks, Container, Operator, container, poll
from shop import Shop, head, is_upgraded, members_of, queues
from upgrades import create, go_back, heard_of_v2, is_held, is_on_b, role_pods


def before_anything_is_deleted(checks, operator):
    """The upgrade is accepted, but paused: nobody hears a word, no pod is touched."""
    with Shop('live-back-begun', operator=operator) as shop:
        before = create(shop)
        shop.patch({'app': 'shop-2', 'upgrade': {'paused': True}})
        shop.wait('the gate that blocks is named',
                  lambda s: any(r.get('waitingFor', '').startswith('Paused:') for r in s['roles']))
        go_back(shop, checks)
        way_back.judge(shop, checks, before)
        checks.equal('these heard something', before.touched(), [])


def first_member_being_created(checks, operator):
    """B's first pod is there, and its container starts about when the rollback does: it may have run, or not."""
    with Shop('live-back-created', operator=operator) as shop:
        before = create(shop)
        first = role_pods(shop, 0)[-1]
        shop.patch({'app': 'shop-2'})
        shop.pods.wait(f'{first} is on B', lambda objects: first in objects and
                       is_on_b(objects[first]) and container(objects[first]))
        go_back(shop, checks)
        way_back.judge(shop, checks, before)


def first_member_being_replaced(checks, operator):
    """B's first container runs and is in its configure."""
    with Shop('live-back-first', operator=operator) as shop:
        before = create(shop)
        first = role_pods(shop, 0)[-1]
        shop.members.steer(first, 'configure', seconds=60)
        shop.patch({'app': 'shop-2'})
        poll(f'{first} is in configure', lambda: heard_of_v2(shop, first, 'configure'))
        shop.members.steer(first, 'configure')
        go_back(shop, checks)
        way_back.judge(shop, checks, before)
        checks.equal('only it heard something', before.touched(), [first])


def first_member_upgraded(checks, operator):
    """One member counts as upgraded, its role does not: the other one is in its turn."""
    with Shop('live-back-one', operator=operator) as shop:
        before = create(shop)
        turn, first = role_pods(shop, 0)
        shop.members.steer(turn, 'configure', seconds=60)
        shop.patch({'app': 'shop-2'})
        shop.wait(f'{first} is upgraded', lambda s: is_upgraded(s, first))
        shop.members.steer(turn, 'configure')
        go_back(shop, checks)
        way_back.judge(shop, checks, before)
        checks.check('no role counted as upgraded', not shop.clusters.first(
            lambda c: any(r.get('roleUpgradeStatus') == 'upgraded' for r in c.get('status', {}).get('roles', []))))


def s4_half_way(checks, operator):
    """Role data is upgraded and told so, web-1 is in its turn, web-0 was never touched."""
    with Shop('live-back-half', operator=operator) as shop:
        before = create(shop)
        untouched, turn = role_pods(shop, 1)
        shop.members.steer(turn, 'pod_upgraded', seconds=60)
        shop.patch({'app': 'shop-2'})
        poll(f'{turn} is in pod_upgraded', lambda: heard_of_v2(shop, turn, 'pod_upgraded'), 60)
        shop.wait('role data is told', lambda s: set(queues(s)) == {turn} and
                  s['roles'][0].get('roleUpgradeStatus') == 'upgraded')
        last = shop.status()['lastNotifyID']
        go_back(shop, checks)
        way_back.judge(shop, checks, before, ['u_role_upgraded_after_all_its_members'])
        checks.equal(f'{untouched} heard', before.heard(untouched), [])
        again = [c for pod in before.pods for c in before.since(pod)
                 if c.event.endswith('_upgraded') and int(c.id) > last]
        checks.equal('events of the upgrade that were made after it', again, [])


def s4_a_frozen_member_is_owed_role_upgraded(checks, operator):
    """It is frozen with role_upgraded in its queue while web is still being upgraded."""
    with Shop('live-back-owed', operator=operator) as shop:
        before = create(shop)
        frozen, turn = role_pods(shop, 0)[-1], role_pods(shop, 1)[-1]
        shop.members.steer(turn, 'pod_upgraded', seconds=60)
        shop.patch({'app': 'shop-2'})
        shop.wait(f'{frozen} is upgraded', lambda s: is_upgraded(s, frozen))
        Container(shop.pods.objects[frozen]).freeze()
        poll(f'{turn} is in pod_upgraded', lambda: heard_of_v2(shop, turn, 'pod_upgraded'), 60)
        shop.wait('role data is told but to the frozen one', lambda s: set(queues(s)) == {frozen, turn} and
                  queues(s)[frozen] == ['role_upgraded'] and members_of(s)[frozen]['stateDetail'].get('downReason'))
        checks.equal('role web is still in its turn', shop.status()['roles'][1].get('roleUpgradeStatus'), 'upgrading')
        go_back(shop, checks)
        way_back.judge(shop, checks, before)
        told = [pod for pod in role_pods(shop, 0) if 'role_reverted' in before.heard(pod)]
        sent = [pod for pod in role_pods(shop, 0) if way_back.sent_at_the_turn(shop, pod)]
        checks.equal('role_reverted was heard by those that had been told or sent it', told, sent)
        checks.check('the one that had been told is among them', role_pods(shop, 0)[0] in told, told)


def all_done_but_queues(checks, operator):
    """Everything is upgraded; cluster_upgraded fails in one member and is still running in another."""
    with Shop('live-back-late', operator=operator) as shop:
        before = create(shop)
        fails, runs = role_pods(shop, 0)[0], role_pods(shop, 1)[0]
        shop.members.steer(fails, 'cluster_upgraded', 1)
        shop.members.steer(runs, 'cluster_upgraded', seconds=60)
        shop.patch({'app': 'shop-2'})
        shop.wait('only the two are not told', lambda s: set(queues(s)) == {fails, runs} and
                  all(q == ['cluster_upgraded'] for q in queues(s).values()) and head(s, fails).get('attempts'))
        poll(f'{runs} is in cluster_upgraded', lambda: heard_of_v2(shop, runs, 'cluster_upgraded'))
        go_back(shop, checks)
        way_back.judge(shop, checks, before)
        for pod in before.pods:
            checks.equal(f'{pod} heard last', before.heard(pod)[-3:],
                         ['pod_reverted', 'role_reverted', 'cluster_reverted'])


def s2_all_told_but_a_frozen_member(checks, operator):
    """The old App is held, and the way back is open, while one member waits for both notifications."""
    with Shop('live-back-frozen', operator=operator) as shop:
        before = create(shop)
        frozen = role_pods(shop, 0)[-1]
        shop.patch({'app': 'shop-2'})
        shop.wait(f'{frozen} is upgraded', lambda s: is_upgraded(s, frozen))
        Container(shop.pods.objects[frozen]).freeze()
        shop.wait('all is told but to it', lambda s: queues(s) == {frozen: ['role_upgraded', 'cluster_upgraded']})
        is_held(shop, checks, 'a member is frozen')
        go_back(shop, checks)
        way_back.judge(shop, checks, before, ['n2_nothing_leaves_but_from_the_head'])
        told = ['role_reverted'] * len(way_back.sent_at_the_turn(shop, frozen))
        checks.equal(f'{frozen} heard', [e for e in before.heard(frozen) if e.startswith(('role_', 'cluster_'))],
                     [*told, 'cluster_reverted'])


POINTS = [before_anything_is_deleted, first_member_being_created, first_member_being_replaced, first_member_upgraded,
          s4_half_way, s4_a_frozen_member_is_owed_role_upgraded, all_done_but_queues, s2_all_told_but_a_frozen_member]

if __name__ == '__main__':
    CHECKS = Checks()
    with Operator(os.path.join(RESULTS, 'rollback', 'operator.log')) as OPERATOR:
        CHECKS.together(POINTS, OPERATOR)
    CHECKS.finish()
