/* Door of the room io: matrix files and states.
 *
 * Reading goes in two halves.  The pure half turns bytes into headers and entries
 * (mm_text.c, mm_header.c, mm_body.c, npy_header.c, npy_element.c, hdf5_header.c) and knows
 * neither ranks nor messages; the parallel half shares the file out (read.c, mm_read.c, npy_read.c,
 * hdf5_read.c, route.c).  Writing brings the matrix into a layout in which every rank holds long
 * runs of the file (write.c), which mm_write.c, npy_write.c and hdf5_write.c put into it.
 */
#ifndef HY_MATRIX_IO_H
#define HY_MATRIX_IO_H 1

#include "collective/collective.h"
#include "redistribute/redistribute.h"

#include <locale.h>

/* --------------------------------------------------------------- files -- */

/* In an HDF5 file the last index counts entries that follow each other: it goes along the rows, or,
 * where Fortran or MATLAB has written, down the columns. */
enum hy_io_order { HY_IO_AS_MARKED, HY_IO_BY_ROWS, HY_IO_BY_COLUMNS };

/* What a path names: a file, by its first `length` characters, and maybe a dataset in it. */
struct hy_io_name {
  int64_t length;
  const char *dataset; /* from its / on; NULL: none */
  enum hy_io_order order;
  bool matlab; /* the file's name ends in .mat */
};
struct hy_io_name hy_io_name_of(const char *path);

/* A file open on this rank.  Faults in its contents are reported as
 * "path:line: ..." or "path: byte offset: ...". */
struct hy_io_file {
  struct hy_base *base;
  const char *path; /* of the file alone */
  struct hy_io_name name;
  char *own;               /* the path, where it is part of a longer one; else NULL */
  int fd;                  /* -1: not open */
  int64_t size;            /* of what gzip has compressed: once it is unpacked */
  struct hy_io_gzip *gzip; /* of such a file; else NULL */
};

/* A file that is not open yet: what its path names; MEMORY. */
hyla_status hy_io_name(struct hy_base *base, const char *path, struct hy_io_file *file);
/* Opens a regular file for reading, compressed by gzip or not; FILE with the reason, MEMORY. */
hyla_status hy_io_open(struct hy_base *base, const char *path, struct hy_io_file *file);
/* The same, but the path names this file alone, and its bytes are taken as they are; FILE. */
hyla_status hy_io_open_plain(struct hy_base *base, const char *path, struct hy_io_file *file);
void hy_io_close(struct hy_io_file *file);
/* The same, but the file keeps its name, for another that is opened in its place. */
void hy_io_shut(struct hy_io_file *file);

/* Exactly `bytes` bytes at an offset; FILE, also when the file ends before. */
hyla_status hy_io_get(const struct hy_io_file *file, void *data, int64_t bytes, int64_t offset);
hyla_status hy_io_put(const struct hy_io_file *file, const void *data, int64_t bytes,
                      int64_t offset);
/* The same as get for any thread, of a file that gzip has not compressed: where it fails, false and
 * the fault, which refuse tells. */
struct hy_io_fault {
  bool met;
  int error;  /* an errno; 0: the file ends */
  int64_t at; /* in the file */
};
bool hy_io_take(const struct hy_io_file *file, void *data, int64_t bytes, int64_t offset,
                struct hy_io_fault *fault);
hyla_status hy_io_refuse(const struct hy_io_file *file, const struct hy_io_fault *fault);

/* For file.c.  get: fast where offsets rise. */
hyla_status hy_io_gzip_open(struct hy_io_file *file);
hyla_status hy_io_gzip_get(const struct hy_io_file *file, char *data, int64_t bytes,
                           int64_t offset);
void hy_io_gzip_close(struct hy_io_file *file);

/* What else than a matrix a file begins with, and what to do; NULL: nothing that is known.  start:
 * its first HY_IO_START bytes, or as many as it has. */
enum { HY_IO_START = 64 };
const char *hy_io_known_start(const char *start, int64_t length);

/* Collective over the nodes: all get the status and the message of node root. */
hyla_status hy_io_share_verdict(hyla_cube *cube, int root, hyla_status mine);

/* A piece of a file made fit for a message: short and printable. */
#define HY_IO_QUOTE 44
const char *hy_io_quote(const char *text, int64_t length, char quote[HY_IO_QUOTE]);

/* --------------------------------------------------- Matrix Market text -- */

/* The format's own bound on a line; comments may be longer. */
#define HY_MM_LINE 1024

enum hy_mm_format { HY_MM_ARRAY, HY_MM_COORDINATE, HY_MM_TABLE };
enum hy_mm_field { HY_MM_REAL, HY_MM_INTEGER, HY_MM_COMPLEX, HY_MM_PATTERN, HY_MM_UNSIGNED };
enum hy_mm_symmetry { HY_MM_GENERAL, HY_MM_SYMMETRIC, HY_MM_SKEW, HY_MM_HERMITIAN };

struct hy_mm_header {
  enum hy_mm_format format;
  enum hy_mm_field field;
  enum hy_mm_symmetry symmetry;
  int64_t rows;
  int64_t cols;
  int64_t entries; /* how many lines of data must follow */
  int64_t body;    /* where they begin in the file */
  int64_t lines;   /* how many lines stand before them */
  int64_t longest; /* of a table: characters of a line */
  char separator;  /* likewise: what stands between numbers; ' ': blanks */
};

/* Where in a file a line stands, and its characters that are still unread. */
struct hy_mm_line {
  struct hy_base *base;
  const char *path;
  int64_t number; /* from 1 */
  int64_t column; /* of a table's number, from 1; 0: none */
  const char *at;
  const char *end; /* of the line, without its line end; *end is no part of a number */
};

/* Cuts the line that starts at text off; limit: the end of the bytes at hand, where a 0
 * stands.  Returns where the next line starts, or NULL when no line end was found. */
const char *hy_mm_cut(struct hy_mm_line *line, const char *text, const char *limit);
/* Neither blank nor a comment. */
bool hy_mm_has_data(const struct hy_mm_line *line);
/* The next word, without moving on: its length, 0 at the end of the line. */
int64_t hy_mm_word(struct hy_mm_line *line);
/* The next number; FORMAT.  what: "a row index". */
hyla_status hy_mm_integer(struct hy_mm_line *line, const char *what, int64_t *value);
hyla_status hy_mm_number(struct hy_mm_line *line, enum hy_mm_field field, locale_t c_locale,
                         double *value);
/* FORMAT unless the line is used up.  what: what it should have held. */
hyla_status hy_mm_end(struct hy_mm_line *line, const char *what);

/* " column 3:", or nothing. */
enum { HY_MM_COLUMN = 40 };
const char *hy_mm_column(const struct hy_mm_line *line, char text[HY_MM_COLUMN]);

/* FORMAT with the line's place in front. */
#define MM_CHECK(line, condition, format, ...)                                                     \
  CHECK((line)->base, condition, FORMAT, "%s:%" PRId64 ":%s " format, hy_path_shown((line)->path), \
        (line)->number, hy_mm_column((line), (char[HY_MM_COLUMN]){""}), __VA_ARGS__)

/* Reads everything before the data. FILE, FORMAT. */
hyla_status hy_mm_read_header(const struct hy_io_file *file, struct hy_mm_header *header);

/* Numbers that a line of data holds; what they are. */
int hy_mm_columns(const struct hy_mm_header *header);
const char *hy_mm_content(const struct hy_mm_header *header);

/* Some bytes of the data.  Lines that start in [first, limit) are wanted; the
 * bytes go on to end, where a 0 stands, so that the last line is whole. */
struct hy_mm_chunk {
  const char *first;
  const char *limit;
  const char *end;
};

/* Reads the chunk of `bytes` bytes that starts `start` bytes into the file, at or
 * behind the header's end.  buffer: bytes + hy_mm_slack.  FILE. */
#define HY_MM_SLACK (HY_MM_LINE + 4)
int64_t hy_mm_slack(const struct hy_mm_header *header);
hyla_status hy_mm_load(const struct hy_io_file *file, const struct hy_mm_header *header,
                       int64_t start, int64_t bytes, char *buffer, struct hy_mm_chunk *chunk);

/* Counts the lines that start in a chunk, and those that hold data. */
void hy_mm_count(const struct hy_mm_header *header, const struct hy_mm_chunk *chunk, int64_t *lines,
                 int64_t *entries);

/* Takes one entry; value[1] is 0 for real fields. */
typedef void hy_mm_take(void *arg, int64_t row, int64_t col, const double value[2]);

/* How to read data: of which file and matrix, in which locale, for whom. */
struct hy_mm_parser {
  const struct hy_io_file *file;
  const struct hy_mm_header *header;
  locale_t c_locale;
  hy_mm_take *take;
  void *arg;
};

/* Reads a chunk, before which `lines` lines and `entries` entries of the file
 * stand.  Entries that symmetry implies are taken too, right after the one that
 * implies them.  Stops at the first fault: FORMAT. */
hyla_status hy_mm_parse(const struct hy_mm_parser *parser, const struct hy_mm_chunk *chunk,
                        int64_t lines, int64_t entries);
/* What is to be said at the end of the file: FORMAT when entries are missing. */
hyla_status hy_mm_finish(const struct hy_mm_parser *parser, int64_t lines, int64_t entries);

/* -------------------------------------------------- tables of numbers -- */

/* A text without a head, a row of numbers a line, is read as Matrix Market data are: of a header of
 * the format HY_MM_TABLE an entry is a row.  known: does a file that is in no other format begin as
 * such a text, or is it named so?  header: one pass through the file.  FILE, FORMAT, MEMORY. */
bool hy_table_known(const struct hy_io_file *file, const char *start, int64_t length);
hyla_status hy_table_read_header(const struct hy_io_file *file, struct hy_mm_header *header);
/* Is it a row, neither blank nor a comment? */
bool hy_table_has_row(const struct hy_mm_line *line);
/* FORMAT */
hyla_status hy_table_parse_row(const struct hy_mm_parser *parser, const struct hy_mm_line *line,
                               int64_t row);

/* ---------------------------------------------- Matrix Market, parallel -- */

/* Brings entries from the ranks that find them to the ranks that own them, in
 * rounds: each rank adds some, then all exchange.  What several ranks found for one
 * place arrives in the order of the ranks' addresses. */
struct hy_route;

/* Local; for the nodes of the matrix' cube.  capacity: the most entries that any
 * node adds in a round.  sum: entries are added to what is there, not put in its
 * place.  matrix: double or double complex.  MEMORY. */
hyla_status hy_route_create(hyla_matrix *matrix, int64_t capacity, bool sum,
                            struct hy_route **route);
void hy_route_destroy(struct hy_base *base, struct hy_route **route);
/* Local. */
void hy_route_add(struct hy_route *route, int64_t row, int64_t col, const double value[2]);
/* Collective over the nodes.  COMMUNICATION, TIMEOUT, BROKEN. */
hyla_status hy_route_exchange(struct hy_route *route);

/* Reads the data of a file into a matrix of zeros. */
struct hy_mm_reader;

/* Local; for nodes and guests.  chunk: bytes that a node reads in a round; 0: the
 * default.  file, header, matrix must outlive the reader.  MEMORY. */
hyla_status hy_mm_reader_create(const struct hy_io_file *file, const struct hy_mm_header *header,
                                int64_t chunk, hyla_matrix *matrix, struct hy_mm_reader **reader);
void hy_mm_reader_destroy(struct hy_base *base, struct hy_mm_reader **reader);
/* Collective over the nodes: all return the same status and message.  FILE,
 * FORMAT, COMMUNICATION, TIMEOUT, BROKEN. */
hyla_status hy_mm_reader_run(struct hy_mm_reader *reader);

/* ---------------------------------------------------------- .npy header -- */

/* What an element of a .npy file is. */
struct hy_npy_element {
  char kind; /* f, c, b, i, u as NumPy names them */
  int size;  /* bytes */
  bool big;  /* the most significant byte first */
};

struct hy_npy_header {
  struct hy_npy_element element;
  bool by_columns; /* "Fortran order" */
  int64_t rows;
  int64_t cols;
  bool vector;  /* of one dimension */
  int64_t body; /* where the elements begin in the file */
};

#define HY_NPY_MAGIC "\x93NUMPY"
#define HY_NPY_MAGIC_LENGTH 6

/* Reads the header and checks that the file is as long as it says.  FILE, FORMAT. */
hyla_status hy_npy_read_header(const struct hy_io_file *file, struct hy_npy_header *header);

/* The header of a matrix written by columns, or of its one column alone (vector), of a vector of
 * int64_t; its length, a multiple of
 * 64. */
#define HY_NPY_HEADER_MAX 192
int64_t hy_npy_format_header(hyla_type type, int64_t rows, int64_t cols, bool vector,
                             char text[HY_NPY_HEADER_MAX]);
int64_t hy_npy_format_integers(int64_t count, char text[HY_NPY_HEADER_MAX]);

bool hy_npy_machine_is_big(void);
/* The matrix type that holds such elements. */
hyla_type hy_npy_type(const struct hy_npy_element *element);
/* to[0 ... count-1], of hy_npy_type, from elements as they stand in a file. */
void hy_npy_convert(const struct hy_npy_element *element, const char *from, int64_t count,
                    void *to);

/* Local: reads this rank's part of the matrix.  FILE, MEMORY. */
hyla_status hy_npy_read_body(const struct hy_io_file *file, const struct hy_npy_header *header,
                             hyla_matrix *matrix);

/* -------------------------------------------------------------- states -- */

/* What a computation goes on from: a matrix as it stands, and numbers that all nodes have.  The
 * file has the entries by columns, in the order of rows and columns, with a sum over each column,
 * so that it can be read on any cube and in any layout; it is of the machine's byte order. */
struct hy_state_about {
  uint64_t origin; /* of what it is a state: one of another origin is refused */
  int64_t columns; /* how far the computation has come */
  int64_t block;   /* by which it goes */
};

/* Memory for states of one matrix.  make: collective over cube and guests, agreed upon; takes as
 * much as this rank's part of the matrix unless the rank has whole columns.  lower: of column j the
 * rows from j on; numbers: how many.  The matrix, without copies, outlives it.  MEMORY. */
struct hy_state;
hyla_status hy_state_make(const hyla_matrix *matrix, bool lower, int64_t numbers,
                          struct hy_state **state);
void hy_state_free(struct hy_state **state);

/* Collective over cube and guests, agreed upon; nothing is allocated.  path: the same on all ranks;
 * numbers: on nodes.
 * try     can it be written?  Leaves what is there.  FILE
 * write   puts a new file in the place of the old one when it is complete and on the disk.  FILE
 * count   how many names of the folder begin with the path's first `prefix' characters and end
 *         alike; -1: nobody knows
 * find    what a file says of itself; *there: false when there is none; and how many others there
 *         are.  FILE; FORMAT of one that is damaged, cut off, or not of that origin or of such a
 *         matrix
 * read    matrix and numbers, of a file that was found.  check: are the numbers, which are read
 *         first, good?  NULL, or what is wrong.  adjust: what is done with each column of this rank
 *         before it goes to its place; entries: of rows 0, 1, ...  FILE, FORMAT
 * remove  FILE; fine where there is none */
struct hy_state_found {
  bool there;
  int64_t others;
  struct hy_state_about about;
};
struct hy_state_taker {
  const char *(*check)(const void *arg, const int64_t *numbers);
  void (*adjust)(const void *arg, int64_t col, char *entries);
  const void *arg;
};
hyla_status hy_state_try(struct hy_state *state, const char *path);
hyla_status hy_state_write(struct hy_state *state, const char *path,
                           const struct hy_state_about *about, const int64_t *numbers);
hyla_status hy_state_count(struct hy_state *state, const char *path, size_t prefix, int64_t *count);
hyla_status hy_state_find(struct hy_state *state, const char *path, size_t prefix, uint64_t origin,
                          struct hy_state_found *found);
hyla_status hy_state_read(struct hy_state *state, const char *path,
                          const struct hy_state_taker *taker, int64_t *numbers);
hyla_status hy_state_remove(struct hy_state *state, const char *path);

/* ---------------------------------------------------------------- HDF5 -- */

/* A dataset of an HDF5 file.  Its elements lie as those of a .npy file do; or, where that file is
 * cut into chunks or HDF5 has them otherwise, body is -1 and they are asked for box by box. */
#define HY_HDF5_NAME 256
struct hy_hdf5_header {
  struct hy_npy_header elements;
  int dims;                   /* of the dataset */
  int64_t box[2];             /* lines, and entries along them, that are best read together */
  int64_t chunk;              /* bytes that HDF5 unpacks at a time; 0: none */
  char dataset[HY_HDF5_NAME]; /* "": it is the path's */
};

/* Does the file begin as an HDF5 file does, or what stands behind a user block?  FILE. */
hyla_status hy_hdf5_known(const struct hy_io_file *file, bool *known);

/* Local, as what follows where it does not say otherwise; without HDF5 they refuse.  Reads the head
 * of the dataset that the path names, else of the file's only one.  FILE, FORMAT, MEMORY. */
hyla_status hy_hdf5_read_header(const struct hy_io_file *file, struct hy_hdf5_header *header);
/* Reads this rank's part of the matrix.  FILE, MEMORY. */
hyla_status hy_hdf5_read_body(const struct hy_io_file *file, const struct hy_hdf5_header *header,
                              hyla_matrix *matrix);

/* Collective over nodes and guests: the same by all of them, so that each chunk is unpacked once.
 * The status is not agreed upon.  FILE, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
hyla_status hy_hdf5_deal_body(hyla_cube *cube, const struct hy_io_file *file,
                              const struct hy_hdf5_header *header, hyla_matrix *matrix);

/* A dataset that is to be written: a matrix, in lines of its rows or its columns. */
struct hy_hdf5_dataset {
  const struct hy_kernels *k;
  int64_t rows;
  int64_t cols;
  bool vector;
  bool by_rows;
};
/* Can the dataset that the file's name tells of be put into the file?  A file that is there must
 * be a HDF5 file, in which nothing but a dataset has that name.  FILE, ARGUMENT, MEMORY. */
hyla_status hy_hdf5_check_target(const struct hy_io_file *file);
/* Makes the file, which is open and empty, a copy of the one to be replaced, if any, in which the
 * dataset has room.  body: where its elements go.  FILE, MEMORY. */
hyla_status hy_hdf5_prepare(const struct hy_io_file *file, const struct hy_hdf5_dataset *dataset,
                            int64_t *body);

/* ------------------------------------------------------------- reading -- */

/* hyla_matrix_read with the chunk of hy_mm_reader_create, for tests. */
hyla_status hy_io_read(hyla_cube *cube, const char *path, const hyla_layout *layout, int64_t chunk,
                       hyla_matrix **matrix);

/* ------------------------------------------------------------- writing -- */

/* How a matrix is cut for writing.  Formats hold it by columns or by rows: in lines.  The layout
 * deals pieces of it to the nodes, so that the pieces with numbers 0 ... nodes-1
 * of a round follow each other in the file in the order of the nodes' addresses, and
 * the rounds do.  A piece is a block of whole lines or a part of one. */
struct hy_file_cut {
  hyla_layout layout;
  bool by_rows;  /* the lines are rows, else columns */
  bool whole;    /* lines, else parts */
  int64_t block; /* lines, entries of a piece; the last may have fewer */
  int64_t rounds;
  int64_t most; /* entries of a piece */
};

/* For a cube of 2^dims nodes. */
struct hy_file_cut hy_cut_make(int dims, int64_t rows, int64_t cols, bool by_rows);

/* A node's piece in a round: local rows and columns of a matrix in the cut's
 * layout, maybe none; its first entry's place in the file, counted in entries. */
struct hy_file_piece {
  int64_t row;
  int64_t rows;
  int64_t col;
  int64_t cols;
  int64_t place;
};
struct hy_file_piece hy_cut_piece(const struct hy_file_cut *cut, const hyla_matrix *matrix,
                                  int64_t round);

/* A matrix on its way into a file.  matrix: in the layout of the cut.  buffer: of
 * hy_mm_piece_bytes or hy_npy_piece_bytes. */
struct hy_writer {
  struct hy_io_file file;
  struct hy_file_cut cut;
  const hyla_matrix *matrix;
  bool vector; /* one dimension, where the format has such */
  char *buffer;
  int64_t *lengths; /* one for each node, and */
  int64_t *offsets; /* one more */
  struct hy_group group;
  locale_t c_locale;
};

/* Collective over the nodes: writes the file.  FILE on a rank that could not
 * write; then all have stopped.  COMMUNICATION, TIMEOUT, BROKEN. */
hyla_status hy_mm_write(struct hy_writer *writer);
hyla_status hy_npy_write(struct hy_writer *writer);
hyla_status hy_hdf5_write(struct hy_writer *writer);
/* What they need for a piece of a matrix of a type. */
int64_t hy_mm_piece_bytes(const struct hy_kernels *k, int64_t entries);
int64_t hy_npy_piece_bytes(const struct hy_kernels *k, int64_t entries);

/* Local: puts this node's pieces where they belong, as they stand in memory, from byte `body` of
 * the file on.  FILE. */
hyla_status hy_pieces_put(struct hy_writer *writer, int64_t body);

#endif
