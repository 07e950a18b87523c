#!/usr/bin/env python3
"""The README's reference is whole: every reason, annotation, option and exit code is what the sources have, every promise has
a test that names its rule, and every link and file that a README of this tree names is there."""
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


def all_text(path):
    """Of a file, or of the files right in a folder."""
    files = sorted(glob.glob(f'{path}/*.*')) if os.path.isdir(path) else [path]
    text = ''
    for name in files:
        with open(name) as file:
            text += file.read()
    return text


def every_promise_has_a_test(text):
    """A rule of the design is in the table of promises, and a file that its row links to names it."""
    rules = [f'{letter}{number}' for letter, last in (('N', 9), ('U', 4), ('P', 5)) for number in range(1, last + 1)]
    rows = {rule: links for rule_list, links in re.findall(r'^\|.*\| ([NUP]\d(?:, [NUP]\d)*) \| (.*) \|$', text, re.M)
            for rule in rule_list.split(', ')}
    check('the promises are those of the design', sorted(rows) == sorted(rules), sorted(set(rules) ^ set(rows)))
    for rule, links in rows.items():
        targets = [os.path.join(ROOT, target) for target in re.findall(r'\]\(([^)]+)', links)]
        named = [target for target in targets if os.path.exists(target) and re.search(rf'\b{rule}\b', all_text(target))]
        check(f'{rule}: a test that is linked names it', named, links)


def readmes():
    for path in sorted(glob.glob(f'{ROOT}/**/README.md', recursive=True)):
        if not os.path.relpath(path, ROOT).startswith('build/'):
            with open(path) as file:
                yield os.path.relpath(path, ROOT), file.read()


def links_lead_somewhere():
    """Links, and names of source files in the tables that map concepts to them."""
    sources_here = {os.path.basename(path) for path in glob.glob(f'{ROOT}/**/*.[ch]', recursive=True)}
    for readme, text in readmes():
        folder = os.path.dirname(os.path.join(ROOT, readme))
        for target in re.findall(r'\]\(([^)#]+)', text):
            check(f'{readme}: link to {target}', os.path.exists(os.path.join(folder, target)))
        for name in re.findall(r'`((?:[\w.-]+/)*[\w-]+\.[ch])`', text):
            here = os.path.exists(os.path.join(folder, name)) or os.path.exists(os.path.join(ROOT, name))
            check(f'{readme}: file {name}', here or name in sources_here)


def every_source_is_mapped():
    """The folder READMEs lead to each file of the program."""
    text = ''.join(text for _, text in readmes())
    for folder in 'crd', 'reconcile', 'controller':
        for path, _ in sources(folder):
            name = os.path.basename(path)
            if name.endswith('.c') and '/gen/' not in path:
                check(f'{os.path.relpath(path, ROOT)} is in a README', re.search(rf'\b{name[:-2]}\b', text))


def said(*args):
    return subprocess.run([ROLECALL, *args], capture_output=True, text=True, check=True).stdout


def commands_and_options_are_told(text):
    """What --help says is in the README: commands, exit codes, and each option with its letter, value and commands."""
    commands = re.search(r'^commands:\n(.*?)\n\n', said('--help'), re.M | re.S).group(1)
    options = {}
    for command in re.findall(r'^  ([a-z-]+)', commands, re.M):
        check(f'command {command} is in the README', f'rolecall {command}' in text or command == 'help')
        for letter, name in re.findall(r'^  (?:(-\w), |    )(--[\w-]+(?: [A-Z]+)?)  ?', said(command, '--help'), re.M):
            options.setdefault((f'`{letter}`, ' if letter else '') + f'`{name}`', []).append(command)
    table = dict(re.findall(r'^\| ((?:`-\w`, )?`--[\w-]+(?: [A-Z]+)?`) \| (.*?) \|', text, re.M))
    check('the options in the README are those of --help', sorted(table) == sorted(options), f'{table}, {options}')
    for option, where in table.items():
        named = re.findall('`([a-z-]+)`', where)
        if named and 'all' not in where:
            check(f'{option} is of {where}', sorted(named) == sorted(options.get(option, [])), options.get(option))
    for code, _ in re.findall(r'^  (\d)  (.*)$', said('--help'), re.M):
        check(f'exit code {code} is in the README', f'| {code} |' in text)


def main():
    with open(README) as file:
        text = file.read()
    all_named('event reasons', found(r'draft_event\(d, \w+,\s*"(\w+)"') + found(r'\bevent\(d, \w+,\s*"(\w+)"'), text)
    all_named('refusals', found(r'REFUSED\("(\w+)"'), text)
    calls = found(r'\b(?:set|plan_end)\(d, ([^;]*)\);')
    all_named('conditions and reasons', sorted({word for call in calls for word in re.findall(r'"([A-Z]\w+)"', call)}), text)
    all_named('reasons of plans that run', found(r'case PLAN_KIND_\w+:\s*return "([A-Z]\w+)"'), text)
    all_named('gates', found(r'\{ "([A-Z]\w+)", \w+ \}', 'reconcile/upgrade'), text)
    annotations = found(r'"(rolecall\.dev/(?:paused|retry|skip-notify|give-up))"')
    check('four annotations were found in the sources', len(annotations) == 4, annotations)
    for name in annotations:
        check(f'annotation {name} is in the README', f'`{name}:' in text)
    every_promise_has_a_test(text)
    links_lead_somewhere()
    every_source_is_mapped()
    commands_and_options_are_told(text)
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
