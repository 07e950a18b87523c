#!/usr/bin/env python3
"""The bench on a small scenario: its figures are there, and those that are no times are within their bounds."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
OUT = os.environ.get('OUT') or sys.exit('bench_test: OUT shall name the build folder, as "make unit" does')
STATES = ('idle, nothing there', 'idle, all configured', 'idle, all upgraded', 'restarted, all there')
PHASES = ('create', 'upgrade')
CLUSTERS, MEMBERS = 3, 12
PATIENCE_S = 300
FIGURES = [
    'start, nothing there (ms)', 'start, all there (ms)', 'one role: deliveries per second',
    'container up to delivery, median (ms)', 'container up to delivery, worst (ms)',
    *(f'{state}: {figure}' for state in STATES for figure in ('CPU (s)', 'RSS (MiB)', 'anonymous (MiB)')),
    *(f'{phase}: {figure}' for phase in PHASES
      for figure in ('time (s)', 'RSS, peak (MiB)', 'anonymous, peak (MiB)', 'requests per member',
                     'status writes per member', 'status KiB per member', 'passes per member', 'requests.apply')),
]


def run(folder):
    command = [sys.executable, f'{ROOT}/hack/bench/bench.py', '--quick', '--out', folder, '--svg', f'{folder}/bench.svg',
               '--rolecall', f'{OUT}/rolecall', '--kubesim', f'{OUT}/kubesim']
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bench:
        try:
            table, errors = bench.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            bench.terminate()  # not kill: what it has started shall end with it
            table, errors = bench.communicate()
            errors += f'\nnot within {PATIENCE_S} s'
    if bench.returncode:
        return table, errors, None
    with open(f'{folder}/bench.json') as file:
        return table, errors, json.load(file)


def checks(folder):
    """(what, does it hold)"""
    table, errors, result = run(folder)
    yield f'the bench ends well: {errors[-500:]}', bool(result)
    if not result:
        return
    scenario, = result['scenarios']
    figures = scenario['figures']
    yield 'the scenario says what it was', (scenario['clusters'], scenario['members']) == (CLUSTERS, MEMBERS)
    for name in FIGURES:
        yield f'there is a number "{name}"', isinstance(figures.get(name), (int, float)) and figures[name] >= 0
        yield f'the table has "{name}"', name in table
    for state in STATES:
        yield f'{state}: no request but watches', figures[f'{state}: requests but watches'] == 0
    for phase in PHASES:
        yield f'{phase}: no request failed', figures[f'{phase}: other failures'] == 0
    yield 'every member of the role was notified', figures['one role: notified (members)'] == MEMBERS / CLUSTERS
    for phase, most in ('create', 3), ('upgrade', 6):
        writes = figures[f'{phase}: status writes per member']
        yield f'{phase}: {writes:.2f} status writes per member, at most {most}', 0 < writes <= most
    yield 'nothing is listed again', figures['create: requests.list'] + figures['upgrade: requests.list'] == 0
    tree = xml.etree.ElementTree.parse(f'{folder}/bench.svg')
    yield 'the plot is an SVG', tree.getroot().tag == '{http://www.w3.org/2000/svg}svg'


def main():
    bad = good = 0
    with tempfile.TemporaryDirectory() as folder:
        for what, holds in checks(folder):
            good, bad = good + holds, bad + (not holds)
            holds or print(f'FAIL {what}')
    print(f'{good} passed, {bad} failed, 0 skipped')
    sys.exit(bad > 0)


if __name__ == '__main__':
    main()
