/* Handles what the system may do to the command: an interruption, after which incomplete files must
 * go; a start without standard streams; a limit on the size of files. */
#include "tool.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Writes "/proc/self/fd/17"; a signal handler may not call printf. */
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

/* hyla_matrix_write names incomplete files .hyla-HOST-PROCESS-NUMBER.tmp. */
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

/* Handles a signal, unless it is ignored, as under nohup. */
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

/* A write beyond the limit on file sizes then fails as on a full disk. */
static void ignore_large_files(void) {
  const struct sigaction action = {.sa_handler = SIG_IGN};
  sigaction(SIGXFSZ, &action, NULL);
}

/* Opens closed standard streams; otherwise a new file could get the number of one and be
 * written. */
static void open_streams(void) {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor >= 0) close(descriptor);
}

void surroundings_prepare(void) {
  open_streams();
  ignore_large_files();
}
