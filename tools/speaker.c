/* Chooses one rank of a host to print why the job ends.  That rank has "the word".  It has it as
 * long as it holds a socket with a name that all ranks of the host know; the system removes the
 * name with the process, however that ends.  Ranks of other hosts do not know it; ranks wait for
 * turns, which give the launcher the time to end them before.  Some launchers first send SIGCONT to
 * all ranks, and end them a second later: SIGCONT is a sign too. */
#include "speaker.h"

#include "tool.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* In seconds: the longest turn; the time between two looks at the word; the time a line needs to
 * pass the launcher. */
static const double longest = 1.3, look = 0.02, pass = 0.3;

static sigset_t sign(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCONT);
  return set;
}

static struct timespec span_of(double seconds) {
  struct timespec span = {.tv_sec = (time_t)seconds};
  span.tv_nsec = (long)((seconds - (double)span.tv_sec) * 1e9);
  return span;
}

void speaker_prepare(void) {
  const sigset_t set = sign();
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int launched_rank(void) {
  static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
  for (int i = 0; i < 3; i++) {
    const char *text = getenv(names[i]);
    if (text) return (int)strtol(text, NULL, 10);
  }
  return -1;
}

void let_pass(void) {
  if (launched_rank() < 0) return;
  const struct timespec span = span_of(pass);
  nanosleep(&span, NULL);
}

/* The name of this job's word: its ranks on a host are children of one launcher.  A name outside
 * the file system leaves nothing behind. */
static socklen_t name_word(struct sockaddr_un *name) {
  char space[64] = "";
  ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  *name = (struct sockaddr_un){.sun_family = AF_UNIX};
  int count = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "hyla %ld %s",
                       (long)getppid(), length > 0 ? space : "");
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)count);
}

/* Without sockets only turns count. */
static int open_socket(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

/* Holds the socket until the process ends. */
static bool take_word(void) {
  struct sockaddr_un name;
  socklen_t length = name_word(&name);
  int word = open_socket();
  if (word < 0 || bind(word, (struct sockaddr *)&name, length) == 0) return true;
  bool taken = errno == EADDRINUSE;
  close(word);
  return !taken;
}

static bool is_taken(void) {
  struct sockaddr_un name;
  socklen_t length = name_word(&name);
  int ear = open_socket();
  if (ear < 0) return false;
  bool taken = connect(ear, (struct sockaddr *)&name, length) == 0;
  close(ear);
  return taken;
}

/* Waits for these seconds, and again after SIGCONT; false as soon as another rank has the word. */
static bool wait_for_word(double seconds) {
  const sigset_t set = sign();
  const struct timespec none = {0}, span = span_of(look);
  double end = tool_clock() + seconds;
  do {
    if (is_taken()) return false;
    if (sigtimedwait(&set, NULL, tool_clock() < end ? &span : &none) == SIGCONT)
      end = tool_clock() + longest;
  } while (tool_clock() < end);
  return true;
}

bool is_told(void) { return !wait_for_word(0); }

bool take_turn(int rank) {
  const double first = 0.25, step = 0.15;
  if (wait_for_word(rank > 0 ? fmin(first + step * (rank - 1), longest) : 0) && take_word())
    return true;
  const struct timespec span = span_of(longest);
  nanosleep(&span, NULL);
  return false;
}

static void leave(int number) {
  (void)number;
  _exit(EXIT_USE);
}

void abort_job(void) {
  const struct sigaction action = {.sa_handler = leave};
  const struct itimerval soon = {.it_value.tv_usec = 400000};
  let_pass();
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  MPI_Abort(MPI_COMM_WORLD, EXIT_USE);
  _exit(EXIT_USE);
}
