/* Opens files that users name.  A name that is no regular file cannot hang the rank. */
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without O_NONBLOCK the open of a named pipe would hang before the check can refuse it. */
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
