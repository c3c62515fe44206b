"""Sends SIGTERM to `texunit run` while it writes a report to a pipe that nobody empties: ended.py TEXUNIT PIPE."""

import os
import subprocess
import sys
import time

texunit, name = sys.argv[1:]
os.mkfifo(name)
pipe = os.open(name, os.O_RDWR | os.O_NONBLOCK)
try:
    while True:
        os.write(pipe, b"x" * 4096)
except BlockingIOError:
    pass
command = [texunit, "run", "--report", name, "sh", "-c", "echo $$"]
run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
program = run.stdout.readline().strip()
while os.path.exists(f"/proc/{program}"):
    time.sleep(0.01)
# The first one may still be taken for one to the program.
while run.poll() is None:
    run.terminate()
    time.sleep(0.1)
print("code", run.returncode)
