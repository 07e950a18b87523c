"""What the live tests share: kubectl, recorded watches, nodes, members' logs, the operator as a process, and checks.

Nothing here sleeps blindly: wait() looks at a condition whenever a watch has news, and polls the few things that have
no watch. Every wait has a deadline and says what it waited for.
"""
import collections
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STATE = os.environ.get('KUBE_STATE', '')
OPERATOR = os.environ.get('ROLECALL', os.path.join(ROOT, 'build', 'rolecall'))
RESULTS = os.environ.get('LIVE_RESULTS', os.path.join(ROOT, 'build', 'live'))
KUBECONFIG = os.environ.get('KUBECONFIG', '')
API = '/apis/rolecall.dev/v1alpha1'


class Refused(Exception):
    """kubectl failed; the text is what it said."""


class Timeout(Exception):
    pass


class Died(Exception):
    """The operator ended by itself."""


def run(*command, text=None, timeout=60):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise Refused((done.stderr or done.stdout).strip())
    return done.stdout


def kubectl(*arguments, text=None):
    return run('kubectl', *arguments, text=text)


def refusal(function, *arguments, **named):
    """What the API server said against it; '' when it had nothing against it."""
    try:
        function(*arguments, **named)
    except Refused as error:
        return str(error)
    return ''


def poll(what, condition, seconds=30, every=0.05):
    """For what has no watch. Returns the first true value of condition()."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Timeout(f'not within {seconds} s: {what}')
        time.sleep(every)


class Watch:
    """A watch that runs from now on: the newest state of its objects, and every version saved as JSON lines."""

    def __init__(self, path, file):
        self.objects, self.events, self.news = {}, [], threading.Condition()
        self.file = open(file, 'w')
        self.process = subprocess.Popen(['kubectl', 'get', '--raw', path + '?watch=1&timeoutSeconds=3600'],
                                        stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.file.write(line)
            self.file.flush()
            event = json.loads(line)
            with self.news:
                self.events.append((time.time(), event))
                name = event['object']['metadata'].get('name')
                self.objects[name] = event['object']
                if event['type'] == 'DELETED':
                    del self.objects[name]
                self.news.notify_all()

    def wait(self, what, condition, seconds=60):
        """The first true value of condition(objects by name)."""
        end = time.monotonic() + seconds
        with self.news:
            while True:
                value = condition(self.objects)
                if value:
                    return value
                left = end - time.monotonic()
                if left <= 0:
                    raise Timeout(f'not within {seconds} s: {what}')
                self.news.wait(min(left, 1))

    def first(self, condition, after=0):
        """When the first event (but for the first AFTER ones) came whose object meets the condition."""
        with self.news:
            return next((at for at, event in self.events[after:] if condition(event['object'])), None)

    def count(self):
        with self.news:
            return len(self.events)

    def since(self, count):
        with self.news:
            return [event['object'] for _, event in self.events[count:]]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.file.close()


class Call:
    """A line of a member's log: a handler's call, or the start of its container (event "start")."""

    def __init__(self, line, booted):
        uptime, self.event, self.id, self.attempt, self.image, *self.arguments = line.rstrip('\n').split('\t')[:-1]
        self.at = booted + float(uptime)

    def __repr__(self):
        return self.event if self.id == '-' else f'{self.event}#{self.id}'


Found = collections.namedtuple('Found', 'event id attempt generation path sum')


class Members:
    """The folder that all pods of a test see as /members."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        with open('/proc/uptime') as file:
            self.booted = time.time() - float(file.read().split()[0])

    def log(self, pod):
        """In the order of their times: on a busy machine a container's first line may be written after the next one."""
        try:
            with open(f'{self.folder}/{pod}.log') as file:
                return sorted((Call(line, self.booted) for line in file if line.endswith('\n')), key=lambda c: c.at)
        except FileNotFoundError:
            return []

    def found(self, pod):
        """What each call found of the configmeta, in their order."""
        with open(f'{self.folder}/{pod}.found') as file:
            lines = [line.rstrip('\n').split('\t')[:-1] for line in file if line.endswith('\n')]
        return [Found(event, int(id), int(attempt), int(generation), path, sum)
                for event, id, attempt, generation, path, sum in lines]

    def configmeta(self, pod, generation):
        with open(f'{self.folder}/{pod}.{generation}.json') as file:
            return json.load(file)

    def steer(self, pod, event, exit_code=0, seconds=0):
        """From now on the handler of this event ends so."""
        path = f'{self.folder}/{pod}.{event}'
        with open(path + '.new', 'w') as file:
            file.write(f'{exit_code} {seconds}\n')
        os.rename(path + '.new', path)


class Container:
    """A member's container as it is now, seen from its node."""

    def __init__(self, pod):
        self.node = pod['spec']['nodeName']
        self.id = container(pod)['containerID'].split('//')[1]

    def _task(self, *arguments):
        run(f'{ROOT}/hack/kube.sh', 'node', self.node, 'ctr', '-a', '/run/containerd/containerd.sock', '-n', 'k8s.io',
            'task', *arguments, self.id)

    def freeze(self):
        self._task('pause')

    def thaw(self):
        self._task('resume')

    def kill(self):
        """Takes its process away, frozen or not; kubelet starts another container."""
        self._task('kill', '--signal', 'SIGKILL')


def container(pod):
    return pod.get('status', {}).get('containerStatuses', [{}])[0]


def is_ready(pod):
    conditions = pod.get('status', {}).get('conditions', [])
    return any(c['type'] == 'Ready' and c['status'] == 'True' for c in conditions)


def installed_account():
    """A kubeconfig for the account of manifests/install, which may do only what is listed there."""
    config = json.loads(kubectl('config', 'view', '--raw', '-o', 'json'))
    config['users'][0]['user'] = {'token': kubectl('-n', 'rolecall', 'create', 'token', 'rolecall').strip()}
    os.makedirs(RESULTS, exist_ok=True)
    path = os.path.join(RESULTS, 'installed-account.kubeconfig')
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w') as file:
        json.dump(config, file)
    return path


class Operator:
    """build/rolecall run, its log in a file. It serves all namespaces, so there is one at a time."""

    def __init__(self, log, kubeconfig=None):
        self.log, self.cpu_of_the_dead = log, 0.0
        self.kubeconfig = kubeconfig or KUBECONFIG
        os.makedirs(os.path.dirname(log), exist_ok=True)
        open(log, 'w').close()
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.poll() is not None or self.end()

    def start(self):
        with open(self.log, 'a') as file:
            self.process = subprocess.Popen([OPERATOR, 'run', '--kubeconfig', self.kubeconfig], stderr=file)

    def lines(self):
        """The whole ones: it may be writing the last."""
        with open(self.log) as file:
            return [json.loads(line) for line in file.read().split('\n')[:-1]]

    def must_live(self):
        if self.process.poll() is not None:
            with open(self.log) as file:
                raise Died(f'exit code {self.process.returncode}: {file.read()[-500:]}')

    def stats(self):
        """What it says of itself when asked by SIGUSR1: counters, and "requests", counters by verb."""
        before = len(self.lines())
        self.process.send_signal(signal.SIGUSR1)

        def said():
            lines = {line['msg']: line for line in self.lines()[before:]}
            return 'requests' in lines and 'work' in lines and lines
        lines = poll('the operator logs its stats', said, 5)
        numbers = [{k: v for k, v in lines[msg].items() if isinstance(v, int)} for msg in ('work', 'requests')]
        return {**numbers[0], 'requests': numbers[1]}

    def memory(self):
        """(RSS, anonymous) in KiB."""
        with open(f'/proc/{self.process.pid}/smaps_rollup') as file:
            sizes = dict(re.findall(r'^(\w+): +(\d+) kB', file.read(), re.M))
        return int(sizes['Rss']), int(sizes['Anonymous'])

    def cpu_seconds(self):
        with open(f'/proc/{self.process.pid}/stat') as file:
            fields = file.read().rsplit(')', 1)[1].split()
        return self.cpu_of_the_dead + (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def crash(self):
        self.cpu_of_the_dead = self.cpu_seconds()
        self.process.kill()
        self.process.wait()

    def end(self):
        """SIGTERM; returns the exit code and the seconds that it took."""
        begun = time.monotonic()
        self.process.terminate()
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return code, time.monotonic() - begun


class Checks:
    """Counts checks; prints them as they are made, or keeps the lines when tests run side by side."""

    def __init__(self, lines=None):
        self.passed = self.failed = self.skipped = 0
        self.lines = lines

    def say(self, line):
        if self.lines is None:
            print(line, flush=True)
        else:
            self.lines.append(line)

    def check(self, what, holds, detail=''):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        self.say(f'ok   {what}' if holds else f'FAIL {what}: {detail}')

    def equal(self, what, got, wanted):
        self.check(what, got == wanted, f'got {got!r}, wanted {wanted!r}')

    def measure(self, what, value):
        self.say(f'     {what}: {value}')

    def one(self, test, *arguments):
        """One that ends early counts as one failure."""
        self.say(f'---- {test.__name__}: {test.__doc__ or ""}'.rstrip(': '))
        begun = time.monotonic()
        try:
            test(self, *arguments)
        except (Timeout, Refused, Died, subprocess.SubprocessError, OSError, LookupError) as error:
            self.check(test.__name__, False, f'{type(error).__name__}: {error}')
        self.measure('took', f'{time.monotonic() - begun:.0f} s')

    def together(self, tests, *arguments, at_once=5):
        """Runs tests side by side; the lines of each are printed when it has ended."""
        def alone(test):
            checks = Checks([])
            try:
                checks.one(test, *arguments)
            finally:
                print('\n'.join(checks.lines), flush=True)
            return checks
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            for checks in pool.map(alone, tests):
                self.passed, self.failed = self.passed + checks.passed, self.failed + checks.failed
                self.skipped += checks.skipped

    def finish(self):
        print(f'{self.passed} passed, {self.failed} failed, {self.skipped} skipped')
        sys.exit(1 if self.failed else 0)

    def run(self, tests):
        """Runs one test after the other. Exits with the sum."""
        for test in tests:
            self.one(test)
        self.finish()
