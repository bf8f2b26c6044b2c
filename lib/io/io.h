/* Door of the room io: matrix files and states.
 *
 * Reading has two halves.  The local half turns bytes into headers and entries (mm_text.c,
 * mm_header.c, mm_body.c, npy.c, hdf5_header.c) and knows neither ranks nor messages.  The parallel
 * half divides the file among the ranks (read.c, mm_read.c, npy_read.c, hdf5_read.c).  Writing
 * redistributes the matrix into a layout in which every rank holds long runs of the file, and puts
 * them there (write.c). */
#ifndef HY_MATRIX_IO_H
#define HY_MATRIX_IO_H 1

#include "collective/collective.h"
#include "redistribute/redistribute.h"

/* --------------------------------------------------------------- files -- */

/* The order of an HDF5 dataset.  Entries that differ in the last index are adjacent in the file: by
 * rows they are a row's, by columns, as Fortran and MATLAB write, a column's. */
enum hy_io_order { HY_IO_AS_MARKED, HY_IO_BY_ROWS, HY_IO_BY_COLUMNS };

/* The parts of a path: a file, its first `length' characters, and perhaps a dataset in it. */
struct hy_io_name {
  int64_t length;      /* of the file's path */
  const char *dataset; /* from its / on; NULL: the path names none */
  const char *member;  /* of a .npz archive; NULL: the path names none */
  enum hy_io_order order;
  bool matlab;   /* the file's name ends in .mat */
  bool standard; /* it is standard input, which has no name */
};
struct hy_io_name hy_io_name_of(const char *path);

/* A file open on this rank.  Messages about its contents begin with "path:line: ..." or
 * "path: byte offset: ...". */
struct hy_io_file {
  struct hy_base *base;
  const char *path; /* of the file, without a dataset */
  struct hy_io_name name;
  char delimiter;          /* between the numbers of a table; 0: not given */
  char *own;               /* memory for `path' if it was cut from a longer one; else NULL */
  int fd;                  /* -1: not open */
  int64_t first;               /* what is read begins at this byte of the file */
  int64_t size;                /* of what is read in bytes, once it is unpacked */
  struct hy_io_stream *stream; /* NULL if it is not compressed */
};

/* A part of a file that is read like a file: a member of a ZIP archive, or a variable of a MAT
 * file. */
enum hy_io_packing { HY_IO_STORED, HY_IO_DEFLATED, HY_IO_ZLIB };
struct hy_io_part {
  enum hy_io_packing packing;
  int64_t first, bytes; /* its place in the file */
  int64_t size;         /* once it is unpacked; INT64_MAX: not known */
  uint32_t sum;         /* deflated: the CRC of what it unpacks to */
};

/* Local.  Splits a path into its parts; the file stays closed.  MEMORY. */
hyla_status hy_io_name(struct hy_base *base, const char *path, struct hy_io_file *file);
/* Local.  Opens a regular file for reading, gzipped or not.  FILE with the reason, MEMORY. */
hyla_status hy_io_open(struct hy_base *base, const char *path, struct hy_io_file *file);
/* Local.  The same for the copy of standard input.  FILE, MEMORY. */
hyla_status hy_io_open_copy(struct hy_base *base, int copied, struct hy_io_file *file);
/* Local.  The same for a path that names a file alone, whose bytes are not unpacked.  FILE. */
hyla_status hy_io_open_plain(struct hy_base *base, const char *path, struct hy_io_file *file);
/* Local.  From now on only a part of an open file is read.  MEMORY. */
hyla_status hy_io_enter(struct hy_io_file *file, const struct hy_io_part *part);
/* Local.  Reads what is left of compressed data, so that their check sum is compared.  FILE. */
hyla_status hy_io_finish(const struct hy_io_file *file);
void hy_io_close(struct hy_io_file *file);
/* Closes the file and keeps its name, so that another can be opened in its place. */
void hy_io_shut(struct hy_io_file *file);

/* Local.  Reads or writes exactly `bytes' bytes at an offset.  FILE, also if the file ends
 * early. */
hyla_status hy_io_get(const struct hy_io_file *file, void *data, int64_t bytes, int64_t offset);
hyla_status hy_io_put(const struct hy_io_file *file, const void *data, int64_t bytes,
                      int64_t offset);
/* take: hy_io_get for any thread, for a file that is not compressed; returns false and the fault.
 * refuse: turns the fault into FILE and a message. */
struct hy_io_fault {
  bool met;
  int error;  /* an errno; 0: the file ended early */
  int64_t at; /* offset in the file */
};
bool hy_io_take(const struct hy_io_file *file, void *data, int64_t bytes, int64_t offset,
                struct hy_io_fault *fault);
hyla_status hy_io_refuse(const struct hy_io_file *file, const struct hy_io_fault *fault);

/* For file.c alone.  get is fast if offsets rise. */
hyla_status hy_io_gzip_open(struct hy_io_file *file);
hyla_status hy_io_stream_get(const struct hy_io_file *file, char *data, int64_t bytes,
                             int64_t offset);
/* Closes what hy_io_enter has opened. */
void hy_io_stream_close(struct hy_io_file *file);

/* Collective over the nodes: all get the status and the message of node root. */
hyla_status hy_io_share_status(hyla_cube *cube, int root, hyla_status mine);

/* Makes a piece of a file fit for a message: short and printable. */
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
  int64_t rows, cols;
  int64_t entries; /* number of lines of data that must follow */
  int64_t body;    /* offset of the first of them */
  int64_t lines;   /* number of lines before it */
  int64_t longest; /* table only: characters of the longest line */
  char separator;  /* table only: between numbers; ' ' stands for blanks */
};

/* A line of a file, with its place there and its unread characters. */
struct hy_mm_line {
  struct hy_base *base;
  const char *path;
  int64_t number; /* from 1 */
  int64_t column; /* of the current number of a table, from 1; 0: none */
  const char *at;
  const char *end; /* of the line, without the newline; *end is not part of a number */
};

/* Cuts off the line that begins at text.  limit: end of the bytes at hand, where a 0 stands.
 * Returns the start of the next line, or NULL if no newline was found. */
const char *hy_mm_cut(struct hy_mm_line *line, const char *text, const char *limit);
/* Is the line neither blank nor a comment? */
bool hy_mm_has_data(const struct hy_mm_line *line);
/* Finds the next word without moving past it; its length, 0 at the end of the line. */
int64_t hy_mm_word(struct hy_mm_line *line);
/* Reads the next number.  what: its name for a message, as "a row index".  FORMAT. */
hyla_status hy_mm_integer(struct hy_mm_line *line, const char *what, int64_t *value);
hyla_status hy_mm_number(struct hy_mm_line *line, enum hy_mm_field field, locale_t c_locale,
                         double *value);
/* FORMAT unless the line is used up.  what: the expected contents. */
hyla_status hy_mm_end(struct hy_mm_line *line, const char *what);

/* Writes " column 3:", or nothing. */
enum { HY_MM_COLUMN = 40 };
const char *hy_mm_column(const struct hy_mm_line *line, char text[HY_MM_COLUMN]);

/* Fails with FORMAT; the message begins with the line's place. */
#define MM_CHECK(line, condition, format, ...)                                                     \
  CHECK((line)->base, condition, FORMAT, "%s:%" PRId64 ":%s " format, hy_path_shown((line)->path), \
        (line)->number, hy_mm_column((line), (char[HY_MM_COLUMN]){""}), __VA_ARGS__)

/* Local.  Reads everything before the data.  FILE, FORMAT. */
hyla_status hy_mm_read_header(const struct hy_io_file *file, struct hy_mm_header *header);

/* How many numbers a line of data has; their description. */
int hy_mm_columns(const struct hy_mm_header *header);
const char *hy_mm_content(const struct hy_mm_header *header);

/* Some bytes of the data.  Lines that begin in [first, limit) are wanted.  The bytes reach to
 * `end', where a 0 stands, so that the last line is whole. */
struct hy_mm_chunk {
  const char *first, *limit, *end;
};

/* Local.  Reads the chunk of `bytes' bytes that begins at byte `start' of the file, which is not
 * inside the header.  buffer: bytes + hy_mm_slack.  FILE. */
#define HY_MM_SLACK (HY_MM_LINE + 4)
int64_t hy_mm_slack(const struct hy_mm_header *header);
hyla_status hy_mm_load(const struct hy_io_file *file, const struct hy_mm_header *header,
                       int64_t start, int64_t bytes, char *buffer, struct hy_mm_chunk *chunk);

/* Counts the lines that begin in a chunk, and the lines among them that hold data. */
void hy_mm_count(const struct hy_mm_header *header, const struct hy_mm_chunk *chunk, int64_t *lines,
                 int64_t *entries);

/* Receives one entry; value[1] is 0 for real fields. */
typedef void hy_mm_take(void *arg, int64_t row, int64_t col, const double value[2]);

/* A file's data being parsed: where they come from, and who receives the entries. */
struct hy_mm_parser {
  const struct hy_io_file *file;
  const struct hy_mm_header *header;
  locale_t c_locale;
  hy_mm_take *take;
  void *arg;
};

/* Parses a chunk, before which the file has `lines' lines and `entries' entries.  An entry that
 * follows by symmetry is passed on directly after the one that is stored.  Stops at the first
 * fault: FORMAT. */
hyla_status hy_mm_parse(const struct hy_mm_parser *parser, const struct hy_mm_chunk *chunk,
                        int64_t lines, int64_t entries);
/* Checks the number of entries at the end of the file.  FORMAT. */
hyla_status hy_mm_finish(const struct hy_mm_parser *parser, int64_t lines, int64_t entries);

/* -------------------------------------------------- tables of numbers -- */

/* A table is a text without a head that has a row of numbers on each line.  It is read like Matrix
 * Market data, with the format HY_MM_TABLE and a row as an entry.  known: does a file that is in no
 * other format begin like a table, or have a table's name?  header: passes through the file once.
 * FILE, FORMAT, MEMORY. */
bool hy_table_known(const struct hy_io_file *file, const char *start, int64_t length);
hyla_status hy_table_read_header(const struct hy_io_file *file, struct hy_mm_header *header);
/* Is the line a row, neither blank nor a comment? */
bool hy_table_has_row(const struct hy_mm_line *line);
/* Parses a row and passes its entries on.  FORMAT. */
hyla_status hy_table_parse_row(const struct hy_mm_parser *parser, const struct hy_mm_line *line,
                               int64_t row);

/* ---------------------------------------------- Matrix Market, parallel -- */

/* Collective over cube and guests; the status is this rank's.  Reads the data of a file into a
 * matrix of doubles, real or complex, that is 0 before.  chunk: bytes that a node reads in a round;
 * 0: the default.  FILE, FORMAT, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
hyla_status hy_mm_read_body(const struct hy_io_file *file, const struct hy_mm_header *header,
                            int64_t chunk, hyla_matrix *matrix);

/* ---------------------------------------------------------- .npy header -- */

/* The type of the elements in a .npy file. */
struct hy_npy_element {
  char kind; /* f, c, b, i, u as in NumPy */
  int size;  /* bytes */
  bool big;  /* the most significant byte first */
};

struct hy_npy_header {
  struct hy_npy_element element;
  bool by_columns; /* "Fortran order" */
  int64_t rows, cols;
  bool vector;  /* the array has one dimension */
  int64_t body; /* offset of the first element in the file */
};

#define HY_NPY_MAGIC "\x93NUMPY"
#define HY_NPY_MAGIC_LENGTH 6

/* Local.  Reads the header and checks that the file has the length it says.  FILE, FORMAT. */
hyla_status hy_npy_read_header(const struct hy_io_file *file, struct hy_npy_header *header);

/* Writes the header of a matrix by columns, or of its single column (vector), or of a vector of
 * int64_t.  Returns its length, a multiple of 64. */
#define HY_NPY_HEADER_MAX 192
int64_t hy_npy_format_header(hyla_type type, int64_t rows, int64_t cols, bool vector,
                             char text[HY_NPY_HEADER_MAX]);
int64_t hy_npy_format_integers(int64_t count, char text[HY_NPY_HEADER_MAX]);

bool hy_npy_machine_is_big(void);
/* Are the elements in a file, byte for byte, entries of type hy_npy_type? */
bool hy_npy_is_plain(const struct hy_npy_element *element);
/* The matrix type that holds such elements. */
hyla_type hy_npy_type(const struct hy_npy_element *element);
/* Converts `count' elements, as they are in a file, to entries of type hy_npy_type. */
void hy_npy_convert(const struct hy_npy_element *element, const char *from, int64_t count,
                    void *to);

/* Local.  Reads this rank's part of the matrix.  FILE, MEMORY. */
hyla_status hy_npy_read_body(const struct hy_io_file *file, const struct hy_npy_header *header,
                             hyla_matrix *matrix);

/* -------------------------------------------------------------- states -- */

/* A state of a computation, from which it can go on: a matrix and numbers that all nodes have.  The
 * file has the entries by columns, in the order of rows and columns, with a check sum for each
 * column, so that it can be read on any cube and in any layout.  Its byte order is the
 * machine's. */
struct hy_state_about {
  uint64_t origin; /* identifies the computation: a state of another origin is refused */
  int64_t columns; /* finished columns */
  int64_t block;   /* columns of a panel */
};

/* make: collective over cube and guests, with the same status on all ranks.  Takes memory for
 * states of one matrix: as much as this rank's block, unless the rank has whole columns.  lower: of
 * column j only rows j and below are kept.  numbers: how many numbers a state has.  The matrix has
 * no copies and must outlive the state.  MEMORY. */
struct hy_state;
hyla_status hy_state_make(const hyla_matrix *matrix, bool lower, int64_t numbers,
                          struct hy_state **state);
void hy_state_free(struct hy_state **state);

/* All are collective over cube and guests, with the same status on all ranks, and allocate nothing.
 * path: the same on all ranks.  numbers: present on nodes.
 * try     can a state be written?  An existing file is left as it is.  FILE
 * write   replaces the old file once the new one is complete and on the disk.  FILE
 * count   how many names in the folder begin with the path's first `prefix' characters and have the
 *         same ending; -1 if the folder cannot be read
 * find    what the file says about itself (*there: false if there is no file), and how many others
 *         there are.  FILE; FORMAT if it is damaged, cut off, of another origin, or of another
 *         kind of matrix
 * read    reads matrix and numbers of a file that was found.  check, called first, returns NULL or
 *         the fault in the numbers.  adjust is called for each column of this rank before its
 *         entries, of rows 0, 1, ..., go to their places.  FILE, FORMAT
 * remove  removes the file; succeeds if there is none.  FILE */
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

/* -------------------------------------------- files that hold several -- */

/* The most characters of a name in them, with a 0. */
#define HY_IO_NAME 256

/* Local.  Finds the member of a ZIP archive that the path names, or the only one.  Members are
 * files of NumPy's, NAME.npy, and are named without that ending.  FILE, FORMAT, MEMORY. */
#define HY_ZIP_MAGIC "PK\x03\x04"
#define HY_ZIP_MAGIC_EMPTY "PK\x05\x06"
hyla_status hy_zip_find(const struct hy_io_file *file, struct hy_io_part *part);

/* A matrix in a MAT file before version 7.3; imaginary: of a complex one. */
struct hy_mat_header {
  bool complex_type;
  struct hy_npy_header real, imaginary;
  bool part; /* the variable is a part of the file */
  struct hy_io_part where;
};

/* Local.  version: 4 or 5, by a file's first bytes; 0: no such file.  read_header: finds the
 * variable that the path names, or the only matrix; if it is a part of the file, enters that.
 * FILE, FORMAT, MEMORY. */
int hy_mat_version(const struct hy_io_file *file, const char *start, int64_t length);
hyla_status hy_mat_read_header(struct hy_io_file *file, int version, struct hy_mat_header *header);
hyla_type hy_mat_type(const struct hy_mat_header *header);
/* Collective over nodes and guests.  Ranks may return different statuses.  FILE, MEMORY,
 * COMMUNICATION, TIMEOUT, BROKEN. */
hyla_status hy_mat_read_body(const struct hy_io_file *file, const struct hy_mat_header *header,
                             hyla_matrix *matrix);

/* ---------------------------------------------------------------- HDF5 -- */

/* A dataset of an HDF5 file.  If it is contiguous, its elements are read like those of a .npy file.
 * If it is chunked or stored in another way, body is -1 and it is read box by box. */
struct hy_hdf5_header {
  struct hy_npy_header elements;
  int dims;                   /* of the dataset */
  int64_t box[2];             /* lines, and entries along them, that are best read together */
  int64_t chunk;              /* bytes that HDF5 unpacks at one time; 0: no chunks */
  char dataset[HY_IO_NAME]; /* "": the path names it */
};

/* Local.  Does the file begin like an HDF5 file, perhaps behind a user block?  FILE. */
hyla_status hy_hdf5_known(const struct hy_io_file *file, bool *known);

/* The following calls are local unless they say otherwise; in a build without HDF5 they fail.
 * Reads the head of the dataset that the path names, or of the file's only one.  FILE, FORMAT,
 * MEMORY. */
hyla_status hy_hdf5_read_header(const struct hy_io_file *file, struct hy_hdf5_header *header);
/* Collective over nodes and guests.  Reads the matrix together, so that each chunk is unpacked
 * once.  Ranks may return different statuses.  FILE, MEMORY, COMMUNICATION, TIMEOUT, BROKEN. */
hyla_status hy_hdf5_read_body(const struct hy_io_file *file, const struct hy_hdf5_header *header,
                              hyla_matrix *matrix);

/* A dataset to write: a matrix, stored by its rows or by its columns. */
struct hy_hdf5_dataset {
  const struct hy_kernels *k;
  int64_t rows, cols;
  bool vector, by_rows;
};
/* Can the dataset that the path names be put into the file?  If the file exists, it must be an HDF5
 * file in which only a dataset may have that name.  FILE, ARGUMENT, MEMORY. */
hyla_status hy_hdf5_check_target(const struct hy_io_file *file);
/* Makes an open and empty file a copy of the one to be replaced, if any, with space for the
 * dataset.  body: offset of its elements.  FILE, MEMORY. */
hyla_status hy_hdf5_prepare(const struct hy_io_file *file, const struct hy_hdf5_dataset *dataset,
                            int64_t *body);

/* ------------------------------------------------------------- reading -- */

/* Collective.  hyla_matrix_read with the chunk of hy_mm_read_body, for tests. */
hyla_status hy_io_read(hyla_cube *cube, const char *path, const hyla_layout *layout, int64_t chunk,
                       hyla_matrix **matrix);

/* ------------------------------------------------------------- writing -- */

/* How a matrix is cut for writing.  A format stores lines: columns or rows.  The layout deals
 * pieces of the lines to the nodes.  Pieces 0 ... nodes-1 of a round follow each other in the file
 * in the order of the nodes' addresses, and so do the rounds.  A piece is a block of whole lines or
 * a part of one line. */
struct hy_file_split {
  hyla_layout layout;
  bool by_rows;  /* lines are rows; else columns */
  bool whole;    /* pieces are whole lines; else parts of one */
  int64_t block; /* lines, or entries, of a piece; the last piece may have fewer */
  int64_t rounds;
  int64_t most; /* entries of the largest piece */
};

struct hy_file_split hy_file_split_make(const hyla_cube *cube, int64_t rows, int64_t cols,
                                        bool by_rows);

/* A node's piece in a round: local rows and columns of a matrix in the cut's layout, perhaps none.
 * place: the number of the file's entries before its first one. */
struct hy_file_piece {
  int64_t row, rows, col, cols, place;
};
struct hy_file_piece hy_file_split_piece(const struct hy_file_split *split,
                                         const hyla_matrix *matrix, int64_t round);

#endif
