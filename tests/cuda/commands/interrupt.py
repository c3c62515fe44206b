"""Types Ctrl-C on a terminal in which `texunit run --timeout` runs a program that counts it: interrupt.py TEXUNIT."""

import os
import pty
import sys

PROGRAM = """
import signal, sys, time
count = 0
def handler(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, handler)
print("ready", flush=True)
end = time.time() + 60
while not count and time.time() < end:
    time.sleep(0.01)
time.sleep(0.3)
print("interrupted", count, "times", flush=True)
sys.exit(7)
"""

pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", "--timeout", "100", "python3", "-c", PROGRAM])
text, typed = b"", False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # The other end is closed.
        break
    if not part:
        break
    text += part
    if b"ready" in text and not typed:
        typed = True
        os.write(terminal, b"\x03")
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
said = text.decode()[text.decode().find("interrupted") :].strip()
print(f"{said}, exit code {code}")
