"""No network for any Python process that has this folder on PYTHONPATH, kernels included.

Python imports a module of this name at start-up. Loopback and Unix sockets stay open: a notebook
talks to its kernel through them.
"""

import errno
import ipaddress
import socket

REFUSED = "the tests run offline, so a connection to {} was refused"


def _is_local(host):
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


def _allowed(sock, address):
    unix = getattr(socket, "AF_UNIX", None)
    return sock.family == unix or (isinstance(address, tuple) and _is_local(address[0]))


def _block():
    connect = socket.socket.connect
    connect_ex = socket.socket.connect_ex
    getaddrinfo = socket.getaddrinfo

    def local_connect(self, address):
        if not _allowed(self, address):
            raise OSError(errno.ENETUNREACH, REFUSED.format(address))
        return connect(self, address)

    def local_connect_ex(self, address):
        return connect_ex(self, address) if _allowed(self, address) else errno.ENETUNREACH

    def local_getaddrinfo(host, *args, **kwargs):
        if not _is_local(host):
            raise socket.gaierror(socket.EAI_NONAME, REFUSED.format(host))
        return getaddrinfo(host, *args, **kwargs)

    socket.socket.connect = local_connect
    socket.socket.connect_ex = local_connect_ex
    socket.getaddrinfo = local_getaddrinfo
    local_connect.offline = True


if not hasattr(socket.socket.connect, "offline"):
    _block()
