/* The drop-in's products, transpositions and redistributions against ScaLAPACK itself: the same
 * calls on the same arrays, taken by hyla and passed on, leave the same; what is round the
 * matrices, and triangles that are not meant, keep their bits. */
// ranks: 1 2 4 9
// sample: 1 4
// limit: 240
#include "dropin_case.h"

#include <stdlib.h>

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
  assert_near(p->grid, c, &theirs, 200 * unit_of(p->type));
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
      if (type >= C) try_move(&p, "tranu", run_tran);
      if (type >= C) try_move(&p, "tranc", run_tran);
      try_move(&p, "gemr2d", run_move);
    }
}

/* Near the identity, so that solutions stay small. */
static double _Complex entry_slight(int n, int row, int col) {
  return row == col ? 1 : entry_random(n, row, col) / n;
}

/* Of p?trsm these are passed on: what comes of them is ScaLAPACK's to the bit. */
static void cases_in_which_scalapack_is_faster_are_its_own(void **state) {
  (void)state;
  enum { ORDER = 400, BLOCK = 64 };
  const bool alone = harness_ranks() == 1;
  for (struct walk walk = {0}; next_grid(&walk);)
    for (int right = alone; right < 2; right++) {
      struct product p = {
          .grid = &walk.grid, .type = D, .m = ORDER, .n = ORDER, .side = "LR"[right]};
      p.op_a = alone ? 'N' : 'T';
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
      assert_near(p.grid, &b, &theirs, 0);
      array_free(&a);
      array_free(&b);
      array_free(&theirs);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_scalapacks),
      cmocka_unit_test(cases_in_which_scalapack_is_faster_are_its_own)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
