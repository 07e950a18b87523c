#!/usr/bin/env python3
"""The README's reference is whole: every reason, annotation, option, exit code and link is what the sources have."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
README = os.path.join(ROOT, 'go-free-README.md')
ROLECALL = os.environ.get('ROLECALL', os.path.join(ROOT, 'build', 'rolecall'))

passed = failed = 0


def check(what, holds, detail=''):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f'FAIL {what}: {detail}')


def sources(folder):
    for path in sorted(glob.glob(f'{ROOT}/{folder}/**/*.[ch]', recursive=True)):
        with open(path) as file:
            yield path, file.read()


def found(pattern, folder='reconcile'):
    """What the pattern's groups match in the sources, each once."""
    return sorted({word for _, text in sources(folder) for match in re.findall(pattern, text)
                   for word in ([match] if isinstance(match, str) else match) if word})


def all_named(what, words, text):
    check(f'{what} were found in the sources', words)
    for word in words:
        check(f'{what}: {word} is in the README', f'`{word}`' in text or f'| {word}' in text or f', {word}' in text)


def links_lead_somewhere(text):
    targets = re.findall(r'\]\(([^)#]+)', text)
    check('the README has links', len(targets) > 10)
    for target in targets:
        check(f'link to {target}', os.path.exists(os.path.join(ROOT, target)))


def options_are_told():
    """Commands of --help are in the README's section on the command line."""
    done = subprocess.run([ROLECALL, '--help'], capture_output=True, text=True, check=True)
    with open(README) as file:
        text = file.read()
    commands = re.search(r'^commands:\n(.*?)\n\n', done.stdout, re.M | re.S).group(1)
    for command in re.findall(r'^  ([a-z-]+)', commands, re.M):
        check(f'command {command} is in the README', f'rolecall {command}' in text or command == 'help')
    for code, _ in re.findall(r'^  (\d)  (.*)$', done.stdout, re.M):
        check(f'exit code {code} is in the README', f'| {code} |' in text)


def main():
    with open(README) as file:
        text = file.read()
    all_named('event reasons', found(r'draft_event\(d, \w+,\s*"(\w+)"') + found(r'\bevent\(d, \w+,\s*"(\w+)"'), text)
    all_named('refusals', found(r'REFUSED\("(\w+)"'), text)
    all_named('conditions and reasons',
              found(r'set\(d, "(\w+)", \w+, "(\w+)"') + found(r'case PLAN_KIND_\w+:\s*return "([A-Z]\w+)"'), text)
    all_named('gates', found(r'\{ "([A-Z]\w+)", \w+ \}', 'reconcile/upgrade'), text)
    annotations = found(r'"(rolecall\.dev/(?:paused|retry|skip-notify|give-up))"')
    check('four annotations were found in the sources', len(annotations) == 4, annotations)
    for name in annotations:
        check(f'annotation {name} is in the README', f'`{name}:' in text)
    links_lead_somewhere(text)
    options_are_told()
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
