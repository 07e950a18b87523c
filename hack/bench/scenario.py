"""One scenario: so many clusters of so many members are created, upgraded, and met again after a restart."""
import os
import statistics
import time

from process import Operator, Peak, Timeout, poll

ROLE = 'member'
PATIENCE_S = 3600


def requests(counters):
    """The counters of all requests but watches."""
    return [name for name in counters if name.startswith('requests.') and name != 'requests.watch']


class Scenario:
    """Members clusters x size; figures come as {name: number}."""

    def __init__(self, clusters, size, options):
        self.clusters, self.size, self.options = clusters, size, options
        self.name = f'{clusters}x{size}'
        self.figures = {}

    @property
    def members(self):
        return self.clusters * self.size

    def run(self, world, folder):
        self.world = world
        log = os.path.join(folder, self.name + '.log')
        with Operator(self.options.rolecall, world.kubeconfig, log) as self.operator:
            self.figures['start, nothing there (ms)'] = self.operator.start_ms()
            self._idle('idle, nothing there')
            self._phase('create', self._create, lambda row: row['State'] == 'configured' and row['App'] == 'one')
            self._idle('idle, all configured')
            self._phase('upgrade', self._upgrade, lambda row: row['State'] == 'configured' and row['App'] == 'two')
            self._idle('idle, all upgraded')
            self._deliveries()
            self.operator.end()
        with Operator(self.options.rolecall, world.kubeconfig, log) as self.operator:
            self.figures['start, all there (ms)'] = self.operator.start_ms()
            self._idle('restarted, all there')
            self._kills()
        return self.figures

    def _idle(self, when):
        """Memory once it has settled, and what it does in a while in which there is nothing to do."""
        self._settle()
        before, cpu = self.operator.counters(), self.operator.cpu_s()
        time.sleep(self.options.idle_s)
        after = self.operator.counters()
        self.figures[f'{when}: requests but watches'] = sum(after[name] - before[name] for name in requests(after))
        self.figures[f'{when}: CPU (s)'] = self.operator.cpu_s() - cpu
        rss, anonymous = self.operator.memory()
        self.figures[f'{when}: RSS (MiB)'], self.figures[f'{when}: anonymous (MiB)'] = rss, anonymous

    def _settle(self):
        """Until it has done nothing for a while. Being asked costs it a wake-up, after which memory is not yet given back."""
        seen = None
        for _ in range(60):
            before, seen = seen, self.operator.counters()
            if seen == before:
                return
            time.sleep(self.options.settle_s)
        raise Timeout('the operator does not come to rest')

    def _phase(self, name, do, is_done):
        before, cpu, begun = self.operator.counters(), self.operator.cpu_s(), time.monotonic()
        with Peak(self.operator) as peak:
            do()
            self._wait(name, is_done)
        took = time.monotonic() - begun
        after = self.operator.counters()
        each = {
            'requests': sum(after[name] - before[name] for name in requests(after)),
            'execs': after['execs'] - before['execs'],
            'status writes': after['statusWrites'] - before['statusWrites'],
            'status KiB': (after['statusBytes'] - before['statusBytes']) / 1024,
            'passes': after['passes'] - before['passes'],
        }
        self.figures[f'{name}: time (s)'] = took
        self.figures[f'{name}: CPU (s)'] = self.operator.cpu_s() - cpu
        self.figures[f'{name}: RSS, peak (MiB)'] = peak.rss
        self.figures[f'{name}: anonymous, peak (MiB)'] = peak.anonymous
        self.figures |= {f'{name}: {what} per member': count / self.members for what, count in each.items()}
        self.figures |= {f'{name}: {verb}': after[verb] - before[verb] for verb in after if verb.startswith('requests.')}
        self.figures[f'{name}: conflicts'] = after['conflicts'] - before['conflicts']
        self.figures[f'{name}: other failures'] = after['failures'] - before['failures'] - self.figures[f'{name}: conflicts']

    def _wait(self, name, is_done):
        def done():
            self.operator.must_live()
            rows = self.world.clusters()
            return len(rows) == self.clusters and all(is_done(row) for row in rows)
        poll(f'{name} of {self.name}', done, PATIENCE_S, 0.1 if self.clusters < 200 else 1)

    def _app(self, name, version):
        return {'label': {'name': 'Bench'}, 'distroID': 'bench', 'version': version, 'configSchemaVersion': 8,
                'upgradable': True, 'defaultImageRepoTag': f'{self.world.image}:v{version[0]}',
                'config': {'selectedRoles': [ROLE]},
                'roles': [{'id': ROLE, 'cardinality': '1+',
                           'handler': {'exec': {'command': ['/handler.sh']}, 'timeoutSeconds': 60}}]}

    def _name(self, i):
        return f'bench-{i:04}'

    def _create(self):
        self.world.create('App', 'one', self._app('one', '1.0'))
        self.world.create('App', 'two', self._app('two', '2.0'))
        role = {'id': ROLE, 'members': self.size}
        if self.world.pod_spec:
            role['podTemplate'] = {'spec': self.world.pod_spec}
        upgrade = {'maxUnavailable': max(1, self.size // 10)}
        for i in range(self.clusters):
            self.world.create('Cluster', self._name(i), {'app': 'one', 'roles': [role], 'upgrade': upgrade})

    def _upgrade(self):
        for i in range(self.clusters):
            self.world.upgrade(self._name(i), 'two')

    def _pods(self, i):
        role, = self.world.cluster(self._name(i))['status']['roles']
        return [member['pod'] for member in role['members']]

    def _deliveries(self):
        """role_upgraded is queued to all members of a role at once; the first cluster's members tell when it came."""
        pods = self._pods(0)
        at = sorted(call.at for pod in pods for call in self.world.member_log(pod) if call.event == 'role_upgraded')
        if len(at) != len(pods):
            raise Timeout(f'{len(at)} of {len(pods)} members heard role_upgraded')
        self.figures['one role: notified (members)'] = len(at)
        self.figures['one role: first to last (s)'] = at[-1] - at[0]
        self.figures['one role: deliveries per second'] = len(at) / max(at[-1] - at[0], 0.01)

    def _kills(self):
        """A container is killed and comes up without its set-up: from its start to the start of the handler."""
        delays = []
        for k in range(self.options.kills):
            pods = self._pods(k % self.clusters)
            pod = pods[k // self.clusters % len(pods)]
            before = len(self.world.member_log(pod))
            self.world.kill(pod)

            def calls():
                new = self.world.member_log(pod)[before:]
                return new if [call.event for call in new] == ['start', 'configure'] else None
            start, configure = poll(f'{pod} is configured again', calls, 60)
            delays.append((configure.at - start.at) * 1000)
        self.figures['container up to delivery, median (ms)'] = statistics.median(delays)
        self.figures['container up to delivery, worst (ms)'] = max(delays)
