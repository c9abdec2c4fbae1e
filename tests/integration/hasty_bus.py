"""A message bus that stands before another and refuses the first search of each connection, in the
words that GNOME's keyring has for a caller whom it has not filed yet (its message filter and the
call itself race each other in its main loop)."""
import socket
import struct
import threading

METHOD_CALL, ERROR = 1, 3
# Order of bytes, type, flags, version; lengths of the body, the serial, of the fields.
FIXED_HEADER = struct.Struct("<BBBBIII")
REPLY_SERIAL, ERROR_NAME, SIGNATURE = 5, 4, 8
REASON = b"Method SearchItems is not implemented on interface org.freedesktop.Secret.Service"


def padded(data, to=8):
    return data + b"\0" * (-len(data) % to)


def text(value):
    return struct.pack("<I", len(value)) + value + b"\0"


def refusal(serial):
    """An error in answer to the call with this serial (D-Bus specification, "Message format")."""
    fields = padded(struct.pack("<BBBBI", REPLY_SERIAL, 1, ord("u"), 0, serial))
    name = b"org.freedesktop.DBus.Error.UnknownMethod"
    fields += padded(struct.pack("<BBBB", ERROR_NAME, 1, ord("s"), 0) + text(name))
    fields += struct.pack("<BBBBBBB", SIGNATURE, 1, ord("g"), 0, 1, ord("s"), 0)
    body = text(REASON)
    header = FIXED_HEADER.pack(ord("l"), ERROR, 1, 1, len(body), serial, len(fields))
    return padded(header + fields) + body


class HastyBus:
    """`address` is for the programs of the test; `refused` counts the searches it refused."""

    def __init__(self, path, behind):
        self.behind = behind.partition("path=")[2].partition(",")[0]
        self.refused = 0
        self.sockets = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.address = f"unix:path={path}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                caller = self.listener.accept()[0]
            except OSError:
                return
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(self.behind)
            self.sockets += [caller, bus]
            for run in (self.answers, self.calls):
                threading.Thread(target=run, args=(caller, bus), daemon=True).start()

    @staticmethod
    def answers(caller, bus):
        while data := bus.recv(65536):
            caller.sendall(data)

    def calls(self, caller, bus):
        stream = caller.makefile("rb")
        for line in stream:
            bus.sendall(line)
            if line.startswith(b"BEGIN"):
                break
        first = True
        while header := stream.read(FIXED_HEADER.size):
            *_, body, serial, fields = FIXED_HEADER.unpack(header)
            rest = stream.read(fields + -fields % 8 + body)
            if first and header[1] == METHOD_CALL and b"SearchItems" in rest:
                first = False
                self.refused += 1
                caller.sendall(refusal(serial))
            else:
                bus.sendall(header + rest)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        for each in [self.listener, *self.sockets]:
            each.close()
