"""A TCP proxy that writes down the control protocol: record_protocol.py PORT HOST:PORT FILE

Each frame is a line, "C" from the client or "R" from the responder, a blank, and the JSON as it was on the wire. So were
tests/data/protocol-v*/ made: run it beside the client, and measure to 127.0.0.1:PORT.
"""

import socket
import struct
import sys
import threading


def exactly(source, size):
    data = b""
    while len(data) < size:
        part = source.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def pump(letter, source, sink, out):
    try:
        while True:
            header = exactly(source, 4)
            body = exactly(source, struct.unpack(">I", header)[0])
            out.write(f"{letter} {body.decode()}\n")
            out.flush()
            sink.sendall(header + body)
    except (EOFError, OSError):
        try:
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def main(port, target, path):
    host, _, target_port = target.rpartition(":")
    with socket.create_server(("127.0.0.1", int(port))) as listener, open(path, "w", encoding="utf-8") as out:
        print("ready", flush=True)
        client, _ = listener.accept()
        server = socket.create_connection((host, int(target_port)))
        pumps = [threading.Thread(target=pump, args=("C", client, server, out)),
                 threading.Thread(target=pump, args=("R", server, client, out))]
        for one in pumps:
            one.start()
        for one in pumps:
            one.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
