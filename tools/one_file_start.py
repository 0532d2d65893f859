"""Start of the one-file build, as its __main__.py: unpack it once into the user's cache and run trainc from there.

trainc reads schemas and pages as files, and Python compiles the modules of a folder only once. Any Python 3 can read
this module, so that an old one gets a message. The build sets the digest, which names the folder.
"""

import os
import sys

DIGEST = ""
CONTENT = (
    "trainc.zip"  # an archive in the archive, as Python reads the names of all files of the outer one at each start
)
MINIMUM = (3, 11)


def cache_folder() -> "str | None":
    """Return the folder of the user's caches, of https://specifications.freedesktop.org/basedir-spec; None without."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return os.path.join(base, "trainc") if base else None


def is_private(folder: str) -> bool:
    """Return whether a folder exists and only its user, the one of this process, can write it."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return os.path.isdir(folder) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def unpack(archive: str, parent: str, name: str) -> str:
    """Unpack the archive into a folder next to others, in one step. Raises OSError if that is not possible."""
    import io  # noqa: PLC0415  # only for the first start
    import shutil  # noqa: PLC0415  # only for the first start
    import tempfile  # noqa: PLC0415  # only for the first start
    import zipfile  # noqa: PLC0415  # only for the first start

    unfinished = tempfile.mkdtemp(prefix="." + name + ".", dir=parent)
    target = os.path.join(parent, name)
    try:
        with zipfile.ZipFile(archive) as outer, zipfile.ZipFile(io.BytesIO(outer.read(CONTENT))) as content:
            content.extractall(unfinished)
        os.rename(unfinished, target)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        if not is_private(target):  # else another process was faster
            raise
    return target


def unpacked(archive: str) -> str:
    """Return the folder of the unpacked archive: in the user's cache, or else one that is removed at the end."""
    parent = cache_folder()
    if parent is not None:
        target = os.path.join(parent, "one-file-" + DIGEST)
        if is_private(parent) and is_private(target):
            return target
        try:
            os.makedirs(parent, 0o700, exist_ok=True)
            if is_private(parent):
                return unpack(archive, parent, os.path.basename(target))
        except OSError:
            pass
    return temporary(archive)


def temporary(archive: str) -> str:
    """Return a folder with the unpacked archive that is removed at the end of this process."""
    import atexit  # noqa: PLC0415  # only without a cache
    import shutil  # noqa: PLC0415  # only without a cache
    import tempfile  # noqa: PLC0415  # only without a cache

    parent, owner = tempfile.mkdtemp(prefix="trainc-"), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # no fork of it
            shutil.rmtree(parent, ignore_errors=True)

    atexit.register(remove)
    return unpack(archive, parent, "one-file")


def main() -> None:
    """Run the command line."""
    if sys.version_info < MINIMUM:
        versions = (*MINIMUM, os.path.basename(sys.executable), *sys.version_info[:2])
        sys.stderr.write("error: trainc requires Python {}.{} or newer, but {} is Python {}.{}\n".format(*versions))
        sys.exit(2)
    archive = os.path.dirname(os.path.abspath(__file__))
    try:
        sys.path[0] = unpacked(archive)
    except OSError as problem:
        sys.stderr.write("error: cannot unpack " + archive + ": " + str(problem) + "\n")
        sys.exit(2)
    from trainc.__main__ import main as run  # noqa: PLC0415  # in the unpacked folder

    run()


if __name__ == "__main__":
    main()
