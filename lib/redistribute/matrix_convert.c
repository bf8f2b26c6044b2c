/* hyla_matrix_convert, hyla_matrix_real, hyla_matrix_imag: to another type and at the same time to
 * another layout.  The smaller one of the two types travels: entries of the larger type are
 * converted before they are sent, or after they have arrived. */
#include "redistribute/redistribute.h"

struct conversion {
  hyla_cube *cube;
  const char *call;
  enum hy_component component;
  const hyla_matrix *from;
  hyla_matrix *to;
  hyla_matrix between; /* the matrix in the type that travels */
};

static void convert(const struct conversion *c, const hyla_matrix *from, hyla_matrix *to) {
  hy_convert(c->component, (int)from->local_rows, (int)from->local_cols, from->k, from->local,
             (int)from->ld, to->k, to->local, (int)to->ld);
}

static hyla_status move(const struct conversion *c, const hyla_matrix *from, hyla_matrix *to) {
  const hyla_transfer transfer = {HYLA_NONE, 1, from, to};
  return hy_redistribute_once(c->cube, &transfer, NULL);
}

static hyla_status run(struct conversion *c) {
  struct hy_operand from = hy_operand_of(c->from, HYLA_NONE), to = hy_operand_of(c->to, HYLA_NONE);
  if (hy_operand_equal(&from, &to)) {
    convert(c, c->from, c->to);
    return HYLA_OK;
  }
  /* Every component of an entry is wanted, and its type stays. */
  bool whole =
      c->component == HY_BOTH_PARTS || (c->component == HY_REAL_PART && !c->from->k->complex_type);
  if (whole && c->from->k == c->to->k) return move(c, c->from, c->to);
  bool before = c->to->k->size < c->from->k->size; /* convert before the move */
  const struct hy_kernels *travels = before ? c->to->k : c->from->k;
  hyla_status status =
      hy_agree(c->cube, hy_matrix_like(before ? c->from : c->to, travels->type, &c->between));
  if (status == HYLA_OK && before) convert(c, c->from, &c->between);
  if (status == HYLA_OK)
    status = move(c, before ? &c->between : c->from, before ? c->to : &c->between);
  if (status == HYLA_OK && !before) convert(c, &c->between, c->to);
  hy_free(&c->cube->base, &c->between.local);
  return status;
}

static hyla_status enter_and_run(struct conversion *c) {
  const hyla_matrix *from = c->from, *to = c->to;
  const struct hy_call call = {
      .name = c->call,
      .argument = {{"from", from, HYLA_NONE, "mn"}, {"to", to, HYLA_NONE, "mn", c->to}},
      .converts = true};
  hyla_status mine = hy_call_check(c->cube, &call);
  /* Complex numbers have two components, and a real type has room for one. */
  if (mine == HYLA_OK && c->component == HY_BOTH_PARTS && from->k->complex_type &&
      !to->k->complex_type)
    mine = hy_fail(&c->cube->base, HYLA_ARGUMENT,
                   "%s: from is of complex type %s and to of real type %s; hyla_matrix_real gives "
                   "the real parts, hyla_matrix_imag the imaginary ones",
                   c->call, from->k->name, to->k->name);
  TRY(hy_call_agree(c->cube, &call, mine));
  return hy_agree(c->cube, run(c));
}

hyla_status hyla_matrix_convert(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to) {
  struct conversion c = {cube, "hyla_matrix_convert", HY_BOTH_PARTS, from, to, {0}};
  return enter_and_run(&c);
}

hyla_status hyla_matrix_real(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to) {
  struct conversion c = {cube, "hyla_matrix_real", HY_REAL_PART, from, to, {0}};
  return enter_and_run(&c);
}

hyla_status hyla_matrix_imag(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to) {
  struct conversion c = {cube, "hyla_matrix_imag", HY_IMAGINARY_PART, from, to, {0}};
  return enter_and_run(&c);
}
