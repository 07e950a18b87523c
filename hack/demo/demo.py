#!/usr/bin/env python3
"""The demo's story: a cluster is made, upgraded while one member is held down, and the upgrade waits for it.

demo.py --kubeconfig FILE --results FOLDER --freeze 'COMMAND' --thaw 'COMMAND' [--film FILE.svg]

COMMAND gets the pod's name as its last argument. Ends with the word of the history checker over every version of the
Cluster that the API server stored. Exit code: 0 only when the story went as told and no promise was broken.
"""
import argparse
import os
import queue
import shlex
import subprocess
import sys
import time

import yaml

import film
import story
from api import API, Refused, Server, Watch
from screen import Screen

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'tests', 'history'))
import checker  # noqa: E402

NAMESPACE = 'default'
CHAPTER_S = 90   # no part of the story takes longer than this
STAND_S = 3      # so long the finished upgrade is watched standing still for the one member


class Broken(Exception):
    """The story went another way than it is told."""


class Demo:
    def __init__(self, arguments):
        self.arguments = arguments
        self.server = Server(arguments.kubeconfig)
        self.history = os.path.join(arguments.results, 'history.jsonl')
        self.screen = Screen(keep_frames=bool(arguments.film))
        self.clusters = Watch(self.server, f'{API}{NAMESPACE}/clusters', self.history)
        self.pods_watch = Watch(self.server, f'/api/v1/namespaces/{NAMESPACE}/pods')
        self.status, self.pods = {}, {}

    def take(self, timeout_s):
        """Takes in what the watches bring, waiting for the Cluster's at most so long. True when it changed."""
        try:
            event = self.clusters.events.get(timeout=timeout_s)
        except queue.Empty:
            event = False
        if event is None:
            raise Broken('the watch of Clusters ended')
        self.take_pods()
        if event:
            status = event[1].get('status', {})
            self.screen.show(status, self.pods)
            for sentence in story.changes(self.status, status):
                self.screen.say(sentence)
            self.status = status
        self.screen.show(self.status, self.pods)
        return bool(event)

    def take_pods(self):
        while not self.pods_watch.events.empty():
            event = self.pods_watch.events.get()
            if event is None:
                raise Broken('the watch of Pods ended')
            self.pods[event[1]['metadata']['name']] = None if event[0] == 'DELETED' else event[1]

    def wait(self, what, holds):
        end = time.monotonic() + CHAPTER_S
        while not holds(self.status):
            self.take(0.2)
            if time.monotonic() > end:
                raise Broken(f'not within {CHAPTER_S} s: {what}')

    def stand_still(self):
        """Nothing may change while the member is down."""
        end = time.monotonic() + STAND_S
        while time.monotonic() < end:
            self.take(0.2)
            if not self.status.get('upgradeInfo') or self.status.get('state') == 'configured':
                raise Broken('the upgrade ended although a queue is not empty')

    def refused(self, what, function, *arguments):
        try:
            function(*arguments)
        except Refused as error:
            self.screen.say(f'{what}: refused: {error}', '!')
            return
        raise Broken(f'{what}: accepted')

    def run_on(self, command, pod):
        subprocess.run([*shlex.split(command), pod], check=True, stdout=subprocess.DEVNULL)

    def create(self):
        self.screen.begin('1. Two Apps, versions 1.0 and 2.0, and a Cluster of three roles on 1.0')
        for plural, file in ('apps', 'demo-1.0'), ('apps', 'demo-2.0'), ('clusters', 'cluster'):
            with open(os.path.join(HERE, file + '.yaml')) as text:
                self.server.create(NAMESPACE, plural, yaml.safe_load(text))
            self.screen.say(f'created {plural[:-1]} from {file}.yaml', '>')
        self.wait('configured on 1.0', lambda s: s.get('state') == 'configured' and s.get('app') == 'demo-1.0')
        self.screen.print_table()

    def upgrade(self):
        self.screen.begin('2. One line is edited, spec.app: demo-2.0; store-0 is frozen as soon as it is upgraded')
        self.server.patch(NAMESPACE, 'clusters', 'demo', {'spec': {'app': 'demo-2.0'}})
        self.screen.say('edited spec.app: demo-2.0', '>')
        self.wait('the last of role store is upgraded', lambda s: self.member(s).get('podUpgradeStatus') == 'upgraded')
        self.pod = self.member(self.status)['pod']
        self.run_on(self.arguments.freeze, self.pod)
        self.screen.say('froze store-0', '>')
        self.wait('all roles are upgraded', lambda s: all(r.get('roleUpgradeStatus') == 'upgraded' for r in s['roles']))
        self.wait('only store-0 has a queue', lambda s: s.get('pendingNotifies') and all(
            not story.queue(m) for _, m in story.members(s) if m['pod'] != self.pod))

    def hold(self):
        self.screen.begin('3. Every pod runs 2.0 and is Ready; store-0 has not heard: the upgrade is not over')
        self.screen.print_table()
        self.refused('deleting App demo-1.0', self.server.delete, NAMESPACE, 'apps', 'demo-1.0')
        self.refused('clearing upgradeInfo by hand', self.clear_upgrade_info)
        self.refused('another edit of the spec', self.server.patch, NAMESPACE, 'clusters', 'demo',
                     {'spec': {'roles': [{'id': 'store', 'members': 9}]}})
        self.stand_still()

    def clear_upgrade_info(self):
        self.server.ask('PATCH', f'{API}{NAMESPACE}/clusters/demo/status', {'status': {'upgradeInfo': None}},
                        'application/merge-patch+json')

    def release(self):
        self.screen.begin('4. store-0 is let go: it hears all, in order, and only then upgradeInfo goes')
        self.run_on(self.arguments.thaw, self.pod)
        self.screen.say('thawed store-0', '>')
        self.wait('upgradeInfo is gone', lambda s: s.get('state') == 'configured' and not s.get('upgradeInfo'))
        self.screen.print_table()

    def judge(self):
        report = checker.check(checker.read(self.history))
        judged = sum(1 for count in report.situations.values() if count)
        for violation in report.violations:
            self.screen.say(violation, '!')
        self.screen.say(f'history checker: {report.versions} versions of the Cluster, {judged} rules put to the test, '
                        + (f'{len(report.violations)} violations' if report.violations else 'no violation'), '=')
        return bool(report.versions and not report.violations)

    @staticmethod
    def member(status):
        """store-0: the last of its role, which goes from the highest index down."""
        return next((m for r, m in story.members(status) if r['id'] == 'store' and m['pod'].endswith('-0')), {})

    def run(self):
        try:
            for chapter in self.create, self.upgrade, self.hold, self.release:
                chapter()
            return self.judge()
        finally:
            self.screen.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in '--kubeconfig', '--results', '--freeze', '--thaw':
        parser.add_argument(name, required=True)
    parser.add_argument('--film')
    arguments = parser.parse_args()
    demo = Demo(arguments)
    try:
        went_well = demo.run()
    except BrokenPipeError:  # nobody reads on: no reason to say anything
        sys.stdout = open(os.devnull, 'w')
        return 1
    except (Broken, Refused, OSError, subprocess.SubprocessError) as error:
        print(f'demo: {error}', file=sys.stderr)
        return 1
    if arguments.film:
        film.write(arguments.film, demo.screen.frames)
    return 0 if went_well else 1


if __name__ == '__main__':
    sys.exit(main())
