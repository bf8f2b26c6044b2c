/* hyla machine --scalapack: the calls of ScaLAPACK's routines that are timed (scalapack_calls.c),
 * for the walk over sizes (scalapack_sizes.c). */
#ifndef TOOL_SCALAPACK_H
#define TOOL_SCALAPACK_H 1

#include <stdbool.h>
#include <stddef.h>

/* The two libraries, and arrays of one type on one grid. */
struct scalapack;

/* Loads the drop-in, which stands beside libhyla, and the library below it; NULL: `why' is why not.
 * Local. */
struct scalapack *scalapack_load(const char *library, char *why, size_t capacity);
void scalapack_free(struct scalapack *s);
/* Local.  The file of the library below. */
const char *scalapack_file(const struct scalapack *s);

/* Collective over all processes.  Makes, and ends, a grid of p x q processes with arrays of type s,
 * d, c or z. */
void scalapack_begin_grid(struct scalapack *s, char type, int p, int q);
void scalapack_end_grid(struct scalapack *s);
/* The largest value of all processes of the grid; collective over these. */
double scalapack_largest(struct scalapack *s, double value);

/* The i-th row: a routine and a case of it, numbered as the drop-in's sizes are; NULL beyond the
 * last. */
struct scalapack_row;
const struct scalapack_row *scalapack_row_at(int i);
/* Local.  The routine's name without its type; NULL: this type has none, or the library below lacks
 * it. */
const char *scalapack_routine(const struct scalapack *s, const struct scalapack_row *row,
                              char type);
int scalapack_kind(const struct scalapack_row *row);
/* The call works at one entry, whatever the order of the matrix. */
bool scalapack_is_entry(const struct scalapack_row *row);

/* The ways of a call: passed on by the drop-in; taken; as its sizes say; without the drop-in. */
enum scalapack_way {
  SCALAPACK_PASSED,
  SCALAPACK_TAKEN,
  SCALAPACK_BY_SIZE,
  SCALAPACK_ALONE,
  SCALAPACK_WAYS
};
/* Collective over the grid.  Times a row at order n, at most 1024, in turns by the first ways:
 * medians of the slowest process' seconds; false if a call says in INFO that an argument is
 * wrong. */
bool scalapack_time(struct scalapack *s, const struct scalapack_row *row, int n, int ways,
                    double *seconds);

#endif
