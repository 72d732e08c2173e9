"""Runs inside a guest: carries out what the harness asks for over a virtio-serial port.

One JSON object a line each way, bytes in base64. Each request has an id, which its answer repeats; requests are served by
a thread each, so a long one holds up nobody. No network, and nothing beyond the standard library, is needed.
"""

import base64
import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time

PORT_NAME = "rdma-canary.agent"
OUTPUT_DIR = "/run/canary/output"
# A grandchild in a session of its own can hold the pipes open after the timeout has killed everyone else.
DRAIN_S = 2

children = {}  # pid -> Child, of start requests
children_lock = threading.Lock()
write_lock = threading.Lock()


def b64(data):
    return base64.b64encode(data).decode("ascii")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


class Child:
    """A background process; its output goes to files, so it never blocks on us."""

    def __init__(self, argv, env, number):
        self.paths = [f"{OUTPUT_DIR}/{number}.{stream}" for stream in ("out", "err")]
        files = [open(path, "wb") for path in self.paths]
        self.started = time.monotonic()
        self.process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=files[0], stderr=files[1],
                                        start_new_session=True)
        for file in files:
            file.close()
        self.ended = None
        self.done = threading.Event()
        threading.Thread(target=self.reap, daemon=True).start()

    def reap(self):
        self.process.wait()
        self.ended = time.monotonic()
        self.done.set()

    def answer(self):
        out, err = [b64(contents(path)) for path in self.paths]
        return {"rc": self.process.returncode if self.done.is_set() else None, "out": out, "err": err,
                "started": self.started, "ended": self.ended}


def environment(extra):
    return {**os.environ, **(extra or {})}


def run(argv, timeout, stdin=None, env=None):
    started = time.monotonic()
    process = subprocess.Popen(argv, env=environment(env), start_new_session=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE)
    data = None if stdin is None else base64.b64decode(stdin)
    timed_out = False
    try:
        out, err = process.communicate(data, timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(process.pid, signal.SIGKILL)
        out, err = drain(process)
    return {"rc": process.returncode, "out": b64(out or b""), "err": b64(err or b""), "timed_out": timed_out,
            "started": started, "ended": time.monotonic()}


def drain(process):
    try:
        return process.communicate(timeout=DRAIN_S)
    except subprocess.TimeoutExpired as late:
        return late.stdout, late.stderr


def start(argv, number, env=None):
    os.makedirs(OUTPUT_DIR, exist_ok=True)
    child = Child(argv, environment(env), number)
    with children_lock:
        children[child.process.pid] = child
    return {"pid": child.process.pid}


def wait(pid, timeout):
    child = children[pid]
    child.done.wait(timeout)
    return child.answer()


def kill(pid, sig):
    """Also for processes that others started; false when there is none of that pid."""
    try:
        os.kill(pid, sig)
    except ProcessLookupError:
        return {"found": False}
    return {"found": True}


def leftovers():
    """The background processes still running, with their whole sessions ended."""
    with children_lock:
        alive = [pid for pid, child in children.items() if not child.done.is_set()]
    for pid in alive:
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    stuck = [pid for pid in alive if not children[pid].done.wait(DRAIN_S)]
    return {"ended": alive, "stuck": stuck}


def read(path):
    return {"data": b64(contents(path))}


def write(path, data, mode):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(base64.b64decode(data))
    return {}


def now():
    return {"now": time.monotonic()}


def http(path, port, method, headers, timeout):
    import http.client  # costs half a second of guest time: only for those who ask
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return {"status": response.status, "headers": response.getheaders(), "body": b64(response.read())}
    finally:
        connection.close()


OPERATIONS = {function.__name__: function for function in (run, start, wait, kill, leftovers, read, write, now, http)}


def send(port, message):
    data = json.dumps(message).encode("ascii") + b"\n"
    with write_lock:
        while data:
            data = data[os.write(port, data):]


def serve(port, request):
    number = request.pop("id")
    try:
        answer = OPERATIONS[request.pop("op")](**request)
    except Exception as problem:  # whatever it is, the one who asked has to know
        answer = {"error": f"{type(problem).__name__}: {problem}"}
    send(port, {"id": number, **answer})


def port_path():
    for path in glob.glob("/sys/class/virtio-ports/*/name"):
        if contents(path).decode().strip() == PORT_NAME:
            return "/dev/" + path.split("/")[-2]
    sys.exit(f"no virtio port named {PORT_NAME}")


def main():
    os.environ.update(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME="/root", LANG="C.UTF-8")
    port = os.open(port_path(), os.O_RDWR | os.O_CLOEXEC)
    send(port, {"id": 0, "hello": time.monotonic()})
    buffer = b""
    while chunk := os.read(port, 65536):
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            threading.Thread(target=serve, args=(port, json.loads(line)), daemon=True).start()


main()
