"""Every comparison and boolean of a C file, flipped: the second kind of fault of hack/mutants.py."""
import collections
import re

# TEXT is the whole file with the fault in it; WAS and NOW are the line, or what a list says of it.
Mutant = collections.namedtuple("Mutant", "name rule file function line was now text")

TOKEN = re.compile(r"""
    (?P<skip> //[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#(?:\\\n|[^\n])*
            | <<=|>>=|<<|>>|-> )
  | (?P<op> <=|>=|==|!=|&&|\|\||<|>|! )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<paren> [()] )
""", re.X | re.S | re.M)
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "!": "",
           "true": "false", "false": "true"}
# One off. Not of a loop's end, where it reads behind an array, nor of an assertion, which decides nothing.
SHIFTED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
FUNCTION = re.compile(r"^(?!#)[A-Za-z_][^;={}]*?\b(\w+)\((?:[^;{}]|\n)*?\)\n\{|^(?:static )?const struct \{", re.M)


def tokens(text):
    """(start, end, token, is it in a loop's head or an assertion) of what can be flipped."""
    depth, head, pending = 0, None, False
    for m in TOKEN.finditer(text):
        token = m.group()
        if m.lastgroup == "paren":
            depth += 1 if token == "(" else -1
            if pending and token == "(":
                head, pending = depth, False
            if head is not None and depth < head:
                head = None
        elif token in NEGATED:
            yield m.start(), m.end(), token, head is not None
        elif m.lastgroup == "word":
            pending = token in ("for", "assert")


def line_at(text, at):
    first = text.rfind("\n", 0, at) + 1
    return text[first:text.find("\n", at)].strip()


def flips(file, text):
    functions = [(m.start(), m.group(1) or "a table") for m in FUNCTION.finditer(text)]
    for start, end, token, in_head in tokens(text):
        inside = [name for at, name in functions if at < start]
        for now in [NEGATED[token]] + ([SHIFTED[token]] if token in SHIFTED and not in_head else []):
            mutated = text[:start] + now + text[end:]
            was, is_now = line_at(text, start), line_at(mutated, start)
            yield Mutant(f"{token} -> {now or 'nothing'}", "flip", file, inside[-1] if inside else "?",
                         text.count("\n", 0, start) + 1, was, is_now, mutated)
