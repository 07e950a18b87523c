"""The cluster that the live tests work on: "shop", roles data and web with three members each, and its Apps."""
import json
import os
import sys

from lib import (API, KUBECONFIG, RESULTS, ROOT, STATE, Members, Operator, Watch, container, is_ready, kubectl, poll,
                 refusal)

sys.path.insert(0, os.path.join(ROOT, 'tests', 'history'))
import checker  # noqa: E402

ROLES = ['data', 'web']


def app(name, version, cardinality='1+', roles=tuple(ROLES)):
    return {
        'apiVersion': 'rolecall.dev/v1alpha1', 'kind': 'App', 'metadata': {'name': name},
        'spec': {
            'label': {'name': 'Shop'}, 'distroID': 'test/shop', 'version': version, 'configSchemaVersion': 8,
            'upgradable': True, 'defaultImageRepoTag': 'rolecall.test/member:v' + version.split('.')[0],
            'config': {'selectedRoles': list(roles)},
            'roles': [{'id': role, 'cardinality': cardinality,
                       'handler': {'exec': {'command': ['/handler.sh']}, 'timeoutSeconds': 60},
                       'podTemplate': {'spec': {'terminationGracePeriodSeconds': 5,
                                                'containers': [{'name': 'app', 'imagePullPolicy': 'Never'}]}}}
                      for role in roles],
        },
    }


def cluster(folder, app_name='shop-1', roles=tuple(ROLES), members=3):
    """FOLDER is of the nodes, and is /members in every pod."""
    pod = {'spec': {'volumes': [{'name': 'members', 'hostPath': {'path': folder}}],
                    'containers': [{'name': 'app', 'volumeMounts': [{'name': 'members', 'mountPath': '/members'}]}]}}
    return {
        'apiVersion': 'rolecall.dev/v1alpha1', 'kind': 'Cluster', 'metadata': {'name': 'shop'},
        'spec': {'app': app_name, 'roles': [{'id': role, 'members': members, 'podTemplate': pod} for role in roles]},
    }


class Shop:
    """A namespace, the recorded watches of its Clusters and pods, and the members' folder.

    It has an operator of its own, unless it is given one that serves other shops too.
    """

    def __init__(self, namespace, kubeconfig=None, operator=None):
        self.namespace = namespace
        self.results = os.path.join(RESULTS, namespace)
        os.makedirs(self.results, exist_ok=True)
        self._fresh_namespace()
        self.members = Members(os.path.join(STATE, 'members', namespace))
        for old in os.listdir(self.members.folder):
            os.unlink(os.path.join(self.members.folder, old))
        self.history = os.path.join(self.results, 'clusters.jsonl')
        self.clusters = Watch(f'{API}/namespaces/{namespace}/clusters', self.history)
        self.pods = Watch(f'/api/v1/namespaces/{namespace}/pods', os.path.join(self.results, 'pods.jsonl'))
        self.shares = operator is not None
        self.operator = operator or Operator(os.path.join(self.results, 'operator.log'), kubeconfig or KUBECONFIG)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shares or self.operator.__exit__()
        self.clusters.stop()
        self.pods.stop()
        if self.shares and self.operator.process.poll() is None:
            self._leave_to_the_operator()
        else:
            self._clean_up()

    def _leave_to_the_operator(self):
        """It lets go of the Apps when no Cluster is left; the rest of the namespace may go while others work."""
        self.kubectl('delete', 'clusters.rolecall.dev', '--all')
        poll('the Apps are let go', lambda: not self.kubectl('get', 'apps.rolecall.dev', '-o',
                                                             'jsonpath={.items[*].metadata.finalizers}'))
        kubectl('delete', 'namespace', self.namespace, '--wait=false')

    def _clean_up(self):
        # what an operator would do: nothing else lets go of an App that a Cluster has used
        for name in self.kubectl('get', 'clusters.rolecall.dev', '-o', 'name').split():
            self.kubectl('patch', name, '--type', 'merge', '-p', '{"metadata":{"finalizers":null}}')
            self.kubectl('delete', name)
        for name in self.kubectl('get', 'apps.rolecall.dev', '-o', 'name').split():
            self.kubectl('patch', name, '--subresource', 'status', '--type', 'merge', '-p', '{"status":{"usedBy":[]}}')
            self.kubectl('patch', name, '--type', 'merge', '-p', '{"metadata":{"finalizers":null}}')
        kubectl('delete', 'namespace', self.namespace, '--wait=true')

    def _fresh_namespace(self):
        kubectl('delete', 'namespace', self.namespace, '--ignore-not-found', '--wait=true')
        kubectl('create', 'namespace', self.namespace)
        poll('the default service account', lambda: self._has('serviceaccount', 'default'))

    def _has(self, kind, name):
        return self.kubectl('get', kind, name, '--ignore-not-found', '-o', 'name')

    def kubectl(self, *arguments, text=None):
        return kubectl('-n', self.namespace, *arguments, text=text)

    def apply(self, *objects):
        for item in objects:
            self.kubectl('apply', '-f', '-', text=json.dumps(item))

    def annotate(self, name, value):
        """A command to the operator; returns when it has been acted on."""
        key = f'rolecall.dev/{name}'
        version = int(self.kubectl('annotate', 'clusters.rolecall.dev', 'shop', f'{key}={value}',
                                   '-o', 'jsonpath={.metadata.resourceVersion}'))

        def is_gone(objects):
            meta = objects['shop']['metadata']
            return int(meta['resourceVersion']) > version and key not in meta.get('annotations', {})
        self.clusters.wait(f'{key}={value} was acted on', is_gone, 10)

    def notes(self, reason):
        """What the Events of this reason say."""
        events = json.loads(self.kubectl('get', 'events.events.k8s.io', '-o', 'json'))['items']
        return [event.get('note', '') for event in events if event.get('reason') == reason]

    def patch(self, spec):
        self.kubectl('patch', 'clusters.rolecall.dev', 'shop', '--type', 'merge', '-p', json.dumps({'spec': spec}))

    def may_patch(self, spec):
        """What the API server would say against this edit; '' when it would accept it."""
        return refusal(self.kubectl, 'patch', 'clusters.rolecall.dev', 'shop', '--type', 'merge', '--dry-run=server',
                       '-p', json.dumps({'spec': spec}))

    def status(self):
        return self.clusters.objects.get('shop', {}).get('status', {})

    def wait(self, what, condition, seconds=60):
        """Waits for condition(status of the Cluster)."""
        def holds(objects):
            self.operator.must_live()
            return condition(objects.get('shop', {}).get('status', {}))
        return self.clusters.wait(what, holds, seconds)

    def spec(self):
        return self.clusters.objects['shop']['spec']

    def wait_configured(self, app_name, seconds=120):
        def holds(status):
            return status.get('state') == 'configured' and status.get('app') == app_name and 'upgradeInfo' not in status
        return self.wait(f'configured on {app_name}', holds, seconds)

    def kill(self, pod, held):
        """Kills the container HELD of this pod; returns when the watch told that the next one runs."""
        before = self.pods.count()

        def runs(item):
            seen = container(item)
            return item['metadata'].get('name') == pod and 'running' in seen.get('state', {}) and \
                not seen['containerID'].endswith(held.id)
        held.kill()
        self.pods.wait(f'{pod} runs again', lambda objects: pod in objects and runs(objects[pod]))
        return self.pods.first(runs, before)

    def last_ready(self, image):
        """When the watch told of the last of all pods that became Ready on this image."""
        with self.pods.news:
            ready = {}
            for at, event in self.pods.events:
                pod = event['object']
                if is_ready(pod) and pod['spec']['containers'][0]['image'].endswith(image):
                    ready.setdefault(pod['metadata']['uid'], at)
        return max(ready.values())

    def judge(self, checks, must_see=()):
        """The history checker's word on every version that was stored."""
        report = checker.check(checker.read(self.history))
        checks.check(f'history: {report.versions} versions, no violation', report.versions and not report.violations,
                     '\n     '.join(report.violations[:20]))
        for rule in must_see:
            checks.check(f'history: {rule} was put to the test', report.situations[rule] > 0, 'never')

    def status_writes(self):
        """Versions that differ in status from the one before."""
        statuses = [c.get('status', {}) for c in checker.read(self.history)]
        return sum(a != b for a, b in zip([{}, *statuses], statuses))


def members_of(status):
    return {m['pod']: m for role in status.get('roles', []) for m in role.get('members', [])}


def head(status, pod):
    """The first entry of the pod's queue, or {}."""
    queue = members_of(status).get(pod, {}).get('stateDetail', {}).get('pendingNotifyCmds', [])
    return queue[0] if queue else {}


def queues(status):
    """pod -> events that wait, for the pods that have any."""
    waiting = {pod: [e['event'] for e in m.get('stateDetail', {}).get('pendingNotifyCmds', [])]
               for pod, m in members_of(status).items()}
    return {pod: events for pod, events in waiting.items() if events}


def pods_of_role(status, role):
    return [m['pod'] for r in status.get('roles', []) if r['id'] == role for m in r.get('members', [])]


def is_upgraded(status, pod):
    return members_of(status).get(pod, {}).get('podUpgradeStatus') == 'upgraded'


def condition(status, kind):
    return next((c for c in status.get('conditions', []) if c['type'] == kind), {})

