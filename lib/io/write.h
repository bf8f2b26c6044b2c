/* Private to this folder: a matrix that is being written, and the formats. */
#ifndef HY_WRITE_H
#define HY_WRITE_H 1

#include "io/output.h"

/* A matrix being written, with everything that the call allocates. */
struct writer {
  const struct format *format;
  char separator; /* between the numbers of a table */
  struct hy_io_file file;
  struct hy_output output;
  struct hy_file_split split;
  const hyla_matrix *matrix; /* in the layout of the cut */
  hyla_matrix *dealt;        /* the same, if it was made here; else NULL */
  struct hy_direct *move;
  bool vector; /* one dimension, if the format has that */
  char *buffer;
  int64_t *lengths; /* one for each node */
  int64_t *offsets; /* one for each node, and one more */
  struct hy_subcube_op group;
  locale_t c_locale;
};

/* The functions of a format. */
struct format {
  const char *ending; /* NULL: the path names a dataset in an HDF5 file */
  bool by_rows;       /* unless the path says otherwise */
  char separator;     /* between the numbers of a table, unless an option says otherwise */
  /* Collective over the nodes.  FILE on a rank that could not write; then all ranks have stopped.
   */
  hyla_status (*write)(struct writer *writer);
  /* The bytes of buffer for a piece of `entries' entries. */
  int64_t (*piece_bytes)(const struct hy_kernels *k, int64_t entries);
};

/* Texts: the functions of their formats (write_text.c). */
int64_t hy_text_bytes(const struct hy_kernels *k, int64_t entries);
hyla_status hy_write_mm(struct writer *writer);
hyla_status hy_write_table(struct writer *writer);

#endif
