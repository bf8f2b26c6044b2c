/* hyla machine --scalapack: the routines of ScaLAPACK's that the drop-in has, each called by its
 * name with arguments that a short text spells.
 *
 * Both libraries are loaded when they are needed, so that the command is linked with neither.  What
 * all processes must agree on goes by BLACS. */
#include "scalapack.h"
#include "tool.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What A holds before a call; `factored' by the row `by'.  spec: the arguments, see point_to.
 * entry: the call works at one entry. */
enum start { GENERAL, DEFINITE, HERMITIAN, FACTORED };
struct scalapack_row {
  const char *real, *complex; /* NULL: no routine of these types */
  int kind;
  const char *spec;
  enum start start;
  const char *by;
  enum start before; /* what the row `by' begins with */
  bool entry;
};

static const char LU[] = "nnApI", CHOLESKY[] = "'LnAI", QR[] = "nnAtwI";
static const struct scalapack_row ROWS[] = {
    {"gemm", "gemm", 0, "'N'Nnnn1AB0C", GENERAL, NULL, 0, false},
    {"gemm", "gemm", 1, "'T'Nnnn1AB0C", GENERAL, NULL, 0, false},
    {"symm", "hemm", 0, "'L'Lnn1AB0C", HERMITIAN, NULL, 0, false},
    {NULL, "symm", 0, "'L'Lnn1AB0C", GENERAL, NULL, 0, false},
    {NULL, "syrk", 0, "'L'Nnn1A0C", GENERAL, NULL, 0, false},
    {NULL, "syr2k", 0, "'L'Nnn1AB0C", GENERAL, NULL, 0, false},
    {"syrk", "herk", 0, "'L'Nnn1A0C", GENERAL, NULL, 0, false},
    {"syr2k", "her2k", 0, "'L'Nnn1AB0C", GENERAL, NULL, 0, false},
    {"trmm", "trmm", 0, "'L'L'N'Nnn1AB", DEFINITE, NULL, 0, false},
    {"trmm", "trmm", 1, "'R'L'N'Nnn1AB", DEFINITE, NULL, 0, false},
    {"trmm", "trmm", 2, "'L'L*'Nnn1AB", DEFINITE, NULL, 0, false},
    {"trmm", "trmm", 3, "'R'L*'Nnn1AB", DEFINITE, NULL, 0, false},
    {"trsm", "trsm", 0, "'L'L'N'Nnn1AB", DEFINITE, NULL, 0, false},
    {"trsm", "trsm", 1, "'R'L'N'Nnn1AB", DEFINITE, NULL, 0, false},
    {"trsm", "trsm", 2, "'L'L*'Nnn1AB", DEFINITE, NULL, 0, false},
    {"trsm", "trsm", 3, "'R'L*'Nnn1AB", DEFINITE, NULL, 0, false},
    {"tran", "tranc", 0, "nn1A0C", GENERAL, NULL, 0, false},
    {"tran", "tranc", 1, "nn1A1C", GENERAL, NULL, 0, false},
    {NULL, "tranu", 0, "nn1A0C", GENERAL, NULL, 0, false},
    {NULL, "tranu", 1, "nn1A1C", GENERAL, NULL, 0, false},
    {"gemr2d", "gemr2d", 0, "nnAHc", GENERAL, NULL, 0, false},
    {"trmr2d", "trmr2d", 0, "'L'NnnAHc", GENERAL, NULL, 0, false},
    {"getrf", "getrf", 0, LU, GENERAL, NULL, 0, false},
    {"getrs", "getrs", 0, "'NnnApBI", FACTORED, LU, GENERAL, false},
    {"gesv", "gesv", 0, "noApBI", GENERAL, NULL, 0, false},
    {"getri", "getri", 0, "nApwiI", FACTORED, LU, GENERAL, false},
    {"potrf", "potrf", 0, CHOLESKY, DEFINITE, NULL, 0, false},
    {"potrf", "potrf", 1, "'UnAI", DEFINITE, NULL, 0, false},
    {"potrs", "potrs", 0, "'LnnABI", FACTORED, CHOLESKY, DEFINITE, false},
    {"posv", "posv", 0, "'LnoABI", DEFINITE, NULL, 0, false},
    {"trtri", "trtri", 0, "'L'NnAI", DEFINITE, NULL, 0, false},
    {"potri", "potri", 0, "'LnAI", FACTORED, CHOLESKY, DEFINITE, false},
    {"geqrf", "geqrf", 0, QR, GENERAL, NULL, 0, false},
    {"geqpf", "geqpf", 0, "nnAptwRI", GENERAL, NULL, 0, false},
    {"gels", "gels", 0, "'NnnoABwI", GENERAL, NULL, 0, false},
    {"gecon", "gecon", 0, "'1nA1xwqI", FACTORED, LU, GENERAL, false},
    {"pocon", "pocon", 0, "'LnA1xwqI", FACTORED, CHOLESKY, DEFINITE, false},
    {"lange", "lange", 0, "'MnnAW", GENERAL, NULL, 0, false},
    {"lange", "lange", 1, "'1nnAW", GENERAL, NULL, 0, false},
    {"lansy", "lanhe", 0, "'M'LnAW", HERMITIAN, NULL, 0, false},
    {"lansy", "lanhe", 1, "'1'LnAW", HERMITIAN, NULL, 0, false},
    {NULL, "lansy", 0, "'M'LnAW", GENERAL, NULL, 0, false},
    {NULL, "lansy", 1, "'1'LnAW", GENERAL, NULL, 0, false},
    {"lantr", "lantr", 0, "'M'L'NnnAW", GENERAL, NULL, 0, false},
    {"lantr", "lantr", 1, "'1'L'NnnAW", GENERAL, NULL, 0, false},
    {"ormqr", "unmqr", 0, "'L*nnnAtCwI", FACTORED, QR, GENERAL, false},
    {"orgqr", "ungqr", 0, "nnnAtwI", FACTORED, QR, GENERAL, false},
    {"ormtr", "unmtr", 0, "'L'L*nnAtCwI", FACTORED, QR, GENERAL, false},
    {"geadd", "geadd", 0, "'Nnn1A1C", GENERAL, NULL, 0, false},
    {"geadd", "geadd", 1, "*nn1A1C", GENERAL, NULL, 0, false},
    {"tradd", "tradd", 0, "'L'Nnn1A1C", GENERAL, NULL, 0, false},
    {"lacpy", "lacpy", 0, "'AnnAC", GENERAL, NULL, 0, false},
    {"laset", "laset", 0, "'Ann01C", GENERAL, NULL, 0, false},
    {"elset", "elset", 0, "A1", GENERAL, NULL, 0, true},
    {"elget", "elget", 0, "'A' xA", GENERAL, NULL, 0, true},
    {"ger", "geru", 0, "nn1BoCoA", GENERAL, NULL, 0, false},
    {NULL, "gerc", 0, "nn1BoCoA", GENERAL, NULL, 0, false},
    {"gemv", "gemv", 0, "'Nnn1ABo1Co", GENERAL, NULL, 0, false},
    {"sygst", "hegst", 0, "o'LnCAsI", FACTORED, CHOLESKY, DEFINITE, false},
    {"syngst", "hengst", 0, "o'LnCAswI", FACTORED, CHOLESKY, DEFINITE, false},
    {"sytrd", "hetrd", 0, "'LnAdetwI", HERMITIAN, NULL, 0, false},
    {"syev", "heev", 0, "'V'LnAvZwRI", HERMITIAN, NULL, 0, false},
    {"syev", "heev", 1, "'N'LnAvZwRI", HERMITIAN, NULL, 0, false},
    {"syevx", "heevx", 0, "'V'A'LnAxxooxmmvxZwRifkgI", HERMITIAN, NULL, 0, false},
    {"syevx", "heevx", 1, "'N'A'LnAxxooxmmvxZwRifkgI", HERMITIAN, NULL, 0, false},
    {"syevr", "heevr", 0, "'V'A'LnAxxoommvZwRiI", HERMITIAN, NULL, 0, false},
    {"syevr", "heevr", 1, "'N'A'LnAxxoommvZwRiI", HERMITIAN, NULL, 0, false},
    {"sygvx", "hegvx", 0, "o'V'A'LnCAxxooxmmvxZwRifkgI", DEFINITE, NULL, 0, false},
    {"sygvx", "hegvx", 1, "o'N'A'LnCAxxooxmmvxZwRifkgI", DEFINITE, NULL, 0, false},
    {"syevd", "heevd", 0, "'V'LnAvZwRiI", HERMITIAN, NULL, 0, false},
    {"gesvd", NULL, 0, "'V'VnnAvCZwI", GENERAL, NULL, 0, false},
    {"gesvd", NULL, 1, "'N'NnnAvCZwI", GENERAL, NULL, 0, false},
};
enum { COUNT = sizeof ROWS / sizeof *ROWS, BLOCK = 32, MOST = 1024, SPACE = 1 << 22 };
enum { DESCRIPTOR = 9, ARRAYS = 6 };

/* Functions of the two libraries. */
typedef void grid_get(int context, int what, int *value);
typedef void grid_init(int *context, const char *order, int p, int q);
typedef void grid_info(int context, int *p, int *q, int *row, int *col);
typedef void grid_exit(int context);
typedef void grid_barrier(int context, const char *scope);
typedef void grid_largest(int context, const char *scope, const char *top, int m, int n, double *a,
                          int lda, int *rows, int *cols, int ld, int to_row, int to_col);
typedef int held(const int *n, const int *block, const int *me, const int *first, const int *all);
typedef void describe_array(int *desc, const int *m, const int *n, const int *mb, const int *nb,
                            const int *row, const int *col, const int *context, const int *lld,
                            int *info);

struct scalapack {
  void *dropin, *below; /* the libraries */
  char *file;
  grid_get *get;
  grid_init *init;
  grid_info *shape;
  grid_exit *exit;
  grid_barrier *barrier;
  grid_largest *largest;
  held *held;
  describe_array *describe;
  /* Arrays of order n on a grid, and what else calls point to. */
  char type;
  size_t size; /* of an entry */
  int context, p, q, row, col, n, one, info, words, reals, integers, found;
  int desc[DESCRIPTOR], half[DESCRIPTOR], rows, cols;
  char *a, *b, *c, *z, *a0, *c0, *work, *more;
  int *ints, *pivots, *failed;
  double *values, gap[64], unit[2], none[2], other[2];
  char letters[16];
};

static bool is_complex(const struct scalapack *w) { return w->type == 'c' || w->type == 'z'; }
static bool is_single(const struct scalapack *w) { return w->type == 's' || w->type == 'c'; }

/* ------------------------------------------------------------------- arrays -- */

static void set(const struct scalapack *w, char *array, int64_t at, double re, double im) {
  const int width = is_complex(w) ? 2 : 1;
  for (int part = 0; part < width; part++)
    if (is_single(w))
      ((float *)(void *)array)[at * width + part] = (float)(part == 0 ? re : im);
    else
      ((double *)(void *)array)[at * width + part] = part == 0 ? re : im;
}

static double number(int i, int j, int salt) {
  uint64_t x = ((uint64_t)(unsigned)i << 32 | (unsigned)j) * 0x9e3779b97f4a7c15u + (uint64_t)salt;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53 - .5;
}

static int global_index(int local, int me, int processes) {
  return (local / BLOCK * processes + me) * BLOCK + local % BLOCK;
}

static void fill(const struct scalapack *w, char *array, enum start start) {
  for (int c = 0; c < w->cols; c++)
    for (int r = 0; r < w->rows; r++) {
      const int i = global_index(r, w->row, w->p), j = global_index(c, w->col, w->q);
      const bool turned = start != GENERAL && i < j;
      const int low = turned ? j : i, high = turned ? i : j;
      const double diagonal = i == j && start == DEFINITE ? w->n : 0;
      const double im = start != GENERAL && i == j ? 0 : number(low, high, 2);
      set(w, array, r + (int64_t)c * w->rows, number(low, high, 1) + diagonal, turned ? -im : im);
    }
}

static void describe(struct scalapack *w, int *desc, int block, int *rows, int *cols) {
  const int zero = 0;
  int info = 0;
  *rows = w->held(&w->n, &block, &w->row, &zero, &w->p);
  *cols = w->held(&w->n, &block, &w->col, &zero, &w->q);
  int lld = *rows > 0 ? *rows : 1;
  w->describe(desc, &w->n, &w->n, &block, &block, &zero, &zero, &w->context, &lld, &info);
}

/* -------------------------------------------------------------------- calls -- */

#define TEN(a, k)                                                                                  \
  a[k], a[(k) + 1], a[(k) + 2], a[(k) + 3], a[(k) + 4], a[(k) + 5], a[(k) + 6], a[(k) + 7],        \
      a[(k) + 8], a[(k) + 9]
typedef void any_routine(void *, ...);

/* The arguments of a spec: n the order, o 1, 'X a letter, * the letter of the adjoint, 1 and 0
 * numbers, x another one, A B C Z arrays with their places, H C in blocks half as long, w R i q
 * workspaces with lengths (R: of reals, in complex types alone; q: integers, or reals there), W a
 * workspace alone, t TAU, v values, d e T's numbers, p pivots, m numbers found, f k g what failed,
 * s a scale, c the context, I INFO. */
static int point_to(struct scalapack *w, const char *spec, void **a) {
  int count = 0, letters = 0;
  for (const char *s = spec; *s != '\0'; s++) {
    char *array = *s == 'A'                ? w->a
                  : *s == 'B'              ? w->b
                  : *s == 'C' || *s == 'H' ? w->c
                  : *s == 'Z'              ? w->z
                                           : NULL;
    if (array != NULL) {
      a[count++] = array, a[count++] = &w->one, a[count++] = &w->one;
      a[count++] = *s == 'H' ? w->half : w->desc;
      continue;
    }
    const char reals = *s == 'R' || (*s == 'q' && is_complex(w));
    switch (*s) {
    case '\'':
      w->letters[letters] = *++s;
      a[count++] = &w->letters[letters++];
      break;
    case '*':
      w->letters[letters] = is_complex(w) ? 'C' : 'T';
      a[count++] = &w->letters[letters++];
      break;
    case 'n': a[count++] = &w->n; break;
    case 'o': a[count++] = &w->one; break;
    case '1': a[count++] = w->unit; break;
    case '0': a[count++] = w->none; break;
    case 's':
    case 'x': a[count++] = w->other; break;
    case 'w': a[count++] = w->work, a[count++] = &w->words; break;
    case 'W': a[count++] = w->work; break;
    case 'i': a[count++] = w->ints, a[count++] = &w->integers; break;
    case 'R':
    case 'q':
      if (*s == 'R' && !is_complex(w)) break;
      a[count++] = reals ? (void *)w->more : (void *)w->ints;
      a[count++] = reals ? &w->reals : &w->integers;
      break;
    case 't':
    case 'v': a[count++] = w->values; break;
    case 'd': a[count++] = w->b; break;
    case 'e': a[count++] = w->c; break;
    case 'p': a[count++] = w->pivots; break;
    case 'm': a[count++] = &w->found; break;
    case 'f': a[count++] = w->failed; break;
    case 'k': a[count++] = w->failed + MOST; break;
    case 'g': a[count++] = w->gap; break;
    case 'c': a[count++] = &w->context; break;
    default: a[count++] = &w->info;
    }
  }
  return count;
}

static void call(struct scalapack *w, void *library, const char *name, const char *spec) {
  void *a[44] = {0};
  char full[16];
  any_routine *f = NULL;
  const int count = point_to(w, spec, a);
  for (int i = 0; i < 4; i++) a[count + i] = (void *)(uintptr_t)1; /* lengths of letters */
  snprintf(full, sizeof full, "p%c%s_", w->type, name);
  void *symbol = dlsym(library, full);
  memcpy(&f, &symbol, sizeof f);
  w->one = 1, w->info = 0;
  f(TEN(a, 0), TEN(a, 10), TEN(a, 20), TEN(a, 30));
}

static void restore(const struct scalapack *w) {
  const size_t bytes = (size_t)w->rows * (size_t)w->cols * w->size;
  memcpy(w->a, w->a0, bytes);
  memcpy(w->c, w->c0, bytes);
  memcpy(w->b, w->c0, bytes);
}

/* The library whose routine goes this way.  The drop-in asks the environment at each call. */
static void *choose(const struct scalapack *w, enum scalapack_way way) {
  static const char from[] = "HYLA_SCALAPACK_FROM";
  if (way == SCALAPACK_BY_SIZE)
    unsetenv(from);
  else
    setenv(from, way == SCALAPACK_TAKEN ? "0" : "1e30", 1);
  return way == SCALAPACK_ALONE ? w->below : w->dropin;
}

double scalapack_largest(struct scalapack *s, double value) {
  s->largest(s->context, "All", " ", 1, 1, &value, 1, NULL, NULL, -1, -1, -1);
  return value;
}

static const char *name_of(const struct scalapack *w, const struct scalapack_row *row) {
  return is_complex(w) ? row->complex : row->real;
}

/* The slowest process' seconds; negative if an argument is wrong. */
static double seconds_of(struct scalapack *w, const struct scalapack_row *row,
                         enum scalapack_way way) {
  void *library = choose(w, way);
  restore(w);
  w->words = SPACE / 2, w->reals = w->integers = SPACE;
  w->barrier(w->context, "All");
  const double start = tool_clock();
  call(w, library, name_of(w, row), row->spec);
  const double own = tool_clock() - start;
  return scalapack_largest(w, w->info < 0) > 0 ? -1 : scalapack_largest(w, own);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool measure(struct scalapack *w, const struct scalapack_row *row, int ways,
                    double *medians) {
  enum { LEAST = 5, TIMES = 31, WARM = 2 };
  const double enough = .015 * ways;
  double seconds[SCALAPACK_WAYS][TIMES], spent = 0;
  int count = 0;
  for (int i = -WARM; i < TIMES && (i < LEAST || spent < enough); i++)
    for (int way = 0; way < ways; way++) {
      const double one = seconds_of(w, row, (enum scalapack_way)way);
      if (one < 0) return false;
      if (i < 0) continue;
      seconds[way][i] = one;
      spent += one;
      count = i + 1;
    }
  for (int way = 0; way < ways; way++) {
    qsort(seconds[way], (size_t)count, sizeof **seconds, compare);
    medians[way] = seconds[way][count / 2];
  }
  return true;
}

static void prepare(struct scalapack *w, const struct scalapack_row *row, int n) {
  const char *routine = name_of(w, row);
  int rows, cols;
  w->n = n;
  describe(w, w->half, BLOCK / 2, &rows, &cols);
  describe(w, w->desc, BLOCK, &w->rows, &w->cols);
  const bool is_hermitian = strncmp(routine, "sy", 2) == 0 || strncmp(routine, "he", 2) == 0;
  fill(w, w->c0, is_hermitian ? HERMITIAN : GENERAL);
  fill(w, w->a0, row->start == FACTORED ? row->before : row->start);
  if (row->by == NULL) return;
  const char *name = row->by == LU ? "getrf" : row->by == QR ? "geqrf" : "potrf";
  restore(w);
  w->words = SPACE / 2;
  call(w, choose(w, SCALAPACK_PASSED), name, row->by);
  memcpy(w->a0, w->a, (size_t)w->rows * (size_t)w->cols * w->size);
}

bool scalapack_time(struct scalapack *s, const struct scalapack_row *row, int n, int ways,
                    double *seconds) {
  prepare(s, row, n);
  return measure(s, row, ways, seconds);
}

/* ----------------------------------------------------------------------- rows -- */

const struct scalapack_row *scalapack_row_at(int i) {
  return i >= 0 && i < COUNT ? &ROWS[i] : NULL;
}

const char *scalapack_routine(const struct scalapack *s, const struct scalapack_row *row,
                              char type) {
  const char *name = type == 'c' || type == 'z' ? row->complex : row->real;
  char full[16];
  if (name == NULL) return NULL;
  snprintf(full, sizeof full, "p%c%s_", type, name);
  return dlsym(s->below, full) != NULL ? name : NULL;
}

int scalapack_kind(const struct scalapack_row *row) { return row->kind; }
bool scalapack_is_entry(const struct scalapack_row *row) { return row->entry; }

/* ------------------------------------------------------------- the libraries -- */

/* Opens the drop-in in libhyla's folder, else where the loader looks. */
static void *open_dropin(void) {
  char path[4096];
  Dl_info here;
  const void *inside;
  const char *(*function)(void) = hyla_version;
  memcpy(&inside, &function, sizeof inside);
  if (dladdr(inside, &here) != 0 && strrchr(here.dli_fname, '/') != NULL) {
    const int length = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
    snprintf(path, sizeof path, "%.*s/%s", length, here.dli_fname, HY_DROPIN);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) return library;
  }
  return dlopen(HY_DROPIN, RTLD_NOW | RTLD_LOCAL);
}

/* Sets *to to a library's function; false: it has none. */
static bool find(void *library, const char *name, void *to) {
  void *symbol = dlsym(library, name);
  memcpy(to, &symbol, sizeof symbol);
  return symbol != NULL;
}

static bool find_all(struct scalapack *s) {
  return find(s->below, "Cblacs_get", &s->get) && find(s->below, "Cblacs_gridinit", &s->init) &&
         find(s->below, "Cblacs_gridinfo", &s->shape) &&
         find(s->below, "Cblacs_barrier", &s->barrier) && find(s->below, "Cdgamx2d", &s->largest) &&
         find(s->below, "numroc_", &s->held) && find(s->below, "descinit_", &s->describe) &&
         find(s->dropin, "Cblacs_gridexit", &s->exit);
}

static bool take(struct scalapack *w) {
  const size_t bytes = (size_t)MOST * MOST * 16 + 4096;
  char **arrays[ARRAYS] = {&w->a, &w->b, &w->c, &w->z, &w->a0, &w->c0};
  bool given = true;
  for (int i = 0; i < ARRAYS; i++) given &= (*arrays[i] = calloc(bytes, 1)) != NULL;
  w->work = calloc(SPACE, 8), w->more = calloc(SPACE, 8), w->ints = calloc(SPACE, 4);
  w->pivots = calloc(2 * MOST, sizeof *w->pivots), w->failed = calloc(4 * MOST, sizeof *w->failed);
  w->values = calloc(4 * MOST, sizeof *w->values);
  return given && w->work && w->more && w->ints && w->pivots && w->failed && w->values;
}

struct scalapack *scalapack_load(const char *library, char *why, size_t capacity) {
  struct scalapack *s = calloc(1, sizeof *s);
  bool good = s != NULL;
  snprintf(why, capacity, "no memory");
  if (good && HY_DROPIN[0] == '\0') {
    snprintf(why, capacity, "hyla was built without ScaLAPACK, and so without the drop-in");
    good = false;
  }
  if (good && (s->dropin = open_dropin()) == NULL) {
    snprintf(why, capacity, "there is no drop-in: %s", dlerror());
    good = false;
  }
  if (library == NULL) library = HY_SCALAPACK;
  if (good && (s->below = dlopen(library, RTLD_NOW | RTLD_LOCAL)) == NULL) {
    snprintf(why, capacity, "ScaLAPACK cannot be loaded; name it by --scalapack=FILE: %s",
             dlerror());
    good = false;
  }
  if (good && !find_all(s)) {
    snprintf(why, capacity, "%s has no BLACS, which ScaLAPACK needs", library);
    good = false;
  }
  Dl_info info;
  if (good) {
    void *symbol = dlsym(s->below, "descinit_");
    s->file = strdup(dladdr(symbol, &info) != 0 ? info.dli_fname : library);
    good = s->file != NULL && take(s);
  }
  if (good) return s;
  scalapack_free(s);
  return NULL;
}

/* The libraries stay loaded, because they may have told MPI of functions of theirs. */
void scalapack_free(struct scalapack *s) {
  if (s == NULL) return;
  void *all[] = {s->a,    s->b,    s->c,      s->z,      s->a0,     s->c0,   s->work,
                 s->more, s->ints, s->pivots, s->failed, s->values, s->file, s};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

const char *scalapack_file(const struct scalapack *s) { return s->file; }

void scalapack_begin_grid(struct scalapack *s, char type, int p, int q) {
  const float one = 1;
  s->type = type;
  s->size = (is_complex(s) ? 2U : 1U) * (is_single(s) ? 4U : 8U);
  memset(s->unit, 0, sizeof s->unit);
  if (is_single(s))
    memcpy(s->unit, &one, sizeof one);
  else
    s->unit[0] = 1;
  s->get(-1, 0, &s->context);
  s->init(&s->context, "Row", p, q);
  s->shape(s->context, &s->p, &s->q, &s->row, &s->col);
}

void scalapack_end_grid(struct scalapack *s) { s->exit(s->context); }
