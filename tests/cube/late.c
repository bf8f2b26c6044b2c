/* This library is preloaded into the command.  A sender goes on half a millisecond after its
 * message left, as on a machine where other processes want the core.  Short messages are not
 * late: by them clocks are compared. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <mpi.h>
#include <time.h>

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  int code = PMPI_Isend(data, count, type, to, tag, comm, request);
  if (count >= 256) nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
  return code;
}
