/* Changes a bit of a message or of a matrix.  This library is preloaded into the command.  It
 * changes the bytes of one message of a rank, or a matrix between two calls of the library.
 * Environment:
 *   HYLA_FLIP_RANK   the rank, as MPI numbers it
 *   HYLA_FLIP_AT     the number of the message, counted from 1 among the rank's messages of 16 KB
 *                    and more
 *   HYLA_FLIP_BIT    the bit in the highest byte of a number of eight bytes in the middle of the
 *                    message; 4
 *   HYLA_FLIP_CALL   hyla_factor_compute or hyla_matrix_write: the first such call gets a matrix
 *                    whose middle diagonal entry is -1e6, on every rank alike */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include "hyla.h"

#include <dlfcn.h>
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
  static long sent; /* lives as long as the process */
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count < LEAST || type != MPI_BYTE || rank != number("HYLA_FLIP_RANK") ||
      ++sent != number("HYLA_FLIP_AT"))
    return PMPI_Isend(data, count, type, to, tag, comm, request);
  char *other = malloc((size_t)count); /* stays until the process ends */
  if (other == NULL) return MPI_ERR_NO_MEM;
  memcpy(other, data, (size_t)count);
  other[count / 16 * 8 + 7] ^= (char)(getenv("HYLA_FLIP_BIT") ? number("HYLA_FLIP_BIT") : 4);
  return PMPI_Isend(other, count, type, to, tag, comm, request);
}

/* Once a process. */
static hyla_status change(const char *call, hyla_cube *cube, const hyla_matrix *matrix) {
  static int changed;
  const char *wanted = getenv("HYLA_FLIP_CALL");
  if (wanted == NULL || strcmp(wanted, call) != 0 || changed++ > 0) return HYLA_OK;
  int64_t rows = hyla_matrix_rows(matrix), cols = hyla_matrix_cols(matrix);
  int64_t middle = (rows < cols ? rows : cols) / 2;
  return hyla_matrix_set(cube, (hyla_matrix *)(uintptr_t)matrix, middle, middle, -1e6);
}

hyla_status hyla_factor_compute(hyla_cube *cube, hyla_factor *factor, const hyla_matrix *a) {
  hyla_status (*next)(hyla_cube *, hyla_factor *, const hyla_matrix *) = NULL;
  *(void **)&next = dlsym(RTLD_NEXT, "hyla_factor_compute");
  hyla_status status = change("hyla_factor_compute", cube, a);
  return status ? status : next(cube, factor, a);
}

hyla_status hyla_matrix_write(hyla_cube *cube, const hyla_matrix *matrix, const char *path) {
  hyla_status (*next)(hyla_cube *, const hyla_matrix *, const char *) = NULL;
  *(void **)&next = dlsym(RTLD_NEXT, "hyla_matrix_write");
  hyla_status status = change("hyla_matrix_write", cube, matrix);
  return status ? status : next(cube, matrix, path);
}
