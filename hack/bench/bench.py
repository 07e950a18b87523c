#!/usr/bin/env python3
"""Measures build/rolecall: memory, CPU, requests, status writes, deliveries. See README.md of this folder."""
import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile

from plot import draw
from scenario import Scenario
from world import ROOT, Kubernetes, Kubesim

ALL, QUICK, REAL = ['10x10', '100x10', '1000x10', '1x1000'], ['3x4'], ['4x5']
FIGURES_FILE = 'bench.json'


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('scenarios', nargs='*', metavar='CLUSTERSxMEMBERS', help='default: ' + ' '.join(ALL))
    parser.add_argument('--quick', action='store_true', help='a small one, in seconds: for counts, not for times')
    parser.add_argument('--real', action='store_true', help='on the Kubernetes of KUBECONFIG, with the nodes of hack/kube.sh')
    parser.add_argument('--out', default=os.path.join(ROOT, 'build', 'bench'), help='folder for bench.json and logs')
    parser.add_argument('--svg', metavar='FILE', help='draws the figures')
    parser.add_argument('--draw', metavar='JSON', help='draws the figures of an earlier run, and runs nothing')
    parser.add_argument('--rolecall', default=os.path.join(ROOT, 'build', 'rolecall'))
    parser.add_argument('--kubesim', default=os.path.join(ROOT, 'build', 'kubesim'))
    parser.add_argument('--speed', type=float, default=20, help="kubesim's nodes go so many times as fast (20)")
    parser.add_argument('--handler-ms', type=int, default=10, help='how long a handler runs in kubesim (10)')
    parser.add_argument('--idle-s', type=float, default=10, help='how long it is watched when idle (10)')
    parser.add_argument('--settle-s', type=float, default=7,
                        help='how long it does nothing before that (7: it gives free memory back after 5)')
    parser.add_argument('--kills', type=int, default=50, help='containers that are killed (50)')
    options = parser.parse_args()
    if options.quick:
        options.settle_s, options.idle_s, options.kills = 1, 1, 3
    options.scenarios = options.scenarios or (REAL if options.real else QUICK if options.quick else ALL)
    return options


def machine():
    with open('/proc/cpuinfo') as file:
        model = next((line.split(':')[1].strip() for line in file if line.startswith('model name')), platform.machine())
    return {'cpu': model, 'cores': os.cpu_count(), 'kernel': platform.release(), 'load': os.getloadavg()[0]}


def run(name, options):
    clusters, size = map(int, name.split('x'))
    scenario = Scenario(clusters, size, options)
    print(f'bench: {name}', file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with Kubernetes(os.environ['KUBECONFIG']) if options.real else \
                Kubesim(options.kubesim, folder, options.speed, options.handler_ms) as world:
            figures = scenario.run(world, options.out)
    return {'name': name, 'clusters': clusters, 'members': scenario.members, 'figures': figures}


def text(number):
    return f'{number:.0f}' if number == int(number) else f'{number:.2f}'


def print_table(result):
    runs = result['scenarios']
    names = list(dict.fromkeys(name for run in runs for name in run['figures']))
    rows = [['', *(run['name'] for run in runs)]]
    rows += [[name, *(text(run['figures'][name]) for run in runs)] for name in names]
    widths = [max(len(row[i]) for row in rows) for i in range(len(runs) + 1)]
    for row in rows:
        print(row[0].ljust(widths[0]), *(cell.rjust(max(width, 9)) for cell, width in zip(row[1:], widths[1:])))


def main():
    options = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('ended by SIGTERM'))  # so that what it has started is ended, too
    if options.draw:
        with open(options.draw) as file:
            result = json.load(file)
    else:
        os.makedirs(options.out, exist_ok=True)
        version = subprocess.run([options.rolecall, 'version', '--client'], capture_output=True, text=True, check=True).stdout
        result = {'version': version.strip(), 'world': 'Kubernetes' if options.real else 'kubesim', 'machine': machine()}
        result['scenarios'] = [run(name, options) for name in options.scenarios]
        with open(os.path.join(options.out, FIGURES_FILE), 'w') as file:
            json.dump(result, file, indent=1)
            file.write('\n')
        print_table(result)
    if options.svg:
        with open(options.svg, 'w') as file:
            file.write(draw(result))


if __name__ == '__main__':
    main()
