/* Part of failing.so: many runs of one command from one start.  Starting MPI takes most of the time
 * of a small command on one rank; so it is started once, and each run continues from there in its
 * own process.  That process never ends MPI, because this would need threads that fork does not
 * copy.
 *
 * HYLA_FAIL_SERVE: two descriptors.  The first supplies lines "AT ON OUT ERR"; OUT and ERR are
 * files for the output of the run.  The second receives numbers, one a line: the number of calls
 * before; then for each run its process and its exit status, 128 and more for a signal. */
#include "failing.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool redirect(const char *path, int to) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  bool good = file >= 0 && dup2(file, to) == to;
  if (file >= 0) close(file);
  return good;
}

/* Starts one run; returns in its process. */
static void play(const char *line, FILE *from, int to) {
  char out[512], err[512];
  long at = 0;
  int on = 0, status = 0;
  if (sscanf(line, "%ld %d %511s %511s", &at, &on, out, err) != 4) _exit(3);
  pid_t process = fork();
  if (process == 0) {
    close(fileno(from));
    close(to);
    if (!redirect(out, STDOUT_FILENO) || !redirect(err, STDERR_FILENO)) _exit(3);
    failing_apart(-1);
    failing_arm(at, on != 0);
    return;
  }
  dprintf(to, "%d\n", (int)process);
  if (process < 0 || waitpid(process, &status, 0) != process) _exit(3);
  dprintf(to, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

bool failing_serve(void) {
  int in = -1, out = -1;
  char line[1200];
  const char *text = getenv("HYLA_FAIL_SERVE");
  if (text == NULL || sscanf(text, "%d %d", &in, &out) != 2) return false;
  failing_apart(1);
  struct failing before;
  failing_look(&before);
  dprintf(out, "%ld\n", before.counted);
  const pid_t server = getpid();
  FILE *from = fdopen(in, "r");
  while (from != NULL && getpid() == server && fgets(line, sizeof line, from) != NULL)
    play(line, from, out);
  if (getpid() == server) _exit(0);
  return true;
}
