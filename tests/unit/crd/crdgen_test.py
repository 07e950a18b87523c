#!/usr/bin/env python3
"""hack/crdgen.py: slips in a schema are refused with the place, and what is right becomes the C that codec.h promises."""
import subprocess
import sys
import tempfile
from pathlib import Path

CRDGEN = Path(__file__).resolve().parents[3] / "hack" / "crdgen.py"
META = """
object_meta: {type: object, title: object_meta, properties: {name: {type: string}}}
"""
ROOT = """
spec:
  names: {kind: %s}
  versions:
  - schema:
      openAPIV3Schema:
        type: object
        title: %s
        properties:
          metadata: {type: object}
          spec: {type: object, title: %s_spec, properties: {%s}}
          status: {type: object, title: %s_status, properties: {a: {type: string}}}
"""

# What App's spec holds -> the line in types.h or, when it begins with "crdgen", the error.
ROWS = [
    ("nodeID: {type: string}", "const char *node_id;"),
    ("a: {type: integer}", "int64_t a;"),
    ("a: {type: integer, minimum: 0}", "bool has_a;"),
    ("a: {type: boolean}", "bool a;"),
    ("a: {type: string, format: date-time}", "int64_t a;"),
    ("a: {type: string, title: my_word, enum: [x y, Z]}", "MY_WORD_X_Y,"),
    ("a: {type: string, title: my_word, enum: [x y, Z]}", "enum my_word a;"),
    ("a: {type: string, enum: [x]}", "const char *a;"),
    ("a: {type: array, items: {type: string, enum: [x]}}", "const char **a;"),
    ("a: {type: object, additionalProperties: {type: string}}", "struct crd_pair *a;"),
    ("a: {type: object, x-kubernetes-preserve-unknown-fields: true}", "const char *a;"),
    ("a: {type: array, items: {type: object, title: t, properties: {b: {type: string}}}}", "struct t *a;"),
    ("a: {type: array, items: {type: object, title: t, properties: {b: {type: string}}}}", "size_t a_count;"),
    ("rolecall.dev/a-b: {type: string, description: Said once.}", "const char *a_b; /* Said once. */"),
    ("a: {$ref: object_meta}", "struct object_meta *a;"),
    ("a: {$ref: nothing}", "crdgen: $ref to the unknown title nothing"),
    ("a: {type: number}", "crdgen: app_spec.a: type number has no C counterpart"),
    ("a: {type: object, properties: {b: {type: string}}}", "crdgen: an object schema without a title: ['b']"),
    ("a: {type: string, description: One, two}", "crdgen: app.yaml: spec: a: unknown schema keyword: two"),
    ("a: {type: string, title: w, enum: [x]}, b: {type: string, title: w, enum: [y]}",
     "crdgen: app.yaml: spec: b: title w is used for two different schemas"),
    ("a: {type: string", "crdgen: while parsing a flow mapping"),
]


def generate(fields):
    """types.h, or the error."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "child").mkdir()
        (folder / "child" / "meta.yaml").write_text(META)
        (folder / "app.yaml").write_text(ROOT % ("App", "app", "app", fields, "app"))
        (folder / "cluster.yaml").write_text(ROOT % ("Cluster", "cluster", "cluster", "a: {type: string}", "cluster"))
        run = subprocess.run([sys.executable, CRDGEN, folder], capture_output=True, text=True)
        return run.stderr if run.returncode else (folder / "gen" / "types.h").read_text()


def main():
    failed = 0
    for fields, expected in ROWS:
        result = generate(fields)
        if expected not in result:
            failed += 1
            print(f"FAIL {fields}: no \"{expected}\" in:\n{result}")
    print(f"{len(ROWS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
