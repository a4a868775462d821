# SPDX-License-Identifier: Apache-2.0
"""A viewer's server to talk to, also in ways that no browser would."""
import contextlib
import http.client
import json
import os
import signal
import socket
import struct
import subprocess

from conftest import PATIENCE, PROGRAM


class Server:
    """`vinci view` on recordings, without a browser unless there is a display."""

    def __init__(self, folder, *arguments, display=None):
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        if display:
            environment["DISPLAY"] = display
        self.process = subprocess.Popen(
            [PROGRAM, "view", "--json", *map(str, arguments)], cwd=folder, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        line = self.process.stdout.readline()
        if '"address"' not in line:
            raise RuntimeError(line + self.process.stdout.read() + self.process.stderr.read())
        self.address = json.loads(line)["address"]
        self.host, self.token = self.address.split("/")[2:4]
        self.port = int(self.host.rsplit(":", 1)[1])

    def get(self, path="", method="GET", headers=None, body=None):
        """Status and body of what is below the token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, f"/{self.token}/{path}", body=body,
                               headers={"Host": self.host, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.read()

    def json(self, path, status=200):
        found, body = self.get(path)
        assert found == status, (found, body)
        return json.loads(body)

    def frames(self, query="", run=0):
        """The header of a block and its times."""
        status, block = self.get(f"api/runs/{run}/frames?{query}")
        assert status == 200, block
        header = struct.unpack("<16I", block[:64])
        assert header[0] == 0x31434E56
        return header, struct.unpack(f"<{header[2]}d", block[64:64 + 8 * header[2]])

    def raw(self, data):
        """What comes back for these bytes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as client:
            with contextlib.suppress(ConnectionError):
                client.sendall(data)
            answer = b""
            with contextlib.suppress(ConnectionError):
                while part := client.recv(65536):
                    answer += part
            return answer

    def request(self, target, host=None, more="", method="GET"):
        """Status of a request written by hand."""
        head = f"{method} {target} HTTP/1.1\r\nHost: {host or self.host}\r\n{more}" \
               "Connection: close\r\n\r\n"
        answer = self.raw(head.encode())
        assert answer.startswith(b"HTTP/1.1 "), answer
        return int(answer.split()[1])

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return code


@contextlib.contextmanager
def serving(folder, *arguments, **keywords):
    server = Server(folder, *arguments, **keywords)
    try:
        yield server
        assert server.process.poll() in (None, 0), "the server has ended"
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.wait()
