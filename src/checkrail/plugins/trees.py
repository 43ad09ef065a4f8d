"""Directories as digests: what a package consists of, so that a change shows."""

import hashlib
import os
from collections.abc import Mapping

from checkrail.plugins import containment, unpack
from checkrail.plugins.unpack import File, Refused

SKIPPED = frozenset({".git"})


def read(root: str) -> dict[str, File]:
    """The regular files of a resolved directory, links that stay inside as what they lead to. Raises :class:`Refused`."""
    files: dict[str, File] = {}
    total = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, root)
            try:
                content = containment.read(root, path, unpack.LARGEST)
                mode = os.stat(path).st_mode
            except (OSError, containment.Escapes, containment.WrongKind) as error:
                raise Refused(
                    f"{relative!r}: {getattr(error, 'strerror', None) or 'it leads out, or is too large'}"
                ) from None
            total += len(content)
            if len(files) >= unpack.MOST_FILES or total > unpack.MOST_BYTES:
                raise Refused("there are more files or bytes than are taken")
            files[relative] = File(content, bool(mode & 0o111))
        for name in folders:
            if os.path.islink(os.path.join(folder, name)) and not containment.is_inside(
                root, os.path.join(folder, name)
            ):
                raise Refused(f"{os.path.relpath(os.path.join(folder, name), root)!r}: it leads out")
    return files


def digests(tree: Mapping[str, File]) -> dict[str, str]:
    """The digest of each file."""
    return {name: hashlib.sha256(file.content).hexdigest() for name, file in sorted(tree.items())}


def digest(files: Mapping[str, str]) -> str:
    """One digest of all names and contents."""
    whole = hashlib.sha256()
    for name, held in sorted(files.items()):
        whole.update(f"{len(name.encode())}:{name}:{held}\n".encode())
    return f"sha256:{whole.hexdigest()}"
