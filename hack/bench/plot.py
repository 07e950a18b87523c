"""The figures of a run as an SVG of two panels, which is readable on light and on dark ground."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, PANEL, LEFT, TOP, BOTTOM = 920, 420, 340, 50, 60, 320
# Colours that are told apart by the colour-blind, too (Okabe and Ito), each for light and for dark ground.
COLOURS = [('#0072b2', '#56b4e9'), ('#d55e00', '#e69f00'), ('#007a5a', '#30c090'), ('#a04a80', '#e090c0')]
MEMORY = [('RSS, peak of the upgrade', 'upgrade: RSS, peak (MiB)'), ('RSS, idle', 'idle, all configured: RSS (MiB)'),
          ('RSS, restarted', 'restarted, all there: RSS (MiB)'),
          ('anonymous, idle', 'idle, all configured: anonymous (MiB)')]
WORK = [('requests', 'upgrade: requests per member'), ('execs', 'upgrade: execs per member'),
        ('status writes', 'upgrade: status writes per member')]


def style():
    light = ''.join(f'.c{i}{{stroke:{c[0]};fill:{c[0]}}}' for i, c in enumerate(COLOURS))
    dark = ''.join(f'.c{i}{{stroke:{c[1]};fill:{c[1]}}}' for i, c in enumerate(COLOURS))
    return ('text{font:12px sans-serif;fill:#24292f;stroke:none}.grid{stroke:#8884;stroke-width:1}'
            f'.line{{fill:none;stroke-width:2}}.hollow{{fill:none;stroke-width:2}}{light}'
            f'@media(prefers-color-scheme:dark){{text{{fill:#e6edf3}}{dark}}}.line,.hollow{{fill:none}}')


def step(top):
    """A round distance for about five lines up to TOP."""
    power = 10 ** math.floor(math.log10(top / 5))
    return next(n * power for n in (1, 2, 5, 10) if n * power * 5 >= top)


class Panel:
    """Members to the right, by powers of ten; what is drawn upwards."""

    def __init__(self, x, title, runs, rows):
        self.x, self.title, self.runs, self.rows = x, title, runs, rows
        sizes = [run['members'] for run in runs]
        self.low, self.high = math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes)))
        self.high = max(self.high, self.low + 1)
        top = max(run['figures'][key] for run in runs for _, key in rows)
        self.step = step(top)
        self.top = math.ceil(top / self.step) * self.step
        self.parts = [f'<text x="{x}" y="{TOP - 30}" font-weight="bold">{escape(title)}</text>']

    def place(self, members, value):
        right = (math.log10(members) - self.low) / (self.high - self.low)
        return self.x + right * PANEL, BOTTOM - value / self.top * (BOTTOM - TOP)

    def text(self, x, y, words, anchor='middle'):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>')

    def draw(self):
        for i in range(round(self.top / self.step) + 1):
            _, y = self.place(10 ** self.low, i * self.step)
            self.parts.append(f'<path class="grid" d="M{self.x} {y:.1f}h{PANEL}"/>')
            self.text(self.x - 8, y + 4, f'{i * self.step:g}', 'end')
        for power in range(self.low, self.high + 1):
            self.text(self.place(10 ** power, 0)[0], BOTTOM + 18, f'{10 ** power:,}')
        self.text(self.x + PANEL / 2, BOTTOM + 36, 'members')
        for i, (words, key) in enumerate(self.rows):
            self._row(i, words, key)
        return ''.join(self.parts)

    def _row(self, i, words, key):
        many = sorted((run['members'], run['figures'][key]) for run in self.runs if run['clusters'] > 1)
        points = [self.place(*point) for point in many]
        if points:
            self.parts.append(f'<path class="c{i} line" d="M' + 'L'.join(f'{x:.1f} {y:.1f}' for x, y in points) + '"/>')
        self.parts += [f'<circle class="c{i}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in points]
        for run in self.runs:
            if run['clusters'] == 1:
                x, y = self.place(run['members'], run['figures'][key])
                self.parts.append(f'<path class="c{i} hollow" d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>')
        x, y = self.x + i % 2 * 200, BOTTOM + 58 + i // 2 * 16
        self.parts.append(f'<path class="c{i} line" d="M{x} {y - 4}h18"/>')
        self.text(x + 24, y, words, 'start')


def draw(result):
    runs = result['scenarios']
    panels = (Panel(LEFT, 'Memory of the operator (MiB)', runs, MEMORY),
              Panel(WIDTH - PANEL - 30, 'What an upgrade costs, for each member', runs, WORK))
    note = f'{result["version"]} on {result["world"]}; lines: clusters of equal size, diamond: a single cluster'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">'
            f'<title>{escape(note)}</title><style>{style()}</style>'
            + '\n'.join(panel.draw() for panel in panels)
            + f'<text x="{LEFT}" y="{HEIGHT - 8}">{escape(note)}</text></svg>\n')
