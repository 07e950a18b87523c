"""What the tests of an upgrade's good and bad ways share: from the Cluster on App A to the questions asked of it."""
import time

from lib import container, refusal
from shop import app, cluster, members_of, pods_of_role

FORWARD = ['start', 'configure', 'pod_upgraded', 'role_upgraded', 'cluster_upgraded']


class Before:
    """The Cluster when the upgrade had not begun: its members, and in which pods they were."""

    def __init__(self, shop):
        self.shop, self.at = shop, time.time()
        self.pods = list(members_of(shop.status()))
        self.uids = {pod: shop.pods.objects[pod]['metadata']['uid'] for pod in self.pods}

    def since(self, pod):
        return [call for call in self.shop.members.log(pod) if call.at > self.at]

    def heard(self, pod):
        return [call.event for call in self.since(pod)]

    def touched(self):
        return [pod for pod in self.pods if self.since(pod)]


def create(shop, b=None, members=2):
    """Configured on App shop-1; B is shop-2, unless another App is given."""
    shop.apply(app('shop-1', '1.0'), b or app('shop-2', '2.0'), cluster(shop.members.folder, members=members))
    shop.wait_configured('shop-1')
    return Before(shop)


def with_retry_limit(item, limit):
    for role in item['spec']['roles']:
        role['handler']['retryLimit'] = limit
    return item


def with_container(item, **fields):
    """The App ITEM with these fields in the containers of all roles."""
    for role in item['spec']['roles']:
        role['podTemplate']['spec']['containers'][0].update(fields)
    return item


def role_pods(shop, number):
    return sorted(pods_of_role(shop.status(), shop.status()['roles'][number]['id']))


def is_on_b(pod):
    return pod['spec']['containers'][0]['image'].endswith(':v2')


def heard_of_v2(shop, pod, event):
    return any(call.event == event and call.image == 'v2' for call in shop.members.log(pod))


def go_back(shop, checks):
    """Takes spec.app back; returns when the Cluster is configured on A."""
    begun = time.monotonic()
    checks.equal('the way back is accepted', refusal(shop.patch, {'app': 'shop-1', 'upgrade': None}), '')
    shop.wait_configured('shop-1')
    checks.measure('rollback', f'{time.monotonic() - begun:.1f} s')


def is_held(shop, checks, where):
    text = refusal(shop.kubectl, 'delete', '--dry-run=server', 'apps.rolecall.dev', 'shop-1')
    checks.check(f'{where}: deletion of App A is refused', 'in use by' in text and 'shop' in text, text)


def ends_well(shop, checks, warns=False):
    plan = shop.status()['lastPlans'][0]
    checks.equal('plan', (plan['kind'], plan['outcome'], plan['reason']), ('upgrade', 'Succeeded', 'Upgraded'))
    checks.equal('it warns', bool(plan.get('warnings')), warns)
    return plan


def named(checks, where, text, *words):
    checks.check(f'{where} names {", ".join(words)}', all(word in text for word in words), text)


def down_reason(status, pod):
    return members_of(status).get(pod, {}).get('stateDetail', {}).get('downReason', '')


def waiting_reason(pod):
    """Why kubelet says that the member's container waits."""
    return container(pod).get('state', {}).get('waiting', {}).get('reason', '')


def soon_in_status(shop, checks, pod, fact, seconds=3):
    """From the moment that Kubernetes said so of the pod to the moment that the Cluster's status did."""
    known = shop.pods.first(lambda item: item['metadata'].get('name') == pod and fact(item))
    told = shop.clusters.first(lambda item: down_reason(item.get('status', {}), pod))
    checks.check(f'the reason is in status within {seconds} s of the fact', known and told and told - known <= seconds,
                 f'fact at {known}, in status at {told}')
    checks.measure('from the fact to the status', f'{told - known:.2f} s' if known and told else 'never')
