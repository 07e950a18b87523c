"""An edit for every field of a Cluster's spec, from the schema itself, so that a new field cannot be forgotten."""
import yaml


def sample(schema, variant=0, full=True):
    """A valid value; another VARIANT (0 or 1) is another value. None when the schema has only one."""
    if 'enum' in schema:
        return schema['enum'][variant] if variant < len(schema['enum']) else None
    if schema.get('x-kubernetes-int-or-string'):
        return str(variant + 1)
    if schema.get('x-kubernetes-preserve-unknown-fields'):
        return {'spec': {'priorityClassName': 'ab'[variant]}}
    kind = schema['type']
    if kind == 'object' and 'additionalProperties' in schema:
        return {'cpu': sample(schema['additionalProperties'], variant)}
    if kind == 'object':
        wanted = schema['properties'] if full else schema.get('required', [])
        return {name: sample(schema['properties'][name], variant, full) for name in wanted}
    if kind == 'array':
        return [sample(schema['items'], variant, full)]
    if kind == 'integer':
        return max(schema.get('minimum', 0), schema.get('default', 0)) + 1 + variant
    return {'string': 'ab'[variant], 'boolean': variant == 0}[kind]


def edits(schema, field, pointer):
    """Every edit of one value that sample(schema) has set: (field, what, JSON patch operation)."""
    def replace(what, value):
        return field, what, {'op': 'replace', 'path': pointer, 'value': value}

    if schema.get('x-kubernetes-preserve-unknown-fields'):
        yield replace('change inside', {'spec': {'priorityClassName': 'b'}})
        yield replace('other key inside', {'spec': {'nodeName': 'a'}})
        yield replace('metadata added', {'spec': {'priorityClassName': 'a'}, 'metadata': {'labels': {'a': 'b'}}})
    elif 'additionalProperties' in schema:
        value = sample(schema['additionalProperties'])
        yield replace('change of a value', {'cpu': sample(schema['additionalProperties'], 1)})
        yield replace('other key', {'memory': value})
        yield replace('key added', {'cpu': value, 'memory': value})
    elif 'properties' in schema:
        for name, child in schema['properties'].items():
            path = f'{pointer}/{name}'
            yield from edits(child, f'{field}.{name}' if field else name, path)
            fixed = sample(child) == child.get('default')
            if name not in schema.get('required', []) and not fixed:
                yield f'{field}.{name}' if field else name, 'removal', {'op': 'remove', 'path': path}
    elif schema.get('type') == 'array':
        yield field + '[]', 'item added', {'op': 'add', 'path': pointer + '/-', 'value': sample(schema['items'], 1)}
        yield from edits(schema['items'], field + '[]', pointer + '/0')
    elif sample(schema, 1) is not None:
        yield replace('change', sample(schema, 1))


def additions(schema, field, pointer):
    """Every optional field that is not in sample(schema, full=False), added to it."""
    for name, child in schema.get('properties', {}).items():
        path, below = f'{pointer}/{name}', f'{field}.{name}' if field else name
        if name not in schema.get('required', []):
            yield below, 'addition', {'op': 'add', 'path': path, 'value': sample(child)}
        elif child.get('type') == 'array':
            yield from additions(child['items'], below + '[]', path + '/0')


def spec_of(crd):
    with open(crd) as file:
        return yaml.safe_load(file)['spec']['versions'][0]['schema']['openAPIV3Schema']['properties']['spec']


def all_edits(spec):
    """(base, field, what is done to it, JSON patch) for every field; BASE: the specs of bases() that it is an edit of."""
    for base, rows in ('full', edits(spec, '', '/spec')), ('minimal', additions(spec, '', '/spec')):
        for field, what, patch in rows:
            yield base, field, what, [patch]


def bases(spec):
    """A spec with every field set, and one with the required ones only."""
    return {'full': sample(spec), 'minimal': sample(spec, full=False)}
