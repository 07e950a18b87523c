"""The operator as a process: what it costs, and what it says of itself."""
import datetime
import json
import os
import re
import signal
import subprocess
import threading
import time

TICKS = os.sysconf('SC_CLK_TCK')
PAGE_KIB = os.sysconf('SC_PAGE_SIZE') // 1024
LISTED = 'everything was listed'
COUNTERS = ('passes', 'statusWrites', 'statusBytes', 'conflicts', 'execs', 'failures')


class Died(Exception):
    """It ended by itself."""


class Timeout(Exception):
    pass


def poll(what, condition, seconds, every=0.02):
    """The first true value of condition()."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Timeout(f'not within {seconds} s: {what}')
        time.sleep(every)


class Operator:
    """Its log goes to a file, of which each line is read once."""

    def __init__(self, program, kubeconfig, log):
        self.log = log
        self.lines, self.rest = [], ''
        open(log, 'w').close()
        self.reader = open(log)
        self.begun = time.time()
        with open(log, 'a') as file:
            self.process = subprocess.Popen([program, 'run', '--kubeconfig', kubeconfig], stderr=file)
        try:
            self.listed = self.said(LISTED, 60)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.close()

    def must_live(self):
        if self.process.poll() is not None:
            raise Died(f'the operator ended with {self.process.returncode}, see {self.log}')

    def _read(self):
        self.must_live()
        *whole, self.rest = (self.rest + self.reader.read()).split('\n')  # the last one may be half written
        self.lines += [json.loads(line) for line in whole]

    def said(self, message, seconds, after=0):
        """The first line with this message that comes after so many lines."""
        def line():
            self._read()
            return next((line for line in self.lines[after:] if line['msg'] == message), None)
        return poll(f'the operator logs "{message}"', line, seconds, 0.002)

    def start_ms(self):
        """From the start of the process until it had seen all there is."""
        listed = datetime.datetime.fromisoformat(self.listed['time'].replace('Z', '+00:00'))
        return (listed.timestamp() - self.begun) * 1000

    def counters(self):
        """{counter: so far}, requests by verb among them as "requests.VERB"."""
        self._read()
        after = len(self.lines)
        self.process.send_signal(signal.SIGUSR1)
        work, requests = self.said('work', 30, after), self.said('requests', 30, after)
        verbs = {f'requests.{verb}': n for verb, n in requests.items() if isinstance(n, int)}
        return {name: work[name] for name in COUNTERS} | verbs

    def memory(self):
        """MiB now: (RSS, anonymous)"""
        with open(f'/proc/{self.process.pid}/smaps_rollup') as file:
            sizes = dict(re.findall(r'^(\w+): +(\d+) kB', file.read(), re.M))
        return int(sizes['Rss']) / 1024, int(sizes['Anonymous']) / 1024

    def cpu_s(self):
        with open(f'/proc/{self.process.pid}/stat') as file:
            fields = file.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def end(self):
        self.process.terminate()
        if self.process.wait(30):
            raise Died(f'the operator ended with {self.process.returncode}, see {self.log}')


class Peak:
    """While it is entered: the most that the process had. The kernel keeps the highest RSS; the rest is sampled."""

    def __init__(self, operator):
        self.pid, self.over = operator.process.pid, threading.Event()
        self.rss = self.anonymous = 0

    def __enter__(self):
        with open(f'/proc/{self.pid}/clear_refs', 'w') as file:
            file.write('5')  # proc(5): the highest RSS begins anew
        self.thread = threading.Thread(target=self._sample, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.rss = self._status('VmHWM')

    def _status(self, key):
        with open(f'/proc/{self.pid}/status') as file:
            return int(re.search(rf'^{key}:\s+(\d+) kB', file.read(), re.M)[1]) / 1024

    def _sample(self):
        while not self.over.wait(0.02):
            try:
                self.anonymous = max(self.anonymous, self._status('RssAnon'))
            except (OSError, TypeError):  # it has ended: whoever talks to it finds that out
                return
