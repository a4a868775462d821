# SPDX-License-Identifier: Apache-2.0
"""`vinci view`: what it serves, to whom, and what it withstands."""
import fcntl
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import urllib.request

import pytest

from conftest import BLOCK, PATIENCE, PROGRAM, SOURCE, stack, wait_for
from view_helpers import Server, serving


def has_page(folder):
    done = subprocess.run([PROGRAM, "view", "nothing.h5"], cwd=folder, capture_output=True,
                          text=True)
    return "built without the viewer's page" not in done.stderr


@pytest.fixture(scope="module")
def recorded(shared):
    """Two recordings and, if this build has the page, all that is needed to look at them."""
    shared.scene(stack(boxes=3, duration=0.2))
    shared("run", "scene.yaml", "-o", "tower.h5")
    shared.scene(BLOCK, "block.yaml")
    shared("run", "block.yaml", "-o", "block.h5")
    if not has_page(shared.folder):
        pytest.skip("built without the viewer's page: run make build")
    return shared


@pytest.fixture(scope="module")
def server(recorded):
    with serving(recorded.folder, "tower.h5", "block.h5") as running:
        yield running


def test_two_runs_are_described_and_served(server):
    tower, block = server.json("api/runs")
    assert (tower["name"], tower["frames"], tower["world"]) == ("tower.h5", 201, "planar")
    assert block["title"] == "sliding block" and block["bodies"][1]["velocity_size"] == 3
    assert server.json("api/runs/1") == block
    assert [shape["kind"] for shape in server.json("api/runs/0/models/0")["shapes"]] == \
        ["half-plane"] + ["polygon"] * 3
    header, times = server.frames("first=10&count=5&stride=20")
    assert header[2:5] == (5, 4, 9) and header[6:9] == (10, 20, 7)
    assert times == pytest.approx([0.01, 0.03, 0.05, 0.07, 0.09])


def test_the_page_is_served_and_kept_apart_from_other_sites(server):
    answer = server.raw(f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\n"
                        "Connection: close\r\n\r\n".encode())
    head, page = answer.split(b"\r\n\r\n", 1)
    assert b"200 OK" in head and b"text/html" in head and b"<html" in page.lower()
    for line in (b"X-Content-Type-Options: nosniff", b"Referrer-Policy: no-referrer",
                 b"Cache-Control: no-store", b"X-Frame-Options: DENY",
                 b"Content-Security-Policy: default-src 'none';", b"frame-ancestors 'none'"):
        assert line in head


def test_head_has_the_length_and_no_body(server):
    answer = server.raw(f"HEAD /{server.token}/api/runs/0 HTTP/1.1\r\nHost: {server.host}\r\n"
                        "Connection: close\r\n\r\n".encode())
    head, body = answer.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    assert body == b"" and length == len(server.get("api/runs/0")[1])


@pytest.mark.parametrize("path", [
    "/", "/favicon.ico", "/{wrong}/", "/{token}", "/{token}x/", "/{short}/", "//{token}/",
    "/{token}//", "/{token}/../../etc/passwd", "/{token}/%2e%2e/%2e%2e/etc/passwd",
    "/{token}/..%2f..%2fetc/passwd", "/{token}/tower.h5", "/{token}/api", "/{token}/api/",
    "/{token}/api/runs/", "/{token}/api/runs/2", "/{token}/api/runs/-1", "/{token}/api/runs/00",
    "/{token}/api/runs/0x0", "/{token}/api/runs/%30", "/{token}/api/runs/99999999999999999999",
    "/{token}/api/runs/0/models/1", "/{token}/api/runs/0/models", "/{token}/api/runs/0/frames/0",
    "/{token}/api/runs/../runs/0", "/{token}/API/runs", "/{token}/api/render",
    "http://127.0.0.1/{token}/", "*"])
def test_other_addresses_hold_nothing(server, path):
    wrong = ("0" if server.token[0] != "0" else "1") + server.token[1:]
    target = path.format(token=server.token, wrong=wrong, short=server.token[:-1])
    assert server.request(target) == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1",
                                  "127.0.0.1:1", "127.0.0.1:{port}.evil.example", "localhost",
                                  "169.254.1.1:{port}", "user@127.0.0.1:{port}", "[::1]"])
def test_foreign_names_for_the_machine_are_refused(server, host):
    assert server.request(f"/{server.token}/", host=host.format(port=server.port)) == 403


def test_the_names_of_loopback_are_accepted(server):
    for name in ("127.0.0.1", "localhost", "[::1]"):
        assert server.request(f"/{server.token}/", host=f"{name}:{server.port}") == 200


def test_a_request_without_or_with_two_hosts_is_refused(server):
    end = "Connection: close\r\n\r\n"
    for hosts in ("", f"Host: {server.host}\r\nHost: evil.example\r\n"):
        answer = server.raw(f"GET /{server.token}/ HTTP/1.1\r\n{hosts}{end}".encode())
        assert answer.split()[1] in (b"400", b"403")


def test_pages_of_other_origins_are_refused(server):
    target = f"/{server.token}/api/runs"
    assert server.request(target, more=f"Origin: http://{server.host}\r\n") == 200
    for origin in ("http://evil.example", "null", f"https://{server.host}", "http://127.0.0.1:1",
                   f"http://localhost:{server.port}", ""):
        assert server.request(target, more=f"Origin: {origin}\r\n") == 403


def test_nothing_can_be_sent_to_it(server):
    for path in ("api/runs", "api/pictures/0", "api/render/done", ""):
        assert server.get(path, "POST", body=b"x")[0] in (405, 413)
        assert server.get(path, "POST")[0] == 405
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH"):
        assert server.request(f"/{server.token}/api/runs", method=method) == 405


def test_mistakes_in_a_query_are_explained(server):
    for query in ("first=201", "count=0", "poses=4", "contacts=1", "first=-1", "x=1", "first=%31",
                  "joints=0", "joints=1.0", "joints=x"):
        status, body = server.get(f"api/runs/0/frames?{query}")
        assert status == 400 and len(json.loads(body)["error"]) > 10


def test_what_holds_a_body_is_told_as_the_command_tells_it(server, recorded):
    answer = server.json("api/runs/0/grasp?frame=100&object=1")
    name = server.json("api/runs/0")["bodies"][1]["name"]
    told = recorded.json("grasp", "tower.h5", "--object", name, "--at", "0.1")
    for key in ("object", "frame", "time", "center", "contacts", "closed", "proved", "margin",
                "unresisted", "friction_required", "least_sum"):
        assert answer[key] == told[key], key
    for query in ("", "frame=0", "frame=201&object=1", "frame=0&object=4", "frame=00&object=1",
                  "object=1&frame=0", "frame=0&object=1&x=1", "frame=-1&object=1"):
        status, body = server.get(f"api/runs/0/grasp?{query}")
        assert status == 400 and "accepted: frame=F&object=B" in json.loads(body)["error"]


SLIDER = """\
title: slider
world: planar
bodies: {cart: {shapes: [{box: [0.2, 0.1]}]}}
joints: {rail: {prismatic: [world, cart], limits: [-1, 1], position: 0.25, motor: {force: 3}}}
run: {step: 1 ms, duration: 0.5 s}
"""


def test_scenes_and_robots_are_shown_as_they_start(recorded):
    (recorded.folder / "slider.yaml").write_text(SLIDER)
    puma = str(SOURCE / "robots/puma560/puma560.urdf")
    with serving(recorded.folder, "slider.yaml", puma, "block.h5") as running:
        slider, robot, block = running.json("api/runs")
        assert (slider["name"], slider["frames"], slider["title"]) == ("slider.h5", 1, "slider")
        assert (robot["name"], robot["title"]) == ("puma560.h5", "puma560.urdf")
        assert block["frames"] > 1
        joint, = running.json("api/runs/0/models/0")["joints"]
        assert (joint["name"], joint["kind"], joint["bodies"]) == ("rail", "prismatic", [-1, 0])
        freedom, = joint["freedoms"]
        assert (freedom["lower"], freedom["upper"], freedom["motor"]) == (-1, 1, "effort")
        assert freedom["motor_limit"] is None
        names = [joint["name"] for joint in running.json("api/runs/1/models/0")["joints"]]
        assert len(names) >= 6 and all(name.startswith("puma560.") for name in names)
    recorded("view", puma, "--html", "puma.html")
    assert "vinci-block" in (recorded.folder / "puma.html").read_text()


@pytest.mark.parametrize("name, text, words", [
    ("bad.yaml", "world: flat\n", "bad.yaml:1"),
    ("bad.urdf", "<robot name='x'><link/></robot>", "bad.urdf:1"),
    ("none.yaml", None, "there is no such file"),
    ("none.urdf", None, "there is no such file"),
])
def test_bad_scenes_and_robots_are_told_at_once(recorded, name, text, words):
    if text is not None:
        (recorded.folder / name).write_text(text)
    for more in ((), ("--html", "never.html")):
        assert words in recorded("view", name, *more, code=2).stderr
    assert not (recorded.folder / "never.html").exists()


def test_garbage_is_answered_and_forgotten(server):
    generator = random.Random(1)
    for data in (b"\0" * 100, b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03" + b"\x55" * 300,
                 b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                 b"GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                 b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                 *(bytes(generator.randrange(256) for _ in range(400)) + b"\r\n\r\n"
                   for _ in range(20))):
        server.raw(data)
    assert server.get("api/runs")[0] == 200


def test_a_header_of_a_megabyte_is_refused(server):
    for head in (b"GET /" + b"a" * (1 << 20), b"GET / HTTP/1.1\r\nX: " + b"a" * (1 << 20)):
        answer = server.raw(head + b"\r\n\r\n")
        assert answer == b"" or answer.split()[1] == b"431"
    assert server.get("api/runs")[0] == 200


def is_open(client):
    """Whether the server has not closed the connection of a client that it owes nothing."""
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def test_silent_clients_do_not_keep_others_out(server):
    half = f"GET /{server.token}/api/runs HTTP/1.1\r\nHost: ".encode()
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(150)]
    for client in clients:
        client.sendall(half)
    assert server.get("api/runs")[0] == 200
    # The answer did not wait for them: the last ones are still heard, the first ones had to go.
    heard = list(map(is_open, clients))
    assert heard[-1] and not heard[0]
    for client in clients:
        client.close()


def test_a_client_that_vanishes_while_a_block_comes_does_no_harm(server):
    request = f"GET /{server.token}/api/runs/0/frames?count=201 HTTP/1.1\r\n" \
              f"Host: {server.host}\r\n\r\n".encode()
    for _ in range(20):
        client = socket.create_connection(("127.0.0.1", server.port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.sendall(request * 20)
        client.recv(100)
        client.close()
    assert server.get("api/runs")[0] == 200


def test_requests_may_be_pipelined_on_one_connection(server):
    one = f"GET /{server.token}/api/runs/1 HTTP/1.1\r\nHost: {server.host}\r\n"
    answer = server.raw(((one + "\r\n") * 30 + one + "Connection: close\r\n\r\n").encode())
    assert answer.count(b"HTTP/1.1 200 OK") == 31


def test_it_listens_on_loopback_only(server):
    listening = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            for line in open(table).readlines()[1:]:
                local, state = line.split()[1], line.split()[3]
                if state == "0A" and int(local.rsplit(":", 1)[1], 16) == server.port:
                    listening.append(local.split(":")[0])
    assert listening == ["0100007F"]


def test_every_server_has_its_own_token(recorded):
    tokens = set()
    for _ in range(3):
        running = Server(recorded.folder, "block.h5")
        tokens.add(running.token)
        assert running.stop() == 0
    assert len(tokens) == 3 and all(re.fullmatch("[0-9a-f]{32}", token) for token in tokens)


def test_it_ends_cleanly_on_signals_and_with_its_input(recorded):
    for how in (signal.SIGINT, signal.SIGTERM):
        assert Server(recorded.folder, "block.h5").stop(how) == 0
    running = Server(recorded.folder, "block.h5", "--until-input-ends")
    assert running.process.poll() is None
    running.process.stdin.close()
    assert running.process.wait(PATIENCE) == 0


def test_the_browser_is_led_there_without_the_token_on_a_command_line(recorded, tmp_path,
                                                                      monkeypatch):
    opener = tmp_path / "xdg-open"
    opener.write_text(f"#!/bin/sh\necho \"$@\" > {tmp_path}/said\n"
                      f"stat -c %a \"$(dirname \"$1\")\" > {tmp_path}/rights\n"
                      f"cp \"$1\" {tmp_path}/page; mv {tmp_path}/page {tmp_path}/done\n")
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with serving(recorded.folder, "block.h5", display=":7") as running:
        wait_for((tmp_path / "done").exists)
        [said] = (tmp_path / "said").read_text().split()
        assert running.token not in said
        assert (tmp_path / "rights").read_text() == "700\n"
        assert running.address in (tmp_path / "done").read_text()
        assert running.stop() == 0
        assert not os.path.exists(os.path.dirname(said))
        (tmp_path / "done").unlink()
    running = Server(recorded.folder, "block.h5", "--no-browser", display=":7")
    running.get()
    assert running.stop() == 0 and not (tmp_path / "done").exists()


def test_a_port_that_is_taken_is_a_failure(recorded, server):
    done = recorded("view", "block.h5", "--port", server.port, code=1)
    assert "Address already in use" in done.stderr


def test_other_hosts_are_let_in_only_with_a_warning(recorded):
    running = Server(recorded.folder, "block.h5", "--host", "0.0.0.0")
    assert running.address.startswith("http://127.0.0.1:")
    assert running.request(f"/{running.token}/", host=f"192.0.2.7:{running.port}") == 200
    assert running.request(f"/{running.token}/", host=f"evil.example:{running.port}") == 403
    running.process.send_signal(signal.SIGINT)
    assert "warning: others in the network" in running.process.communicate()[1]
    assert "not an IP address" in recorded("view", "block.h5", "--host", "x", code=2).stderr


def test_what_is_not_a_recording_is_told_at_once(recorded):
    folder = recorded.folder
    (folder / "text.h5").write_text("not a recording")
    whole = (folder / "tower.h5").read_bytes()
    (folder / "cut.h5").write_bytes(whole[:len(whole) // 2])
    for name, words in (("text.h5", "not a recording"), ("cut.h5", "cut short"),
                        ("none.h5", "No such file"), (".", "is not a file")):
        for more in ((), ("--html", "never.html")):
            done = recorded("view", "block.h5", name, *more, code=2)
            assert words in done.stderr and name in done.stderr
    assert not (folder / "never.html").exists()


def test_damage_is_shown_and_the_other_runs_go_on(recorded):
    """Bytes are changed after the server has opened the file, and in what it has not read yet."""
    folder = recorded.folder
    generator = random.Random(7)
    whole = (folder / "tower.h5").read_bytes()
    failed = 0
    for trial in range(12):
        damaged = bytearray(whole)
        for _ in range(200):
            damaged[generator.randrange(2000, len(damaged))] ^= 1 << generator.randrange(8)
        (folder / "damaged.h5").write_bytes(whole)
        with serving(folder, "damaged.h5", "block.h5") as running:
            (folder / "damaged.h5").write_bytes(damaged)
            status, body = running.get("api/runs")
            assert status == 200 and json.loads(body)[1]["frames"] == 201
            for path in ("api/runs/0", "api/runs/0/models/0", "api/runs/0/frames?count=201"):
                status, body = running.get(path)
                assert status in (200, 404, 500), (trial, path, body)
                if status == 500:
                    failed += 1
                    assert json.loads(body)["error"]
            assert running.frames("count=201", run=1)[0][2] == 201
    assert failed > 5


def test_a_run_that_is_being_written_grows(recorded):
    recorded.scene(stack(boxes=6, duration=300), "long.yaml")
    run = recorded.start("run", "long.yaml", "-o", "live.h5", "--flush-interval", "0.05")
    try:
        wait_for(lambda: (recorded.folder / "live.h5").exists())
        with serving(recorded.folder, "live.h5") as running:
            first = running.json("api/runs/0")
            assert first["has_writer"] and not first["finished"]
            wait_for(lambda: running.json("api/runs/0")["frames"] > first["frames"] + 50)
            frames = running.json("api/runs/0")["frames"]
            header, times = running.frames(f"first={frames - 40}&count=40")
            assert header[2] == 40 and times[-1] == pytest.approx((frames - 1) * 1e-3)
            run.send_signal(signal.SIGINT)
            assert run.wait(PATIENCE) == 130
            assert not running.json("api/runs/0")["has_writer"]
            # What continues the recording finds the viewer no obstacle, and the viewer follows.
            frames = running.json("api/runs/0")["frames"]
            recorded("run", "--resume", "live.h5", "--duration", str(frames * 1e-3 + 0.1))
            assert running.json("api/runs/0")["frames"] >= frames + 99
    finally:
        if run.poll() is None:
            run.kill()
        run.wait()


def test_a_recording_can_be_read_from_the_moment_it_has_its_name(recorded):
    """Its run locks the file and writes its head anew just then."""
    recorded.scene(stack(boxes=2, duration=300), "begins.yaml")
    for trial in range(20):
        name = f"begins{trial}.h5"
        run = recorded.start("run", "begins.yaml", "-o", name)
        try:
            while not (recorded.folder / name).exists():
                assert run.poll() is None
            assert recorded.json("info", name)["frames"] >= 1
        finally:
            run.kill()
            run.wait()


def test_a_recording_is_waited_for_and_a_replaced_one_is_shown_anew(recorded):
    shutil.copy(recorded.folder / "block.h5", recorded.folder / "again.h5")
    with serving(recorded.folder, "again.h5", "later.h5", "--wait") as running:
        old, later = running.json("api/runs")
        assert old["waiting"] and later["waiting"] and "frames" not in old
        assert running.json("api/runs/1/frames", status=503)["waiting"]
        recorded("run", "scene.yaml", "-o", "later.h5")
        recorded("run", "scene.yaml", "-o", "again.h5", "--overwrite")
        assert [run["title"] for run in running.json("api/runs")] == ["tower", "tower"]
        recorded("run", "block.yaml", "-o", "later.h5", "--overwrite")
        assert running.json("api/runs/1")["title"] == "sliding block"
        (recorded.folder / "later.h5").unlink()
        assert running.frames("count=9", run=1)[0][2] == 9


def test_runs_begin_while_a_viewer_asks_all_the_time(recorded):
    """A reader that opens a recording in the moment it appears must not get in its run's way."""
    for _ in range(8):
        (recorded.folder / "born.h5").unlink(missing_ok=True)
        with serving(recorded.folder, "born.h5", "--wait") as running:
            run = recorded.start("run", "block.yaml", "-o", "born.h5")
            while run.poll() is None:
                [description] = running.json("api/runs")
                assert "error" not in description or description.get("waiting"), description
            assert run.returncode == 0
            assert running.json("api/runs/0")["frames"] == 201


def test_a_recording_that_is_locked_is_not_cut(recorded):
    """Another program holds HDF5's lock: the run cannot continue, and leaves the file as it is."""
    recorded("run", "block.yaml", "-o", "locked.h5", "--duration", "0.1")
    path = recorded.folder / "locked.h5"
    before = path.read_bytes()
    with open(path, "rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        recorded("run", "--resume", "locked.h5", "--duration", "0.2", code=None)
    assert path.read_bytes() == before
    recorded("run", "--resume", "locked.h5", "--duration", "0.2")


def test_run_with_view_shows_all_scenes_and_ends_with_ctrl_c(recorded):
    run = recorded.start("run", "block.yaml", "scene.yaml", "--view", "-o", "both/", "--json",
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={k: v for k, v in os.environ.items() if "DISPLAY" not in k})
    try:
        address = re.search(r"http://(\S+?)/(\w+)/", run.stderr.readline())
        assert "stays until Ctrl-C" in run.stderr.readline()
        runs = json.load(urllib.request.urlopen(address[0] + "api/runs"))
        assert [(run["name"], run["finished"]) for run in runs] == \
            [("block.h5", True), ("scene.h5", True)]
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=PATIENCE)
        assert run.returncode == 0 and json.loads(out)["ok"]
        with pytest.raises(OSError):
            urllib.request.urlopen(address[0])
    finally:
        if run.poll() is None:
            run.kill()
            run.wait()


def test_html_is_one_file_without_addresses(recorded):
    done = recorded("view", "tower.h5", "block.h5", "--html", "both.html")
    assert "both.html" in done.stdout
    page = (recorded.folder / "both.html").read_text()
    assert page.count('class="vinci-models"') >= 2 and "vinci-block" in page
    assert not re.search(r"""(src|href|action)\s*=\s*["']?\s*(https?:)?//""", page)
    assert not re.search(r"""@import|url\(\s*["']?\s*https?:""", page)
    done = recorded("view", "tower.h5", "--html", "both.html", code=2)
    assert "--overwrite" in done.stderr
    answer = recorded.json("view", "tower.h5", "--html", "both.html", "--overwrite",
                           "--max-size", "0.02")
    assert answer["runs"][0]["stride"] > 1
    assert (recorded.folder / "both.html").stat().st_size == answer["bytes"]
    assert not [name for name in os.listdir(recorded.folder) if "partial" in name]


def test_help_of_the_viewing_commands_fits(recorded):
    for command in ("view", "render", "run"):
        text = recorded(command, "--help").stdout
        assert max(map(len, text.splitlines())) <= 80, command
