#!/usr/bin/env python3
"""Starts `PROGRAM demo` on a pseudo-terminal, waits until it shows the demo's jobs, and leaves it by `q`.

Fails when the jobs do not come, when the program does not end by `q` or ends with another code than 0, when the terminal
stays on its alternate screen or has other settings than before, and when the throw-away copy of the demo is still there.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

DEADLINE_SECONDS = 60
ROWS, COLUMNS = 24, 80
WANTED = "tap-github-to-target-"
ENTER_SCREEN, LEAVE_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"
SEQUENCE = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\^_])")


class Terminal:
    def __init__(self, command, home, temporary):
        self.seen = b""
        self.deadline = time.monotonic() + DEADLINE_SECONDS
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.settings = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            cwd=home,
            env={
                "HOME": home,
                "TMPDIR": temporary,
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
                "TZ": "UTC",
                "PATH": "/usr/bin:/bin",
            },
        )
        self.slave = slave

    def text(self):
        return SEQUENCE.sub(b"", self.seen).decode(errors="replace")

    def read(self):
        """Takes what the program has drawn, or waits a moment for it; false when there is no time left."""
        if select.select([self.master], [], [], 0.1)[0]:
            self.seen += os.read(self.master, 65536)
        return time.monotonic() < self.deadline

    def until(self, condition, what):
        while not condition():
            if not self.read():
                self.process.kill()
                fail(f"{what} did not happen in {DEADLINE_SECONDS} s", self)


def fail(message, terminal):
    sys.exit(f"{message}; what was on the terminal:\n{terminal.text()}")


def ended(terminal):
    return terminal.process.poll() is not None


def left_below(folder):
    return [os.path.join(below, name) for below, folders, files in os.walk(folder) for name in folders + files]


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as temporary:
        terminal = Terminal([program, "demo"], home, temporary)
        terminal.until(lambda: ended(terminal) or WANTED in terminal.text(), f"{WANTED} on the screen")
        if ended(terminal):
            fail(f"it ended by itself with {terminal.process.returncode}", terminal)
        os.write(terminal.master, b"q")
        terminal.until(lambda: ended(terminal), "the end after q")
        while select.select([terminal.master], [], [], 0)[0]:
            terminal.read()
        if terminal.process.returncode != 0:
            fail(f"it ended with {terminal.process.returncode}", terminal)
        if terminal.seen.rfind(LEAVE_SCREEN) <= terminal.seen.rfind(ENTER_SCREEN):
            fail("it never was on the alternate screen, or stayed there", terminal)
        if termios.tcgetattr(terminal.slave) != terminal.settings:
            fail("it left other terminal settings than it found", terminal)
        if left_below(temporary):
            fail(f"it left its throw-away copy behind: {left_below(temporary)}", terminal)
        print("the demo was shown, left by q with exit code 0, and nothing stayed behind")


if __name__ == "__main__":
    main()
