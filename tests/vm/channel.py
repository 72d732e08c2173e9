"""Requests to the agent in a guest, and its answers; any number at once, from any thread."""

import itertools
import json
import queue
import threading
import time


class GuestError(Exception):
    """The guest or its agent does not do its part."""


class Channel:
    def __init__(self, connection):
        self.connection = connection
        self.numbers = itertools.count(1)
        self.waiting = {}
        self.lock = threading.Lock()  # of `waiting` and of sending
        self.closed = False
        self.hello = self.expect(0)
        threading.Thread(target=self.receive, daemon=True).start()

    def expect(self, number):
        box = queue.SimpleQueue()
        with self.lock:
            if self.closed:
                raise GuestError("the guest has ended")
            self.waiting[number] = box
        return box

    def receive(self):
        try:
            for line in self.connection.makefile("rb"):
                answer = json.loads(line)
                with self.lock:
                    box = self.waiting.pop(answer["id"], None)
                if box:
                    box.put(answer)
        except (OSError, ValueError):
            pass
        with self.lock:
            self.closed = True
            boxes = list(self.waiting.values())
        for box in boxes:
            box.put(None)

    def wait_for_agent(self, timeout):
        self.result(self.hello, timeout, "booting")

    def call(self, op, within, **arguments):
        """The agent's answer. `within`: seconds of this machine's clock for all of it."""
        number = next(self.numbers)
        box = self.expect(number)
        with self.lock:
            self.connection.sendall(json.dumps({"id": number, "op": op, **arguments}).encode() + b"\n")
        try:
            return self.result(box, within, op)
        finally:
            with self.lock:
                self.waiting.pop(number, None)

    @staticmethod
    def result(box, within, what):
        begun = time.monotonic()
        try:
            answer = box.get(timeout=within)
        except queue.Empty:
            raise GuestError(f"no answer to {what} within {time.monotonic() - begun:.0f} s") from None
        if answer is None:
            raise GuestError(f"the guest ended during {what}")
        if "error" in answer:
            raise GuestError(f"{what}: {answer['error']}")
        return answer
