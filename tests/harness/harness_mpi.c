/* MPI's collective operations for tests; see harness.h. */
#include "harness.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* If ranks only yield while one of them works, each still takes a share of its core. */
void harness_wait(int polls) {
  enum { YIELDS = 200 };
  const struct timespec nap = {.tv_nsec = 50000};
  if (polls < YIELDS)
    sched_yield();
  else
    nanosleep(&nap, NULL);
}

/* A waiting rank leaves its core to the ranks that it waits for. */
void harness_finish(MPI_Request *request) {
  int done = 0, polls = 0;
  MPI_Test(request, &done, MPI_STATUS_IGNORE);
  while (!done) {
    harness_wait(polls++);
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
  }
}

/* Whether the poll is one of a caller's that leaves the core by itself. */
static _Thread_local bool asked;

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
  asked = true;
  const int code = PMPI_Test(request, done, status);
  asked = false;
  return code;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
  asked = true;
  const int code = PMPI_Iprobe(source, tag, comm, found, status);
  asked = false;
  return code;
}

/* MPICH's own waits, such as those for a new communicator, poll UCX without ever leaving the core.
 * If ranks share cores, and tests run side by side, each rank then keeps the core from those that
 * it waits for.  So its polls come here first. */
typedef unsigned progress(void *worker);
unsigned ucp_worker_progress(void *worker) __attribute__((visibility("default")));

unsigned ucp_worker_progress(void *worker) {
  enum { POLLS = 20 };
  static _Thread_local progress *poll;
  static _Thread_local int in_vain;
  if (poll == NULL) {
    void *found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&poll, &found, sizeof poll);
  }
  const unsigned done = poll(worker);
  in_vain = done > 0 ? 0 : in_vain + 1;
  if (in_vain > POLLS && !asked) sched_yield();
  return done;
}

void harness_barrier(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  harness_finish(&request);
}

void harness_broadcast(void *data, int count, MPI_Datatype type, int root) {
  MPI_Request request;
  MPI_Ibcast(data, count, type, root, MPI_COMM_WORLD, &request);
  harness_finish(&request);
}

void harness_allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op) {
  MPI_Request request;
  MPI_Iallreduce(mine, all, count, type, op, MPI_COMM_WORLD, &request);
  harness_finish(&request);
}
