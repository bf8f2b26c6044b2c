/* A bit that changes on the way: preloaded into the command, it lets one message of a rank carry
 * other bytes than were sent.  From the environment: HYLA_FLIP_RANK   the rank, as MPI numbers it
 *   HYLA_FLIP_AT     which of its messages of 16 KB and more, counted from 1
 * In the middle of it a bit of the highest byte of a number of eight is another one then. */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

enum { LEAST = 16384 };

static long number(const char *name) {
  const char *text = getenv(name);
  return text != NULL ? strtol(text, NULL, 10) : -1;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
  static long sent; /* lives as long as the process that this is loaded into */
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count < LEAST || type != MPI_BYTE || rank != number("HYLA_FLIP_RANK") ||
      ++sent != number("HYLA_FLIP_AT"))
    return PMPI_Isend(data, count, type, to, tag, comm, request);
  char *other = malloc((size_t)count); /* stays until the process ends */
  if (other == NULL) return MPI_ERR_NO_MEM;
  memcpy(other, data, (size_t)count);
  other[count / 16 * 8 + 7] ^= 4;
  return PMPI_Isend(other, count, type, to, tag, comm, request);
}
