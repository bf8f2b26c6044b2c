/* MPI's waits without spinning, for programs that are not ours.  If ranks share cores, ScaLAPACK
 * needs seconds in MPICH's waits for work of milliseconds.  This is linked into a test program, or
 * preloaded into a program by LD_PRELOAD.  Each call starts its operation and then tests it,
 * leaving the core in between. */
#include <mpi.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The number of next calls of sched_yield that sleep. */
static int naps;

static void sleep_for(long nanoseconds) {
  const struct timespec nap = {.tv_nsec = nanoseconds};
  nanosleep(&nap, NULL);
  naps -= naps > 0;
}

/* Also for ranks that leave the core by themselves, as hyla's do.  Yielding takes no longer than
 * needed; but if others crowd the core, it takes a turn of all of them, and a rank that sleeps a
 * little comes back at once. */
int sched_yield(void) {
  enum { NAPS = 1000, SHORT_NAP = 20000 };
  if (naps > 0) {
    sleep_for(SHORT_NAP);
    return 0;
  }
  double start = seconds();
  long code = syscall(SYS_sched_yield);
  if (seconds() - start > 1e-3) naps = NAPS;
  return (int)code;
}

/* The longer the wait, the longer the sleep. */
static void leave_core(int *polls) {
  enum { YIELDS = 200, SOON = 40, LONG_NAP = 300000 };
  if (*polls >= YIELDS || (*polls >= SOON && naps > 0))
    sleep_for(LONG_NAP);
  else
    sched_yield();
  ++*polls;
}

static int finish(int started, MPI_Request *request, MPI_Status *status) {
  int done = 0, polls = 0, code = started;
  while (code == MPI_SUCCESS && !done) {
    code = MPI_Test(request, &done, status);
    if (!done) leave_core(&polls);
  }
  return code;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
  MPI_Request request;
  return finish(MPI_Irecv(data, count, type, source, tag, comm, &request), &request, status);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request;
  return finish(MPI_Isend(data, count, type, to, tag, comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request;
  return finish(MPI_Irsend(data, count, type, to, tag, comm, &request), &request,
                MPI_STATUS_IGNORE);
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *room,
                 int room_count, MPI_Datatype room_type, int source, int room_tag, MPI_Comm comm,
                 MPI_Status *status) {
  MPI_Request sent, got;
  int code = MPI_Irecv(room, room_count, room_type, source, room_tag, comm, &got);
  if (code != MPI_SUCCESS) return code;
  code = finish(MPI_Isend(data, count, type, to, tag, comm, &sent), &sent, MPI_STATUS_IGNORE);
  return finish(code, &got, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int done = 0, polls = 0, code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && !done) {
    code = MPI_Testall(count, requests, &done, statuses);
    if (!done) leave_core(&polls);
  }
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  MPI_Request request;
  return finish(MPI_Ibarrier(comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  MPI_Request request;
  return finish(MPI_Ibcast(data, count, type, root, comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Reduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  MPI_Request request;
  return finish(MPI_Ireduce(mine, all, count, type, op, root, comm, &request), &request,
                MPI_STATUS_IGNORE);
}

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  MPI_Request request;
  return finish(MPI_Iallreduce(mine, all, count, type, op, comm, &request), &request,
                MPI_STATUS_IGNORE);
}
