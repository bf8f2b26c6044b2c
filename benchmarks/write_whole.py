"""Files that get their names when they are complete and on the disk.  A program that is killed
while it writes leaves the old file unchanged.  If the file system has files without names it leaves
nothing else, except in the moment between two names."""

import contextlib
import os
import stat


def _open(folder, unfinished):
    """Opens a file without a name, or with a temporary one; and says how to name it."""
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o666), True
    except (OSError, AttributeError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        return os.open(unfinished, flags, 0o666), False


def write_whole(name, text):
    path = os.path.realpath(name)
    unfinished = path + ".part"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(unfinished)  # left by a program that was killed
    try:
        descriptor, nameless = _open(os.path.dirname(path), unfinished)
        with open(descriptor, "w", encoding="utf-8") as file:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(path).st_mode))
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            if nameless:  # linkat alone follows the link; Python calls it if a folder is given
                os.link("/proc/self/fd/%d" % file.fileno(), unfinished, src_dir_fd=file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)
        raise OSError(error.errno, error.strerror, name) from None
