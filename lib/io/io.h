/* Private to this folder: matrix files.
 *
 * Reading goes in two halves.  The pure half turns bytes into headers and entries
 * (mm_text.c, mm_header.c, mm_body.c, npy_header.c, npy_element.c) and knows neither ranks
 * nor messages; the parallel half shares the file out (read.c, mm_read.c, npy_read.c,
 * route.c).  Writing brings the matrix into a layout in which every rank holds long runs of
 * the file (write.c), which mm_write.c and npy_write.c put into it.
 */
#ifndef HY_MATRIX_IO_H
#define HY_MATRIX_IO_H 1

#include "collective/collective.h"
#include "redistribute/redistribute.h"

#include <locale.h>

/* --------------------------------------------------------------- files -- */

/* A file open on this rank.  Faults in its contents are reported as
 * "path:line: ..." or "path: byte offset: ...". */
struct hy_io_file {
  struct hy_base *base;
  const char *path;
  int fd;                  /* -1: not open */
  int64_t size;            /* of what gzip has compressed: once it is unpacked */
  struct hy_io_gzip *gzip; /* of such a file; else NULL */
};

/* Opens a regular file for reading, compressed by gzip or not; FILE with the reason, MEMORY. */
hyla_status hy_io_open(struct hy_base *base, const char *path, struct hy_io_file *file);
void hy_io_close(struct hy_io_file *file);

/* Exactly `bytes` bytes at an offset; FILE, also when the file ends before. */
hyla_status hy_io_get(const struct hy_io_file *file, void *data, int64_t bytes, int64_t offset);
hyla_status hy_io_put(const struct hy_io_file *file, const void *data, int64_t bytes,
                      int64_t offset);

/* For file.c.  get: fast where offsets rise. */
hyla_status hy_io_gzip_open(struct hy_io_file *file);
hyla_status hy_io_gzip_get(const struct hy_io_file *file, char *data, int64_t bytes,
                           int64_t offset);
void hy_io_gzip_close(struct hy_io_file *file);

/* The end of a long path, so that a message has room for what it says. */
const char *hy_io_name(const char *path);

/* Collective over the nodes: all get the status and the message of node root. */
hyla_status hy_io_share_verdict(hyla_cube *cube, int root, hyla_status mine);

/* A piece of a file made fit for a message: short and printable. */
#define HY_IO_QUOTE 44
const char *hy_io_quote(const char *text, int64_t length, char quote[HY_IO_QUOTE]);

/* --------------------------------------------------- Matrix Market text -- */

/* The format's own bound on a line; comments may be longer. */
#define HY_MM_LINE 1024

enum hy_mm_format { HY_MM_ARRAY, HY_MM_COORDINATE };
enum hy_mm_field { HY_MM_REAL, HY_MM_INTEGER, HY_MM_COMPLEX, HY_MM_PATTERN };
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
};

/* Where in a file a line stands, and its characters that are still unread. */
struct hy_mm_line {
  struct hy_base *base;
  const char *path;
  int64_t number; /* from 1 */
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

/* FORMAT with the line's place in front. */
#define MM_CHECK(line, condition, format, ...)                                                     \
  CHECK((line)->base, condition, FORMAT, "%s:%" PRId64 ": " format, hy_io_name((line)->path),      \
        (line)->number, __VA_ARGS__)

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
 * behind the header's end.  buffer: bytes + HY_MM_SLACK.  FILE. */
#define HY_MM_SLACK (HY_MM_LINE + 4)
hyla_status hy_mm_load(const struct hy_io_file *file, const struct hy_mm_header *header,
                       int64_t start, int64_t bytes, char *buffer, struct hy_mm_chunk *chunk);

/* Counts the lines that start in a chunk, and those that hold data. */
void hy_mm_count(const struct hy_mm_chunk *chunk, int64_t *lines, int64_t *entries);

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

/* ------------------------------------------------------------- reading -- */

/* hyla_matrix_read with the chunk of hy_mm_reader_create, for tests. */
hyla_status hy_io_read(hyla_cube *cube, const char *path, const hyla_layout *layout, int64_t chunk,
                       hyla_matrix **matrix);

/* ------------------------------------------------------------- writing -- */

/* How a matrix is cut for writing.  Both formats hold it by columns; the layout
 * deals pieces of it to the nodes, so that the pieces with numbers 0 ... nodes-1
 * of a round follow each other in the file in the order of the nodes' addresses, and
 * the rounds do.  A piece is a block of whole columns or a block of rows of one
 * column. */
struct hy_file_cut {
  hyla_layout layout;
  bool by_columns;
  int64_t block; /* columns, rows of a piece; the last may have fewer */
  int64_t rounds;
  int64_t most; /* entries of a piece */
};

/* For a cube of 2^dims nodes. */
struct hy_file_cut hy_cut_make(int dims, int64_t rows, int64_t cols);

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
/* What they need for a piece of a matrix of a type. */
int64_t hy_mm_piece_bytes(const struct hy_kernels *k, int64_t entries);
int64_t hy_npy_piece_bytes(const struct hy_kernels *k, int64_t entries);

#endif
