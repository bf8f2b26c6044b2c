/* What the system may do to the command: it is interrupted, and takes files with it that it has not
 * completed; it is started without streams, or with a limit on files. */
#include "tool.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* "/proc/self/fd/17"; printf may not be called in a handler of signals. */
static void name_descriptor(int descriptor, char name[32]) {
  char digits[12];
  int count = 0;
  strcpy(name, "/proc/self/fd/");
  do digits[count++] = (char)('0' + descriptor % 10);
  while ((descriptor /= 10) > 0);
  char *end = name + strlen(name);
  while (count > 0) *end++ = digits[--count];
  *end = '\0';
}

/* .hyla-HOST-PROCESS-NUMBER.tmp: what hyla_matrix_write calls a file until it is complete. */
static bool is_temporary(const char *path) {
  static const char begin[] = ".hyla-", ending[] = ".tmp";
  const char *slash = strrchr(path, '/');
  size_t length = strlen(path);
  return slash != NULL && strncmp(slash + 1, begin, strlen(begin)) == 0 &&
         strcmp(path + length - strlen(ending), ending) == 0;
}

/* Removes the temporary files that this process has open, then ends as without a handler. */
static void give_up(int number) {
  enum { DESCRIPTORS = 1024 };
  for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
    char name[32], path[PATH_MAX];
    name_descriptor(descriptor, name);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length <= 0) continue;
    path[length] = '\0';
    if (is_temporary(path)) unlink(path);
  }
  signal(number, SIG_DFL);
  raise(number);
}

/* What is ignored, as by nohup, stays so. */
static void catch (int number) {
  const struct sigaction action = {.sa_handler = give_up};
  struct sigaction before;
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(number, &action, NULL);
}

void interrupt_prepare(void) {
  catch (SIGTERM);
  catch (SIGINT);
}

/* What writes beyond the limit on file sizes then fails as on a full disk. */
static void ignore_large_files(void) {
  const struct sigaction action = {.sa_handler = SIG_IGN};
  sigaction(SIGXFSZ, &action, NULL);
}

/* A file or a connection that got the number of a closed one would be written into. */
static void open_streams(void) {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor >= 0) close(descriptor);
}

void surroundings_prepare(void) {
  open_streams();
  ignore_large_files();
}
