"""Shows the story: on a terminal a table that is drawn over itself, elsewhere plain lines that a log can keep."""
import shutil
import sys
import time

import story

NEWS_SHOWN = 9
BOLD, GREEN, RED, DIM, PLAIN = '\033[1m', '\033[32m', '\033[31m', '\033[2m', '\033[0m'


def columns(rows):
    """Rows of texts -> lines with aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ['  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]


class Screen:
    def __init__(self, keep_frames=False):
        self.begun = time.monotonic()
        self.is_live = sys.stdout.isatty()
        self.news, self.chapter = [], ''
        self.status, self.pods = {}, {}
        self.frames = [] if keep_frames else None  # (seconds, lines) of every picture, for film.py
        if self.is_live:
            print('\033[?25l\033[2J', end='')

    def close(self):
        if self.is_live:
            print('\033[?25h', end='', flush=True)

    def seconds(self):
        return time.monotonic() - self.begun

    def say(self, text, mark=' '):
        """One line that stays: a change of state."""
        line = f'{self.seconds():5.1f} s {mark} {text}'
        self.news.append(line)
        if not self.is_live:
            print(line, flush=True)
        self.draw()

    def begin(self, chapter):
        self.chapter = chapter
        if not self.is_live:
            print(f'\n== {chapter}', flush=True)
        self.draw()

    def show(self, status, pods):
        self.status, self.pods = status, pods
        self.draw()

    def print_table(self):
        """For where nothing is drawn over itself: once at the turning points of the story."""
        if not self.is_live:
            print('\n'.join('        | ' + line for line in self._picture()), flush=True)

    def _picture(self):
        return [story.headline(self.status), *columns(story.table(self.status, self.pods))]

    def lines(self):
        """The whole picture as it is now."""
        return [self.chapter, '', *self._picture(), '', *self.news[-NEWS_SHOWN:]]

    def draw(self):
        if self.frames is not None:
            self.frames.append((self.seconds(), self.lines()))
        if not self.is_live:
            return
        width, height = shutil.get_terminal_size()
        lines = self.lines()[:height - 1]
        text = ''.join(f'{colour(i, line[:width - 1])}\033[K\n' for i, line in enumerate(lines))
        print(f'\033[H{text}\033[J', end='', flush=True)


def colour(number, line):
    if number == 0:
        return BOLD + line + PLAIN
    if 'cannot be told' in line or 'refused' in line:
        return RED + line + PLAIN
    if 'gone: everybody' in line or 'no violation' in line:
        return GREEN + line + PLAIN
    return line
