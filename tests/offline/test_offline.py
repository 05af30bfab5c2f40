"""No process of a test run reaches the network."""

import errno
import socket
import subprocess
import sys

import pytest

# An address of the range kept for documentation: nobody answers there.
FAR = ("192.0.2.1", 80)


def test_connect_is_refused():
    with socket.socket() as sock, pytest.raises(OSError, match="the tests run offline"):
        sock.connect(FAR)


def test_connect_ex_is_refused():
    with socket.socket() as sock:
        assert sock.connect_ex(FAR) == errno.ENETUNREACH


def test_names_are_not_looked_up():
    with pytest.raises(socket.gaierror, match="the tests run offline"):
        socket.getaddrinfo("example.org", 443)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_is_open(host):
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection((host, server.getsockname()[1]), timeout=5).close()


def test_other_processes_are_offline_too():
    program = "import socket; socket.getaddrinfo('example.org', 443)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "the tests run offline" in done.stderr
