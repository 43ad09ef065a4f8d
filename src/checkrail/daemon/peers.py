"""Who is at the other end of a Unix socket."""

import socket
import struct
import sys


def peer_uid(peer: socket.socket) -> int:
    """The user id of the process that connected, from the kernel. Raises OSError where it cannot be told."""
    if sys.platform == "darwin":
        version, uid = struct.unpack_from("=II", peer.getsockopt(0, 1, 76))  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred
        if version != 0:
            raise OSError("unknown version of the peer's credentials")
        return int(uid)
    _pid, uid, _gid = struct.unpack("=iII", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(uid)
