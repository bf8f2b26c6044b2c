/* The drop-in's products, transpositions and redistributions compared with ScaLAPACK itself: the
 * same calls on the same arrays, taken by hyla and passed on, leave the same arrays.  Entries
 * around the matrices, and triangles that are not meant, keep their bits. */
// ranks: 1 3 4 6
// sample: 1 4 6
// limit: 240
#include "dropin_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }

/* ------------------------------------------------------------- products -- */

struct product {
  struct grid *grid;
  int type, m, n, k;
  char op_a, op_b, side, triangle, diagonal;
  union scalar alpha, beta;
};

static struct product draw_product(struct grid *grid, int type) {
  bool complex_type = type >= C;
  struct product p = {.grid = grid, .type = type, .m = draw(1, 30), .n = draw(1, 30)};
  p.k = draw(1, 30);
  p.op_a = "NTCntc"[draw(0, 5)];
  p.op_b = "NTC"[draw(0, 2)];
  p.side = "LR"[draw(0, 1)];
  p.triangle = "LUlu"[draw(0, 3)];
  p.diagonal = "NU"[draw(0, 1)];
  p.alpha = scalar_of(type, 1.5, complex_type ? 0.5 : 0);
  p.beta = scalar_of(type, draw(0, 1) * 0.75, complex_type ? draw(0, 1) * -0.25 : 0);
  return p;
}

static bool is_plain(char op) { return op == 'N' || op == 'n'; }
static bool is_lower(char triangle) { return triangle == 'L' || triangle == 'l'; }

/* The call, with c or its copy as the result. */
typedef void run_product(struct product *p, const char *name, struct array *a, struct array *b,
                         struct array *c);

static void run_gemm(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  routine_of(p->type, name)(&p->op_a, &p->op_b, &p->m, &p->n, &p->k, &p->alpha, PLACE(*a),
                            PLACE(*b), &p->beta, PLACE(*c));
}

static void run_symm(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  routine_of(p->type, name)(&p->side, &p->triangle, &p->m, &p->n, &p->alpha, PLACE(*a), PLACE(*b),
                            &p->beta, PLACE(*c));
}

static void run_syrk(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->triangle, &p->op_a, &p->n, &p->k, &p->alpha, PLACE(*a), &p->beta,
                            PLACE(*c));
}

static void run_trmm(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->side, &p->triangle, &p->op_a, &p->diagonal, &p->m, &p->n, &p->alpha,
                            PLACE(*a), PLACE(*c));
}

static void run_tran(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->m, &p->n, &p->alpha, PLACE(*a), &p->beta, PLACE(*c));
}

static void run_geadd(struct product *p, const char *name, struct array *a, struct array *b,
                      struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->op_a, &p->m, &p->n, &p->alpha, PLACE(*a), &p->beta, PLACE(*c));
}

static void run_tradd(struct product *p, const char *name, struct array *a, struct array *b,
                      struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->triangle, &p->op_a, &p->m, &p->n, &p->alpha, PLACE(*a), &p->beta,
                            PLACE(*c));
}

static void run_lacpy(struct product *p, const char *name, struct array *a, struct array *b,
                      struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->triangle, &p->m, &p->n, PLACE(*a), PLACE(*c));
}

static void run_laset(struct product *p, const char *name, struct array *a, struct array *b,
                      struct array *c) {
  (void)a, (void)b;
  routine_of(p->type, name)(&p->triangle, &p->m, &p->n, &p->alpha, &p->beta, PLACE(*c));
}

static void run_ger(struct product *p, const char *name, struct array *a, struct array *b,
                    struct array *c) {
  int one = 1;
  routine_of(p->type, name)(&p->m, &p->n, &p->alpha, PLACE(*a), &one, PLACE(*b), &one, PLACE(*c));
}

static void run_syr2k(struct product *p, const char *name, struct array *a, struct array *b,
                      struct array *c) {
  routine_of(p->type, name)(&p->triangle, &p->op_a, &p->n, &p->k, &p->alpha, PLACE(*a), PLACE(*b),
                            &p->beta, PLACE(*c));
}

static void run_gemv(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  int one = 1;
  routine_of(p->type, name)(&p->op_a, &a->rows, &a->cols, &p->alpha, PLACE(*a), PLACE(*b), &one,
                            &p->beta, PLACE(*c), &one);
}

static void run_move(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->m, &p->n, PLACE(*a), PLACE(*c), &p->grid->context);
}

/* The second call of hyla's is of the same kind, for other arrays: it has the same bits. */
static void hold_against(struct product *p, const char *name, run_product *run, struct array *a,
                         struct array *b, struct array *c) {
  struct array theirs = array_copy(c), a_before = array_copy(a), b_before = array_copy(b);
  struct array again = array_copy(c);
  harness_note("p%c%s %dx%d: m %d n %d k %d ops %c%c %c%c%c", LETTERS[p->type], name, p->grid->p,
               p->grid->q, p->m, p->n, p->k, p->op_a, p->op_b, p->side, p->triangle, p->diagonal);
  take_all();
  run(p, name, a, b, c);
  run(p, name, &a_before, &b_before, &again);
  take_none();
  run(p, name, a, b, &theirs);
  assert_near(p->grid, c, &again, 0);
  assert_near(p->grid, c, &theirs, 200 * unit_of(p->type));
  assert_near(p->grid, a, &a_before, 0);
  assert_near(p->grid, b, &b_before, 0);
  struct array *all[] = {a, b, c, &theirs, &a_before, &b_before, &again};
  for (int x = 0; x < 7; x++) array_free(all[x]);
}

static void try_gemm(struct product *p) {
  bool plain_a = is_plain(p->op_a), plain_b = is_plain(p->op_b);
  struct array a =
      array_make(p->grid, p->type, plain_a ? p->m : p->k, plain_a ? p->k : p->m, 0, entry_random);
  struct array b =
      array_make(p->grid, p->type, plain_b ? p->k : p->n, plain_b ? p->n : p->k, 0, entry_random);
  struct array c = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  hold_against(p, "gemm", run_gemm, &a, &b, &c);
}

static void try_symm(struct product *p, const char *name, run_product *run) {
  int order = p->side == 'L' ? p->m : p->n;
  struct array a = array_make(p->grid, p->type, order, order, 0, entry_hermitian);
  struct array b = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  struct array c = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  if (run == run_trmm) array_spoil(p->grid, &a, is_lower(p->triangle));
  hold_against(p, name, run, &a, &b, &c);
}

static void try_syrk(struct product *p, const char *name) {
  if (p->type >= C) p->op_a = is_plain(p->op_a) ? 'N' : name[0] == 'h' ? 'C' : 'T';
  bool plain = is_plain(p->op_a);
  struct array a =
      array_make(p->grid, p->type, plain ? p->n : p->k, plain ? p->k : p->n, 0, entry_random);
  struct array b = array_make(p->grid, p->type, 1, 1, 0, entry_random);
  struct array c = array_make(p->grid, p->type, p->n, p->n, 0, entry_hermitian);
  array_spoil(p->grid, &c, is_lower(p->triangle));
  hold_against(p, name, run_syrk, &a, &b, &c);
}

static void try_geadd(struct product *p) {
  const bool plain = is_plain(p->op_a);
  struct array a =
      array_make(p->grid, p->type, plain ? p->m : p->n, plain ? p->n : p->m, 0, entry_random);
  struct array b = array_make(p->grid, p->type, 1, 1, 0, entry_random);
  struct array c = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  hold_against(p, "geadd", run_geadd, &a, &b, &c);
}

static void try_tradd(struct product *p) {
  const bool plain = is_plain(p->op_a);
  struct array a =
      array_make(p->grid, p->type, plain ? p->m : p->n, plain ? p->n : p->m, 0, entry_random);
  struct array b = array_make(p->grid, p->type, 1, 1, 0, entry_random);
  struct array c = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  hold_against(p, "tradd", run_tradd, &a, &b, &c);
}

/* Arrays that lie alike, and one array alone. */
static void try_parts(struct product *p) {
  const char triangle = p->triangle;
  if (draw(0, 2) == 0) p->triangle = 'A';
  struct array a = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  struct array b = array_make(p->grid, p->type, 1, 1, 0, entry_random);
  struct array other = array_make(p->grid, p->type, 1, 1, 0, entry_random);
  struct array c = array_copy(&a), d = array_copy(&a);
  array_scale(&c, 1);
  hold_against(p, "lacpy", run_lacpy, &a, &b, &c);
  struct array e = array_make(p->grid, p->type, 1, 1, 0, entry_random);
  hold_against(p, "laset", run_laset, &other, &e, &d);
  p->triangle = triangle;
}

static void try_ger(struct product *p, const char *name) {
  struct array x = array_make(p->grid, p->type, p->m, 1, 0, entry_random);
  struct array y = array_make(p->grid, p->type, p->n, 1, 0, entry_random);
  struct array a = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  hold_against(p, name, run_ger, &x, &y, &a);
}

static void try_syr2k(struct product *p, const char *name) {
  if (p->type >= C) p->op_a = is_plain(p->op_a) ? 'N' : name[0] == 'h' ? 'C' : 'T';
  const bool plain = is_plain(p->op_a);
  const int rows = plain ? p->n : p->k, cols = plain ? p->k : p->n;
  struct array a = array_make(p->grid, p->type, rows, cols, 0, entry_random);
  struct array b = array_make(p->grid, p->type, rows, cols, 0, entry_random);
  struct array c = array_make(p->grid, p->type, p->n, p->n, 0, entry_hermitian);
  array_spoil(p->grid, &c, is_lower(p->triangle));
  hold_against(p, name, run_syr2k, &a, &b, &c);
}

static void try_gemv(struct product *p) {
  const bool plain = is_plain(p->op_a);
  struct array a = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  struct array x = array_make(p->grid, p->type, plain ? p->n : p->m, 1, 0, entry_random);
  struct array y = array_make(p->grid, p->type, plain ? p->m : p->n, 1, 0, entry_random);
  hold_against(p, "gemv", run_gemv, &a, &x, &y);
}

static void try_move(struct product *p, const char *name, run_product *run) {
  bool transposed = run == run_tran;
  struct array a = array_make(p->grid, p->type, transposed ? p->n : p->m, transposed ? p->m : p->n,
                              0, entry_random);
  struct array b = array_make(p->grid, p->type, 1, 1, 0, entry_random);
  struct array c = array_make(p->grid, p->type, p->m, p->n, 0, entry_random);
  hold_against(p, name, run, &a, &b, &c);
}

static void products_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct product p = draw_product(&walk.grid, type);
      try_gemm(&p);
      try_symm(&p, "symm", run_symm);
      try_symm(&p, "trmm", run_trmm);
      try_symm(&p, "trsm", run_trmm);
      try_syrk(&p, "syrk");
      if (type >= C) try_symm(&p, "hemm", run_symm);
      if (type >= C) try_syrk(&p, "herk");
      try_geadd(&p);
      try_gemv(&p);
      try_tradd(&p);
      try_parts(&p);
      try_syr2k(&p, "syr2k");
      if (type >= C) try_syr2k(&p, "her2k");
      try_ger(&p, type < C ? "ger" : "LR"[draw(0, 1)] == 'L' ? "geru" : "gerc");
      if (type < C) try_move(&p, "tran", run_tran);
      if (type >= C) try_move(&p, "tranu", run_tran);
      if (type >= C) try_move(&p, "tranc", run_tran);
      try_move(&p, "gemr2d", run_move);
    }
}

/* Near the identity, so that solutions stay small. */
static double _Complex entry_slight(int n, int row, int col) {
  return row == col ? 1 : entry_random(n, row, col) / n;
}

/* A file that has every other case of p?trsm passed on, so that the results are ScaLAPACK's to the
 * bit.  Lines that are no such lines are skipped. */
static void write_sizes(char *path) {
  static const char *const grids[] = {"one", "row", "column", "array"};
  const int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  assert_non_null(file);
  fprintf(file, "# sizes\nnothing d row 0 5\ntrsm q one 0 5\ntrsm d one 7 5\ntrsm d\n\n");
  for (int grid = 0; grid < 4; grid++)
    for (int kind = 0; kind < 4; kind++)
      fprintf(file, "trsm d %s %d %s # comment\n", grids[grid], kind, kind % 2 == 0 ? "inf" : "1");
  fclose(file);
  setenv("HYLA_SCALAPACK_SIZES", path, 1);
}

static void cases_in_which_scalapack_is_faster_are_its_own(void **state) {
  (void)state;
  enum { ORDER = 100, BLOCK = 16 };
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int kind = 0; kind < 4; kind++) {
      struct product p = {.grid = &walk.grid, .type = D, .m = ORDER, .n = ORDER};
      p.side = "LR"[kind % 2];
      p.op_a = "NT"[kind / 2];
      p.triangle = "LU"[draw(0, 1)];
      p.diagonal = 'N';
      p.alpha = scalar_of(D, 1.5, 0);
      struct array a = array_make(p.grid, D, ORDER, ORDER, BLOCK, entry_slight);
      struct array b = array_make(p.grid, D, ORDER, ORDER, BLOCK, entry_random);
      struct array theirs = array_copy(&b);
      harness_note("%dx%d, %c%c%c", p.grid->p, p.grid->q, p.side, p.triangle, p.op_a);
      unsetenv("HYLA_SCALAPACK_FROM");
      run_trmm(&p, "trsm", &a, NULL, &b);
      take_none();
      run_trmm(&p, "trsm", &a, NULL, &theirs);
      assert_near(p.grid, &b, &theirs, kind % 2 == 0 ? 0 : 1e-12);
      array_free(&a);
      array_free(&b);
      array_free(&theirs);
    }
}

/* ------------------------------------------------- moves between contexts -- */

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridmap(int *context, int *map, int ld, int rows, int cols);
void Cblacs_gridinfo(int context, int *p, int *q, int *row, int *col);
void Cblacs_gridexit(int context);

/* A grid of drawn ranks, p x q.  Outside it the context is -1, and the place is one that arrays can
 * be made for. */
static struct grid grid_of(int p, int q) {
  enum { MOST = 16 };
  const int ranks = harness_ranks(), first = draw(0, ranks - 1);
  int map[MOST];
  struct grid grid = {.p = p, .q = q};
  assert_true(p * q <= MOST);
  for (int k = 0; k < p * q; k++) map[k] = (first + k) % ranks;
  Cblacs_get(-1, 0, &grid.context);
  Cblacs_gridmap(&grid.context, map, p, p, q);
  if (grid.context >= 0) Cblacs_gridinfo(grid.context, &grid.p, &grid.q, &grid.row, &grid.col);
  return grid;
}

static double _Complex entry_other(int n, int row, int col) {
  return entry_random(n, col + 100, row + 100);
}

/* A process outside the grid knows nothing of the array. */
static struct array array_on(const struct grid *grid, int type, int rows, int cols, entry *of) {
  struct array a = array_make(grid, type, rows, cols, 0, of);
  if (grid->context >= 0) return a;
  for (int e = 0; e < 8; e++) a.desc[e] = -1; /* the last entry is the length of the array */
  a.i = a.j = -7;
  return a;
}

struct move {
  int type, m, n, global;
  char letter, triangle, diagonal;
  bool part, from_c;
};

typedef void function();
static function *function_of(const char *format, const struct move *move) {
  char name[32];
  function *found = NULL;
  snprintf(name, sizeof name, format, move->letter, move->part ? "trmr2d" : "gemr2d");
  void *symbol = dlsym(RTLD_DEFAULT, name);
  assert_non_null(symbol);
  memcpy(&found, &symbol, sizeof found);
  return found;
}

typedef void move_all(int m, int n, void *a, int ia, int ja, int *desc_a, void *b, int ib, int jb,
                      int *desc_b, int context);
typedef void move_part(char *triangle, char *diagonal, int m, int n, void *a, int ia, int ja,
                       int *desc_a, void *b, int ib, int jb, int *desc_b, int context);

static void make_move(struct move *x, struct array *a, struct array *b) {
  if (x->from_c && x->part)
    ((move_part *)function_of("Cp%c%s", x))(&x->triangle, &x->diagonal, x->m, x->n, a->data, a->i,
                                            a->j, a->desc, b->data, b->i, b->j, b->desc, x->global);
  else if (x->from_c)
    ((move_all *)function_of("Cp%c%s", x))(x->m, x->n, a->data, a->i, a->j, a->desc, b->data, b->i,
                                           b->j, b->desc, x->global);
  else if (x->part)
    function_of("p%c%s_", x)(&x->triangle, &x->diagonal, &x->m, &x->n, PLACE(*a), PLACE(*b),
                             &x->global);
  else
    function_of("p%c%s_", x)(&x->m, &x->n, PLACE(*a), PLACE(*b), &x->global);
}

/* Integers are moved as the bits of floats. */
static void try_between(struct grid *from, struct grid *to, struct move *x) {
  x->m = draw(1, 30);
  x->n = draw(1, 30);
  x->triangle = "LUlu"[draw(0, 3)];
  x->diagonal = "NU"[draw(0, 1)];
  const int type = x->letter == 'i' ? S : x->type;
  struct array a = array_on(from, type, x->m, x->n, entry_random);
  struct array mine = array_on(to, type, x->m, x->n, entry_other);
  struct array theirs = array_copy(&mine);
  harness_note("p%c%s %d x %d, %c %c: %d x %d to %d x %d", x->letter, x->part ? "trmr2d" : "gemr2d",
               x->m, x->n, x->triangle, x->diagonal, from->p, from->q, to->p, to->q);
  take_all();
  make_move(x, &a, &mine);
  take_none();
  make_move(x, &a, &theirs);
  if (to->context >= 0) assert_near(to, &mine, &theirs, 0);
  array_free(&a);
  array_free(&mine);
  array_free(&theirs);
}

static void moves_between_contexts_are_scalapacks(void **state) {
  (void)state;
  const int ranks = harness_ranks();
  struct grid global = grid_of(1, ranks);
  for (int trial = 0; trial < 2; trial++) {
    const int p = draw(1, ranks), q = draw(1, ranks);
    struct grid from = grid_of(p, draw(1, ranks / p)), to = grid_of(draw(1, ranks / q), q);
    for (int type = first_type(); type <= TYPES; type += type_step())
      for (int kind = 0; kind < 4; kind++) {
        struct move x = {.type = type, .global = global.context, .letter = "sdczi"[type]};
        x.part = kind % 2 == 1;
        x.from_c = kind >= 2;
        try_between(&from, &to, &x);
      }
    if (from.context >= 0) Cblacs_gridexit(from.context);
    if (to.context >= 0) Cblacs_gridexit(to.context);
  }
  Cblacs_gridexit(global.context);
}

int main(void) {
  char path[] = "/tmp/test_dropin_products-XXXXXX";
  write_sizes(path);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_scalapacks),
      cmocka_unit_test(cases_in_which_scalapack_is_faster_are_its_own),
      cmocka_unit_test(moves_between_contexts_are_scalapacks)};
  const int failed = harness_run(tests, sizeof tests / sizeof *tests);
  unlink(path);
  return failed;
}
