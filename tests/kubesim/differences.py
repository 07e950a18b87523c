"""Where kubesim may answer in another way than a real API server, and why."""
import collections
import fnmatch

# QUESTIONS, PLACE: patterns as in a shell; of which questions, and where in the answer.
Difference = collections.namedtuple('Difference', 'questions place reason')

ALLOWED = [Difference(*row) for row in [
    # What people read, and no program.
    ('no JSON', 'answer.message', 'a parser has its own words'),
    ('nothing', 'answer.message', 'a parser has its own words'),
    ('a list for an object', 'answer.message', 'a parser has its own words'),
    ('mistakes: cluster kind: *', 'answer.message', 'the whole object is not repeated in the message'),
    ('JSON patch: no list', 'answer.message', 'a parser has its own words'),
    ('merge patch: no object', 'answer.message', 'a parser has its own words'),
    ('delete: no options', 'answer.message', 'a parser has its own words'),
    ('pages: a token that is none', 'answer.message', 'tokens are no base64'),
    ('a namespace as a Table', 'answer.columnDefinitions.*.description', 'kubectl shows no description of a column'),
    ('Table *', 'answer.columnDefinitions.0.description', 'kubectl shows no description of a column'),
    ('put: another uid', 'answer.message', 'the real one tells of its storage, whose key and words are its own'),
    # Less, and nobody here asks for more.
    ('discovery', 'answer.resources.*.verbs', 'no deletion of collections'),
    ('list*', 'answer.metadata.continue', 'empty or absent, as the real one has both'),
    ('pages: *', 'answer.metadata.continue', 'empty or absent, as the real one has both'),
    ('labels: size>0', 'answer', 'labels are not compared as numbers'),
    ('a version in a new object', 'answer.reason', 'a 500 of the real one has no reason, ours always has one'),
    ('JSON patch: *', 'answer.details', 'empty there, absent here'),
    ('apply: nobody', 'answer.details', 'what a program could read of a refusal of options'),
    ('watch: initial events without a match', 'answer.0.details', 'what a program could read of a refusal of options'),
    ('edits: App: deletion in use', 'answer.details.causes', 'the message, once more'),
    ('410: the next page', 'answer.*m*', 'no token to go on with, and nothing said of it'),
    # Refused in another way.
    ('a method that is not there', '*', 'refused with 405, not for the missing name'),
    ('dry run: of another word', '*', 'refused with 400, not as an invalid object of options'),
    ('watch: no version', '*', 'refused with 400, not 500'),
    ('merge patch: another uid', '*', 'refused with the 409 of a PUT'),
    ('put: no version', 'answer.*', 'the kind is named where the real one names the plural'),
    ('apply: an unknown field', '*', 'refused in the words of every other write'),
    # Taken where the real one refuses.
    ('apply: what another owns', '*', 'appliers do not conflict: there are no managedFields'),
    ('held: another finalizer', '*', 'finalizers may be added to what is ending'),
    ('mistakes: cluster metadata.labels: *', '*', 'labels and annotations are taken as they come'),
    ('mistakes: cluster metadata.annotations: *', '*', 'labels and annotations are taken as they come'),
    ('mistakes: cluster metadata.finalizers: *', '*', 'finalizers are taken as they come'),
    ('mistakes: cluster spec.roles.0.members: 2.0', '*', 'cJSON does not tell 2.0 from 2'),
    # Refused as well, with fewer causes.
    ('mistakes: cluster metadata: *', '*', 'metadata that is no object counts as none'),
    ('mistakes: cluster metadata.name: 7', '*', 'a name that is no text counts as none'),
    ('mistakes: cluster metadata.name: *(256)', 'answer.*', 'too long a name is told of as a wrong one'),
    ("mistakes: cluster spec.roles: *'x'*", 'answer.details.causes', 'not told twice'),
    ('mistakes: *: 1.5', 'answer.details.causes', 'not told twice'),
    ("mistakes: *{'cpu': 1.5}}", 'answer.details.causes', 'not told twice'),
    ('mistakes: *0000', 'answer.details.causes', 'not told twice'),
    ('mistakes: app spec.version: 1.0', 'answer.details.causes.*', 'cJSON does not tell 1.0 from 1'),
]]
ABSENT = '<absent>'


def apart(got, wanted, place=''):
    """(place, got, wanted) of everything that is not the same."""
    if isinstance(got, dict) and isinstance(wanted, dict):
        for key in sorted({*got, *wanted}):
            yield from apart(got.get(key, ABSENT), wanted.get(key, ABSENT), f'{place}.{key}' if place else key)
    elif isinstance(got, list) and isinstance(wanted, list) and len(got) == len(wanted):
        for i, pair in enumerate(zip(got, wanted)):
            yield from apart(*pair, f'{place}.{i}')
    elif got != wanted or type(got) is not type(wanted):
        yield place, got, wanted


def forbidden(name, got, wanted, used):
    """What is not the same and may not be so; the differences that explain the rest go to USED."""
    for place, is_, shall in apart(got, wanted):
        reasons = [d for d in ALLOWED if fnmatch.fnmatchcase(name, d.questions) and fnmatch.fnmatchcase(place, d.place)]
        used.update(reasons)
        if not reasons:
            yield f'\n  {place}\n    got    {is_!r}\n    wanted {shall!r}'
