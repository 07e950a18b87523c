"""The demo as an animated SVG: the pictures of the screen below each other, behind a window that jumps from one to the
next. Needs nothing but a browser to be seen."""
from xml.sax.saxutils import escape

COLUMNS, ROWS = 112, 24
CHAR_PX, LINE_PX, MARGIN_PX = 7.3, 17, 14
SHORTEST_S = 0.35  # pictures that stood for less are left out
LAST_S = 6         # the last one stays so long before it begins anew
FRAMES_MAX = 80


def chosen(frames):
    """(seconds shown, lines) of the pictures that differ and stood long enough to be seen."""
    kept = []
    for at, lines in frames:
        if kept and kept[-1][1] == lines:
            continue
        if kept and at - kept[-1][0] < SHORTEST_S:
            kept[-1] = (kept[-1][0], lines)
        else:
            kept.append((at, lines))
    kept = kept[:FRAMES_MAX]
    ends = [at for at, _ in kept[1:]] + [kept[-1][0] + LAST_S]
    return [(end - at, lines) for (at, lines), end in zip(kept, ends)]


def colour(number, line):
    if number == 0:
        return ' class="h"'
    if 'cannot be told' in line or 'refused' in line:
        return ' class="r"'
    return ' class="g"' if 'gone: everybody' in line or 'no violation' in line else ''


def texts(lines, top):
    for i, line in enumerate(lines[:ROWS]):
        if line:
            y = top + MARGIN_PX + (i + 1) * LINE_PX
            yield f'<text x="{MARGIN_PX}" y="{y}"{colour(i, line)}>{escape(line[:COLUMNS])}</text>'


def write(path, frames):
    frames = chosen(frames)
    width, height = COLUMNS * CHAR_PX + 2 * MARGIN_PX, ROWS * LINE_PX + 2 * MARGIN_PX
    total, at, steps, body = sum(s for s, _ in frames), 0, [], []
    for i, (seconds, lines) in enumerate(frames):
        steps.append(f'{at / total:.4%}{{transform:translateY({-i * height}px)}}')
        body.extend(texts(lines, i * height))
        at += seconds
    with open(path, 'w') as file:
        file.write(f'''<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}">
<style>text{{font:12px monospace;fill:#d8dee9}}.h{{font-weight:bold;fill:#fff}}.r{{fill:#ff7b72}}.g{{fill:#7ee787}}
.film{{animation:film {total:.1f}s steps(1,end) infinite}}
@keyframes film{{{''.join(steps)}}}</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
<g class="film">
{chr(10).join(body)}
</g>
</svg>
''')
