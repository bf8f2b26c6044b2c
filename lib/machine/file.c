/* Files that people name: opened without hanging on what is no file. */
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without O_NONBLOCK a named pipe would hang the rank before it can be refused. */
const char *hy_file_open(const char *path, FILE **file) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  *file = NULL;
  if (fd < 0) return strerror(errno);
  struct stat about;
  bool regular = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  if (regular) *file = fdopen(fd, "r");
  if (*file != NULL) return NULL;
  int why = errno;
  close(fd);
  errno = regular ? why : EINVAL;
  return regular ? strerror(why) : "it is not a regular file";
}
