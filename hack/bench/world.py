"""What the operator is measured in: kubesim, or a real Kubernetes with the nodes of hack/kube.sh."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'kubesim'))
from client import PATCHES, TABLE, Client  # noqa: E402

API = '/apis/rolecall.dev/v1alpha1'
PAGE = 500


class Refused(Exception):
    """The API server's words."""


class Call:
    """A line of a member's log: a container's start, or a handler's; .at is in seconds since the machine's start."""

    def __init__(self, line):
        at, self.event, *_ = line.split('\t')
        self.at = float(at)


class World:
    """An API server, and members that write down what they hear."""

    namespace, image, pod_spec = 'default', 'bench', {}

    def __init__(self, kubeconfig):
        self.kubeconfig = kubeconfig
        self.client = Client(kubeconfig)

    def call(self, method, path, body=None, **options):
        code, answer = self.client.call(method, path, body, **options)
        if code >= 300:
            raise Refused(f'{method} {path}: {code} {answer.get("message")}')
        return answer

    def _path(self, resource, name=''):
        return f'{API}/namespaces/{self.namespace}/{resource}{name and "/" + name}'

    def create(self, kind, name, spec):
        self.call('POST', self._path(kind.lower() + 's'),
                  {'apiVersion': 'rolecall.dev/v1alpha1', 'kind': kind, 'metadata': {'name': name}, 'spec': spec})

    def upgrade(self, cluster, app):
        self.call('PATCH', self._path('clusters', cluster), {'spec': {'app': app}}, content_type=PATCHES['merge'])

    def cluster(self, name):
        return self.call('GET', self._path('clusters', name))

    def clusters(self):
        """The rows that "kubectl get" prints: {column: value}."""
        path, rows = self._path('clusters') + f'?includeObject=None&limit={PAGE}', []
        token = ''
        while token is not None:
            table = self.call('GET', path + (token and '&continue=' + token), accept=TABLE)
            names = [column['name'] for column in table['columnDefinitions']]
            rows += [dict(zip(names, row['cells'])) for row in table['rows']]
            token = table['metadata'].get('continue') or None
        return rows


class Kubesim(World):
    def __init__(self, program, folder, speed, handler_ms):
        self.program, self.folder = program, folder
        self.process = subprocess.Popen([program, '--dir', folder, '--speed', str(speed), '--handler-ms',
                                         str(handler_ms)], stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline().startswith('kubesim ready'):
            raise Refused('kubesim does not start')
        super().__init__(os.path.join(folder, 'kubeconfig'))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.connection.close()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def member_log(self, pod):
        _, text = self.client.send('GET', f'/api/v1/namespaces/{self.namespace}/pods/{pod}/log')
        return [Call(line) for line in text.splitlines()]

    def kill(self, pod):
        subprocess.run([self.program, 'ctl', '--dir', self.folder, 'kill', f'{self.namespace}/{pod}'], check=True)


class Kubernetes(World):
    """Of KUBECONFIG. Members write to a folder of the nodes, as in the live tests, whose image they run."""

    namespace, image = 'rolecall-bench', 'rolecall.test/member'

    def __init__(self, kubeconfig):
        super().__init__(kubeconfig)
        sys.path.insert(0, os.path.join(ROOT, 'tests', 'live'))
        import lib
        self.live = lib
        self.members = lib.Members(os.path.join(lib.STATE, 'members', self.namespace))
        for old in os.listdir(self.members.folder):
            os.unlink(os.path.join(self.members.folder, old))
        self.pod_spec = {
            'terminationGracePeriodSeconds': 1,
            'volumes': [{'name': 'members', 'hostPath': {'path': self.members.folder}}],
            'containers': [{'name': 'app', 'imagePullPolicy': 'Never',
                            'volumeMounts': [{'name': 'members', 'mountPath': '/members'}]}],
        }
        self.call('POST', '/api/v1/namespaces',
                  {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': self.namespace}})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Without an operator nobody lets go of the Apps."""
        for app in self.call('GET', self._path('apps'))['items']:
            self.call('PATCH', self._path('apps', app['metadata']['name']), {'metadata': {'finalizers': None}},
                      content_type=PATCHES['merge'])
        self.call('DELETE', '/api/v1/namespaces/' + self.namespace)
        self.client.connection.close()

    def member_log(self, pod):
        return self.members.log(pod)

    def kill(self, pod):
        self.live.Container(self.call('GET', f'/api/v1/namespaces/{self.namespace}/pods/{pod}')).kill()
