/* Variables in MAT files of the versions 4 and 5, as MATLAB's save -v4, -v6 and -v7, Octave's and
 * SciPy's savemat write them.  (From version 7.3 on they are HDF5 files.)
 *
 * Method: one rank walks over the variables, reads their heads, and finds the elements' place.
 * These are read like those of a .npy file, by columns; a variable that is compressed is a part of
 * the file (stream.c).  Complex matrices have their imaginary parts behind the real ones, and
 * elements may be stored in a type that is smaller than the variable's.
 * Format: The MathWorks, MAT-File Format, R2023a. */
#include "io/io.h"
#include "io/names.h"

#include <complex.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct hy_io_holder holder = {"a MAT file", "variable"};

/* What a variable is, before it is known whether it is wanted. */
struct variable {
  const char *kind; /* NULL: a matrix of numbers; else what it is instead */
  char name[HY_IO_NAME];
  int64_t rows, cols;
  bool complex_type;
  bool part; /* it is a part of the file, in which places are counted from 0 */
  struct hy_io_part where;
  int64_t at;                    /* place of the elements, in version 5 with their tag */
  struct hy_npy_element element; /* of version 4 */
  int64_t next;                  /* where the next variable begins in the file */
};

struct walk {
  const struct hy_io_file *file;
  int version;
  bool big; /* the most significant byte first */
};

#define MAT_CHECK(file, condition, at, format, ...)                                                \
  CHECK((file)->base, condition, FORMAT, "%s: at byte %" PRId64 ": " format,                       \
        hy_path_shown((file)->path), (int64_t)(at), __VA_ARGS__)

static uint32_t number_at(const char *start, bool big) {
  uint32_t number = 0;
  for (int b = 0; b < 4; b++) number = number << 8 | (unsigned char)start[big ? b : 3 - b];
  return number;
}

/* The file must have `bytes' bytes from `at' on. */
static hyla_status need(const struct hy_io_file *file, int64_t at, int64_t bytes) {
  MAT_CHECK(file, at >= 0 && bytes >= 0 && at <= file->size && bytes <= file->size - at, at,
            "expected %" PRId64 " bytes, found the end of the file", bytes);
  return HYLA_OK;
}

/* -------------------------------------------------------------------- version 4 -- */

enum { NUMBERS = 20 }; /* bytes of five numbers */

/* Five numbers of 4 bytes, then the variable's name with a 0 behind it.  The digits of the first
 * number, MOPT, tell machine and type. */
static bool begins_4(const char *start, int64_t length, bool big) {
  if (length < NUMBERS + 2) return false;
  const uint32_t mopt = number_at(start, big), imaginary = number_at(start + 12, big),
                 name = number_at(start + 16, big);
  if (mopt > 4052 || mopt / 1000 != big || mopt / 100 % 10 != 0 || mopt / 10 % 10 > 5 ||
      mopt % 10 > 2)
    return false;
  return imaginary <= 1 && name >= 2 && name <= HY_IO_NAME;
}

/* Does a variable of version 4 begin here whose name is within the bytes? */
static bool known_4(const char *start, int64_t length, bool big) {
  if (!begins_4(start, length, big)) return false;
  const int64_t name = number_at(start + 16, big);
  if (NUMBERS + name > length) return false;
  for (int64_t i = 0; i + 1 < name; i++)
    if (isalnum((unsigned char)start[NUMBERS + i]) == 0 && start[NUMBERS + i] != '_') return false;
  return start[NUMBERS + name - 1] == '\0';
}

static hyla_status read_4(const struct walk *walk, int64_t at, struct variable *v) {
  static const struct hy_npy_element types[] = {{'f', 8, 0}, {'f', 4, 0}, {'i', 4, 0},
                                                {'i', 2, 0}, {'u', 2, 0}, {'u', 1, 0}};
  static const char *const kinds[] = {NULL, "a text", "a sparse matrix"};
  const struct hy_io_file *file = walk->file;
  char start[NUMBERS + 2];
  TRY(need(file, at, sizeof start));
  TRY(hy_io_get(file, start, sizeof start, at));
  MAT_CHECK(file, begins_4(start, sizeof start, walk->big), at, "expected the head of a variable%s",
            "");
  const uint32_t mopt = number_at(start, walk->big);
  const int64_t name = number_at(start + 16, walk->big);
  TRY(need(file, at + NUMBERS, name));
  *v = (struct variable){.kind = kinds[mopt % 10],
                         .rows = number_at(start + 4, walk->big),
                         .cols = number_at(start + 8, walk->big),
                         .complex_type = number_at(start + 12, walk->big) != 0,
                         .element = types[mopt / 10 % 10],
                         .at = at + NUMBERS + name};
  v->element.big = walk->big;
  TRY(hy_io_get(file, v->name, name, at + NUMBERS));
  v->name[name - 1] = '\0';
  int64_t bytes;
  const bool fits =
      !__builtin_mul_overflow(v->rows * v->element.size, v->cols, &bytes) && bytes <= INT64_MAX / 2;
  MAT_CHECK(file, fits, at, "a matrix of %" PRId64 " x %" PRId64 " has too many entries", v->rows,
            v->cols);
  bytes *= 1 + v->complex_type;
  TRY(need(file, v->at, bytes));
  v->next = v->at + bytes;
  return HYLA_OK;
}

/* -------------------------------------------------------------------- version 5 -- */

/* FILE_HEAD: where the first variable begins.  HEAD_MOST: bytes of a variable before its elements,
 * with a name as long as MATLAB allows and more. */
enum { FILE_HEAD = 128, TAG = 8, HEAD_MOST = 512 };
enum { SINGLE = 7, DOUBLE = 9, MATRIX = 14, COMPRESSED = 15, TYPES = 16 };

/* A data element: its type, and where its bytes are. */
struct tag {
  uint32_t type;
  int64_t body, bytes, next;
};

/* Reads the tag of the data element at byte `at'; few bytes may stand in the tag itself. */
static struct tag tag_of(const char *start, bool big, int64_t at) {
  const uint32_t first = number_at(start, big), second = number_at(start + 4, big);
  if (first >> 16 != 0) return (struct tag){first & 0xffff, at + 4, first >> 16, at + TAG};
  return (struct tag){first, at + TAG, second, at + TAG + (int64_t)hy_ceil_div(second, 8) * 8};
}

/* What a class of arrays is, if it is not a matrix of numbers. */
static const char *kind_of(uint32_t class) {
  static const char *const kinds[] = {"nothing",   "a cell array", "a struct",
                                      "an object", "a text",       "a sparse matrix"};
  if (class < sizeof kinds / sizeof *kinds) return kinds[class];
  return class <= 15 ? NULL : "an object";
}

/* The head of a variable in `bytes' bytes: flags, sizes, name, each a data element. */
static hyla_status parse_5(const struct walk *walk, const char *head, int64_t bytes, int64_t where,
                           struct variable *v) {
  const struct hy_io_file *file = walk->file;
  struct tag tag[3];
  int64_t at = TAG;
  for (int i = 0; i < 3; i++) {
    MAT_CHECK(file, at + TAG <= bytes, where, "expected the head of a variable%s", "");
    tag[i] = tag_of(head + at, walk->big, at);
    MAT_CHECK(file, tag[i].body + tag[i].bytes <= bytes, where,
              "expected the head of a variable of at most %d bytes", HEAD_MOST);
    at = tag[i].next;
  }
  MAT_CHECK(file, tag[0].bytes == 8 && tag[1].bytes % 4 == 0 && tag[2].bytes < HY_IO_NAME, where,
            "expected the head of a variable%s", "");
  const uint32_t flags = number_at(head + tag[0].body, walk->big);
  v->kind = kind_of(flags & 255);
  v->complex_type = (flags & 0x0800) != 0;
  if (v->kind == NULL && tag[1].bytes != 8) v->kind = "an array of more than two dimensions";
  v->rows = tag[1].bytes < 8 ? 0 : (int32_t)number_at(head + tag[1].body, walk->big);
  v->cols = tag[1].bytes < 8 ? 0 : (int32_t)number_at(head + tag[1].body + 4, walk->big);
  MAT_CHECK(file, v->rows >= 0 && v->cols >= 0, where,
            "expected a size, found %" PRId64 " x %" PRId64, v->rows, v->cols);
  memcpy(v->name, head + tag[2].body, (size_t)tag[2].bytes);
  v->at = at;
  return HYLA_OK;
}

/* The part of the file that a variable is; unpacked it begins with the tag of a matrix. */
static hyla_status find_part(const struct walk *walk, int64_t at, struct variable *v) {
  const struct hy_io_file *file = walk->file;
  char start[TAG];
  TRY(need(file, at, TAG));
  TRY(hy_io_get(file, start, TAG, at));
  const struct tag tag = {number_at(start, walk->big), at + TAG, number_at(start + 4, walk->big),
                          0};
  MAT_CHECK(file, tag.type == MATRIX || tag.type == COMPRESSED, at,
            "expected a variable, found data of type %" PRIu32, tag.type);
  TRY(need(file, tag.body, tag.bytes));
  v->next = tag.body + tag.bytes;
  v->part = true;
  v->where = tag.type == MATRIX
                 ? (struct hy_io_part){HY_IO_STORED, at, 0, TAG + tag.bytes, 0}
                 : (struct hy_io_part){HY_IO_ZLIB, tag.body, tag.bytes, INT64_MAX, 0};
  return HYLA_OK;
}

/* In an open part: the head of its variable. */
static hyla_status read_part(const struct walk *walk, const struct hy_io_file *view, int64_t where,
                             struct variable *v) {
  char head[HEAD_MOST];
  MAT_CHECK(view, view->size >= TAG, where, "expected the head of a variable%s", "");
  TRY(hy_io_get(view, head, TAG, 0));
  const struct tag tag = tag_of(head, walk->big, 0);
  MAT_CHECK(view, tag.type == MATRIX, where, "expected a variable, found data of type %" PRIu32,
            tag.type);
  v->where.size = TAG + tag.bytes;
  const int64_t bytes = hy_min(HEAD_MOST, v->where.size);
  TRY(hy_io_get(view, head, bytes, 0));
  return parse_5(walk, head, bytes, where, v);
}

static hyla_status read_5(const struct walk *walk, int64_t at, struct variable *v) {
  *v = (struct variable){0};
  TRY(find_part(walk, at, v));
  struct hy_io_file view = *walk->file;
  hyla_status status = hy_io_enter(&view, &v->where);
  if (status == HYLA_OK) status = read_part(walk, &view, at, v);
  hy_io_stream_close(&view);
  return status;
}

/* Reads the tag of elements, which are `count' numbers; *next: what is behind them. */
static hyla_status read_elements(const struct walk *walk, int64_t at, const struct variable *v,
                                 struct hy_npy_header *header, int64_t *next) {
  static const struct hy_npy_element types[TYPES] = {
      [1] = {'i', 1, 0},  [2] = {'u', 1, 0}, [3] = {'i', 2, 0},      [4] = {'u', 2, 0},
      [5] = {'i', 4, 0},  [6] = {'u', 4, 0}, [SINGLE] = {'f', 4, 0}, [DOUBLE] = {'f', 8, 0},
      [12] = {'i', 8, 0}, [13] = {'u', 8, 0}};
  const struct hy_io_file *file = walk->file;
  char start[TAG];
  TRY(need(file, at, TAG));
  TRY(hy_io_get(file, start, TAG, at));
  const struct tag tag = tag_of(start, walk->big, at);
  MAT_CHECK(file, tag.type < TYPES && types[tag.type].size > 0, at,
            "expected numbers, found data of type %" PRIu32, tag.type);
  *header = (struct hy_npy_header){types[tag.type], true, v->rows, v->cols, false, tag.body};
  header->element.big = walk->big;
  int64_t bytes;
  const bool fits = !__builtin_mul_overflow(v->rows * header->element.size, v->cols, &bytes);
  MAT_CHECK(file, fits && bytes == tag.bytes, at,
            "expected the %" PRId64 " x %" PRId64 " entries of %s, found %" PRId64 " bytes",
            v->rows, v->cols, v->name, tag.bytes);
  TRY(need(file, tag.body, tag.bytes));
  *next = tag.next;
  return HYLA_OK;
}

/* ------------------------------------------------------------------- both versions -- */

int hy_mat_version(const struct hy_io_file *file, const char *start, int64_t length) {
  static const char magic[] = "MATLAB 5.0";
  if (file->stream != NULL) return 0;
  if (length >= (int64_t)strlen(magic) && memcmp(start, magic, strlen(magic)) == 0) return 5;
  return known_4(start, length, false) || known_4(start, length, true) ? 4 : 0;
}

static hyla_status begin(struct walk *walk, int64_t *first) {
  const struct hy_io_file *file = walk->file;
  char mark[4];
  if (walk->version == 4) {
    *first = 0;
    TRY(need(file, 0, 4));
    TRY(hy_io_get(file, mark, 4, 0));
    walk->big = number_at(mark, true) <= 4052 && number_at(mark, false) != 0;
    return HYLA_OK;
  }
  *first = FILE_HEAD;
  TRY(need(file, 0, FILE_HEAD));
  TRY(hy_io_get(file, mark, 2, FILE_HEAD - 2));
  walk->big = mark[0] == 'M';
  MAT_CHECK(file, memcmp(mark, walk->big ? "MI" : "IM", 2) == 0, FILE_HEAD - 2,
            "expected the mark of the byte order, MI or IM%s", "");
  return HYLA_OK;
}

/* Lists the matrices, and finds the variable of that name; NULL: the first that is no matrix. */
static hyla_status find(const struct walk *walk, int64_t first, const char *name,
                        struct hy_io_names *names, struct variable *found) {
  char shown[HY_IO_NAME + 1];
  struct variable v;
  found->next = 0;
  for (int64_t at = first; at < walk->file->size; at = v.next) {
    TRY(walk->version == 4 ? read_4(walk, at, &v) : read_5(walk, at, &v));
    const bool other = v.kind != NULL && v.name[0] != '\0' && found->next == 0;
    if (name != NULL ? strcmp(v.name, name) == 0 : other) *found = v;
    snprintf(shown, sizeof shown, "/%s", v.name);
    if (v.kind == NULL && v.name[0] != '\0') hy_io_names_add(names, shown, (int64_t)strlen(shown));
  }
  return HYLA_OK;
}

static hyla_status choose(const struct walk *walk, struct hy_io_names *names,
                          struct variable *found) {
  const struct hy_io_file *file = walk->file;
  struct walk from = *walk;
  char only[HY_IO_NAME];
  int64_t first = 0;
  TRY(begin(&from, &first));
  const char *name = file->name.dataset;
  TRY(find(&from, first, name != NULL ? name + 1 : NULL, names, found));
  if (name == NULL && (names->count > 0 || found->next == 0)) {
    TRY(hy_io_names_only(file, names, &holder, only));
    TRY(find(&from, first, only + 1, names, found));
  }
  if (found->next == 0) return hy_io_names_missing(file, names, &holder, name);
  CHECK(file->base, found->kind == NULL, FORMAT, "%s:/%s: expected a matrix of numbers, found %s",
        hy_path_shown(file->path), found->name, found->kind);
  return HYLA_OK;
}

/* The elements of a variable in a file that has been entered. */
static hyla_status describe(const struct walk *walk, const struct variable *v,
                            struct hy_mat_header *header) {
  const int64_t bytes = v->rows * v->cols * v->element.size;
  int64_t next = 0;
  header->complex_type = v->complex_type;
  if (walk->version == 5) {
    TRY(read_elements(walk, v->at, v, &header->real, &next));
    return v->complex_type ? read_elements(walk, next, v, &header->imaginary, &next) : HYLA_OK;
  }
  header->real = header->imaginary =
      (struct hy_npy_header){v->element, true, v->rows, v->cols, false, v->at};
  header->imaginary.body += bytes;
  return HYLA_OK;
}

hyla_status hy_mat_read_header(struct hy_io_file *file, int version, struct hy_mat_header *header) {
  struct walk walk = {.file = file, .version = version};
  struct hy_io_names *names;
  struct variable found;
  int64_t first = 0;
  CHECK(file->base, file->name.order == HY_IO_AS_MARKED, FORMAT,
        "%s: a MAT file of version %d, whose variables are always by columns; drop the order from "
        "the path",
        hy_path_shown(file->path), version);
  memset(header, 0, sizeof *header);
  TRY(begin(&walk, &first));
  TRY(hy_alloc(file->base, 1, sizeof *names, &names));
  hyla_status status = choose(&walk, names, &found);
  hy_free(file->base, &names);
  TRY(status);
  header->part = found.part;
  header->where = found.where;
  if (found.part) TRY(hy_io_enter(file, &found.where));
  return describe(&walk, &found, header);
}

hyla_type hy_mat_type(const struct hy_mat_header *header) {
  const hyla_type real = hy_npy_type(&header->real.element);
  if (!header->complex_type) return real;
  const bool single = real == HYLA_FLOAT && hy_npy_type(&header->imaginary.element) == real;
  return single ? HYLA_COMPLEX : HYLA_DOUBLE_COMPLEX;
}

/* ---------------------------------------------------------------------- the body -- */

/* Puts one of the parts of complex entries into its place. */
static void place(hyla_matrix *matrix, const hyla_matrix *part, bool imaginary) {
  for (int64_t j = 0; j < matrix->local_cols && matrix->local_rows > 0; j++) {
    char *to = hy_at(matrix, 0, j);
    const char *from = hy_at(part, 0, j);
    for (int64_t i = 0; i < matrix->local_rows; i++) {
      const double x = creal(part->k->get(from, i));
      const double _Complex before = matrix->k->get(to, i);
      matrix->k->set(to, i, imaginary ? hy_complex(creal(before), x) : hy_complex(x, 0));
    }
  }
}

static hyla_status read_half(const struct hy_io_file *file, const struct hy_npy_header *header,
                             bool imaginary, hyla_matrix *matrix) {
  hyla_cube *cube = matrix->cube;
  hyla_matrix *part = NULL;
  TRY(hyla_matrix_create(cube, hy_npy_type(&header->element), matrix->row.n, matrix->col.n,
                         &matrix->layout, &part));
  hyla_status status = hy_agree(cube, hy_npy_read_body(file, header, part));
  if (status == HYLA_OK) place(matrix, part, imaginary);
  (void)hyla_matrix_destroy(&part);
  return status;
}

hyla_status hy_mat_read_body(const struct hy_io_file *file, const struct hy_mat_header *header,
                             hyla_matrix *matrix) {
  if (!header->complex_type) {
    TRY(hy_npy_read_body(file, &header->real, matrix));
  } else {
    TRY(read_half(file, &header->real, false, matrix));
    TRY(read_half(file, &header->imaginary, true, matrix));
  }
  return hy_io_finish(file);
}
