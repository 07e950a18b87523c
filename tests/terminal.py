"""A program on a terminal of a chosen width."""
import contextlib
import fcntl
import os
import pty
import struct
import termios

ROWS = 24


def on_terminal(columns, start):
    """(the process, all that it wrote): START is given the terminal and returns the process."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, columns, 0, 0))
    process = start(slave)
    os.close(slave)
    output = b''
    with contextlib.suppress(OSError):  # EIO: the other side is closed
        while chunk := os.read(master, 65536):
            output += chunk
    os.close(master)
    return process, output.decode()
