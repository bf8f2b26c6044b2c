/* The drop-in against ScaLAPACK itself: the same calls on the same arrays, taken by hyla and passed
 * on, leave the same; what is round the matrices, and triangles that are not meant, keep their
 * bits; factors of one are solved with by the other; INFO is ScaLAPACK's. */
// ranks: 1 2 4 8
// limit: 240
#include "dropin_case.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int draw(int low, int high) { return (int)harness_draw(low, high); }
static double unit(int type) { return type == S || type == C ? FLT_EPSILON : DBL_EPSILON; }

/* Every grid of all ranks, in one of the orders of BLACS. */
struct walk {
  int p;
  struct grid grid;
};

static bool next_grid(struct walk *walk) {
  if (walk->p > 0) grid_close(&walk->grid);
  walk->p = walk->p == 0 ? 1 : 2 * walk->p;
  if (walk->p > harness_ranks()) return false;
  grid_open(&walk->grid, draw(0, 1) == 0 ? "Row" : "Column", walk->p, harness_ranks() / walk->p);
  return true;
}

/* All types, or every other one where ranks crowd the cores. */
static int type_step(void) { return harness_ranks() > 4 ? 2 : 1; }
static int first_type(void) { return draw(0, type_step() - 1); }

/* A scalar of any type. */
union scalar {
  float single[2];
  double real[2];
};

static union scalar scalar(int type, double re, double im) {
  union scalar s;
  if (type == S || type == C) {
    s.single[0] = (float)re;
    s.single[1] = (float)im;
  } else {
    s.real[0] = re;
    s.real[1] = im;
  }
  return s;
}

static void assert_near(const struct grid *grid, const struct array *mine,
                        const struct array *theirs, double bound) {
  double difference = array_difference(grid, mine, theirs);
  harness_note("%c: difference %g, bound %g", LETTERS[mine->type], difference, bound);
  assert_true(difference <= bound);
}

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
  p.alpha = scalar(type, 1.5, complex_type ? 0.5 : 0);
  p.beta = scalar(type, draw(0, 1) * 0.75, complex_type ? draw(0, 1) * -0.25 : 0);
  return p;
}

static bool is_plain(char op) { return op == 'N' || op == 'n'; }
static bool is_lower(char triangle) { return triangle == 'L' || triangle == 'l'; }
#define PLACE(x) (x).data, &(x).i, &(x).j, (x).desc

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

static void run_move(struct product *p, const char *name, struct array *a, struct array *b,
                     struct array *c) {
  (void)b;
  routine_of(p->type, name)(&p->m, &p->n, PLACE(*a), PLACE(*c), &p->grid->context);
}

static void hold_against(struct product *p, const char *name, run_product *run, struct array *a,
                         struct array *b, struct array *c) {
  struct array theirs = array_copy(c), a_before = array_copy(a), b_before = array_copy(b);
  harness_note("p%c%s %dx%d: m %d n %d k %d ops %c%c %c%c%c", LETTERS[p->type], name, p->grid->p,
               p->grid->q, p->m, p->n, p->k, p->op_a, p->op_b, p->side, p->triangle, p->diagonal);
  take_all();
  run(p, name, a, b, c);
  take_none();
  run(p, name, a, b, &theirs);
  assert_near(p->grid, c, &theirs, 200 * unit(p->type));
  assert_near(p->grid, a, &a_before, 0);
  assert_near(p->grid, b, &b_before, 0);
  struct array *all[] = {a, b, c, &theirs, &a_before, &b_before};
  for (int x = 0; x < 6; x++) array_free(all[x]);
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

static void try_move(struct product *p, const char *name, run_product *run) {
  bool turned = run == run_tran;
  struct array a =
      array_make(p->grid, p->type, turned ? p->n : p->m, turned ? p->m : p->n, 0, entry_random);
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
      if (type < C) try_move(&p, "tran", run_tran);
      if (type >= C) try_move(&p, draw(0, 1) ? "tranu" : "tranc", run_tran);
      try_move(&p, "gemr2d", run_move);
    }
}

/* -------------------------------------------------------------- systems -- */

struct system {
  struct grid *grid;
  int type, n, nrhs, block, info;
  char triangle;
  struct array a, b;
  int *pivots;
};

static struct system make_system(struct grid *grid, int type, entry *of) {
  struct system s = {.grid = grid, .type = type, .n = draw(1, 40), .nrhs = draw(1, 9)};
  s.block = draw(1, 8);
  s.triangle = "LU"[draw(0, 1)];
  s.a = array_make(grid, type, s.n, s.n, s.block, of);
  s.b = array_make(grid, type, s.n, s.nrhs, s.block, entry_random);
  /* B's rows begin on the process row where A's do. */
  int row = (s.a.i - 1) / s.block + s.a.desc[6], shift = (s.b.i - 1) / s.block;
  while ((row - shift) % grid->p != s.b.desc[6]) {
    array_free(&s.b);
    s.b = array_make(grid, type, s.n, s.nrhs, s.block, entry_random);
    shift = (s.b.i - 1) / s.block;
    row = (s.a.i - 1) / s.block + s.a.desc[6] + 8 * grid->p;
  }
  s.pivots = calloc((size_t)(s.a.local_rows + s.block), sizeof *s.pivots);
  assert_non_null(s.pivots);
  s.info = 99;
  return s;
}

static struct system copy_system(const struct system *from) {
  struct system s = *from;
  const size_t bytes = (size_t)(s.a.local_rows + s.block) * sizeof *s.pivots;
  s.a = array_copy(&from->a);
  s.b = array_copy(&from->b);
  s.pivots = malloc(bytes);
  assert_non_null(s.pivots);
  memcpy(s.pivots, from->pivots, bytes);
  return s;
}

static void free_system(struct system *s) {
  array_free(&s->a);
  array_free(&s->b);
  free(s->pivots);
}

static void getrf(struct system *s) {
  routine_of(s->type, "getrf")(&s->n, &s->n, PLACE(s->a), s->pivots, &s->info);
}

static void getrs(struct system *s, char op) {
  routine_of(s->type, "getrs")(&op, &s->n, &s->nrhs, PLACE(s->a), s->pivots, PLACE(s->b), &s->info);
}

static void gesv(struct system *s) {
  routine_of(s->type, "gesv")(&s->n, &s->nrhs, PLACE(s->a), s->pivots, PLACE(s->b), &s->info);
}

static void potrf(struct system *s) {
  routine_of(s->type, "potrf")(&s->triangle, &s->n, PLACE(s->a), &s->info);
}

static void potrs(struct system *s) {
  routine_of(s->type, "potrs")(&s->triangle, &s->n, &s->nrhs, PLACE(s->a), PLACE(s->b), &s->info);
}

static void posv(struct system *s) {
  routine_of(s->type, "posv")(&s->triangle, &s->n, &s->nrhs, PLACE(s->a), PLACE(s->b), &s->info);
}

static void trtri(struct system *s) {
  routine_of(s->type, "trtri")(&s->triangle, "N", &s->n, PLACE(s->a), &s->info);
}

static void getri(struct system *s) {
  union scalar most = {0};
  int words = -1, integers = -1, *numbers = &integers, count = 0;
  routine_of(s->type, "getri")(&s->n, PLACE(s->a), s->pivots, &most, &words, &count, numbers,
                               &s->info);
  words = s->type == S || s->type == C ? (int)most.single[0] : (int)most.real[0];
  integers = count;
  void *work = calloc((size_t)words, 16);
  numbers = calloc((size_t)integers, sizeof *numbers);
  assert_true(work != NULL && numbers != NULL);
  routine_of(s->type, "getri")(&s->n, PLACE(s->a), s->pivots, work, &words, numbers, &integers,
                               &s->info);
  free(work);
  free(numbers);
}

static void assert_same(struct system *mine, struct system *theirs) {
  const double bound = 100 * (mine->n + 5) * unit(mine->type);
  assert_int_equal(mine->info, theirs->info);
  assert_near(mine->grid, &mine->a, &theirs->a, bound);
  assert_near(mine->grid, &mine->b, &theirs->b, bound);
  /* Those of other rows are ScaLAPACK's scratch. */
  for (int r = 0; r < mine->a.local_rows; r++) {
    int row = array_row(mine->grid, &mine->a, r);
    if (row >= 0 && row < mine->n) assert_int_equal(mine->pivots[r], theirs->pivots[r]);
  }
  free_system(mine);
  free_system(theirs);
}

static void note(const struct system *s, const char *what) {
  harness_note("p%c%s %dx%d: n %d nrhs %d block %d %c", LETTERS[s->type], what, s->grid->p,
               s->grid->q, s->n, s->nrhs, s->block, s->triangle);
}

static void try_lu(struct grid *grid, int type) {
  struct system mine = make_system(grid, type, entry_pivoting), theirs = copy_system(&mine);
  char op = "NTC"[draw(0, 2)];
  note(&mine, "getrf, getrs");
  take_all();
  getrf(&mine);
  take_none();
  getrf(&theirs);
  assert_near(grid, &mine.b, &theirs.b, 0);
  getrs(&mine, op); /* with factors by hyla */
  take_all();
  getrs(&theirs, op); /* with factors by ScaLAPACK */
  assert_same(&mine, &theirs);
}

static void try_call(struct grid *grid, int type, const char *name, void (*call)(struct system *),
                     entry *of) {
  struct system mine = make_system(grid, type, of), theirs;
  if (of == entry_hermitian) array_spoil(grid, &mine.a, mine.triangle == 'L');
  theirs = copy_system(&mine);
  note(&mine, name);
  take_all();
  call(&mine);
  take_none();
  call(&theirs);
  assert_same(&mine, &theirs);
}

static void factor_and_invert(struct system *s) {
  getrf(s);
  getri(s);
}

static void factor_and_solve(struct system *s) {
  potrf(s);
  potrs(s);
}

static void systems_are_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      try_lu(&walk.grid, type);
      try_call(&walk.grid, type, "gesv", gesv, entry_pivoting);
      try_call(&walk.grid, type, "getri", factor_and_invert, entry_pivoting);
      try_call(&walk.grid, type, "potrf, potrs", factor_and_solve, entry_hermitian);
      try_call(&walk.grid, type, "posv", posv, entry_hermitian);
      try_call(&walk.grid, type, "trtri", trtri, entry_hermitian);
    }
}

/* --------------------------------------------------------------- errors -- */

static void info_is_scalapacks(void **state) {
  (void)state;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      try_call(&walk.grid, type, "gesv, singular", gesv, entry_singular);
      try_call(&walk.grid, type, "getri, singular", factor_and_invert, entry_singular);
      try_call(&walk.grid, type, "posv, indefinite", posv, entry_indefinite);
    }
}

/* What is wrong with a call of gesv, by INFO: N, IA, DESCA's MB, the column of B's end. */
static void spoil_call(struct system *s, int what) {
  if (what == 0) s->n = -1;
  if (what == 1) s->a.i = 0;
  if (what == 2) s->a.desc[4]++;
  if (what == 3) s->b.j += 100;
  if (what == 4) s->b.desc[8] = 0; /* LLD */
  if (what == 5) s->nrhs = -3;
}

static void arguments_are_refused_as_by_scalapack(void **state) {
  (void)state;
  struct walk walk = {0};
  for (int what = 0; next_grid(&walk); what++)
    for (int type = first_type(); type < TYPES; type += type_step()) {
      struct system mine = make_system(&walk.grid, type, entry_pivoting);
      struct system theirs = copy_system(&mine);
      int n = mine.n, column = mine.b.j, lld = mine.b.desc[8];
      spoil_call(&mine, (what + type) % 6);
      spoil_call(&theirs, (what + type) % 6);
      take_all();
      gesv(&mine);
      take_none();
      gesv(&theirs);
      harness_note("case %d: INFO %d, ScaLAPACK's %d", (what + type) % 6, mine.info, theirs.info);
      assert_true(theirs.info < 0);
      mine.n = n;
      mine.b.j = theirs.b.j = column;
      mine.b.desc[8] = theirs.b.desc[8] = lld;
      assert_int_equal(mine.info, theirs.info);
      free_system(&mine);
      free_system(&theirs);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_scalapacks),
      cmocka_unit_test(systems_are_scalapacks),
      cmocka_unit_test(info_is_scalapacks),
      cmocka_unit_test(arguments_are_refused_as_by_scalapack),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
