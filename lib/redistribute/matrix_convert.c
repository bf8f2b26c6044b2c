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

/* Complex numbers have two components, and a real type has room for one. */
static hyla_status check_types(const struct conversion *c) {
  const hyla_matrix *from = c->from, *to = c->to;
  CHECK(&c->cube->base,
        c->component != HY_BOTH_PARTS || !from->k->complex_type || to->k->complex_type, ARGUMENT,
        "%s: from is of complex type %s and to of real type %s; hyla_matrix_real gives the real "
        "parts, hyla_matrix_imag the imaginary ones",
        c->call, from->k->name, to->k->name);
  return HYLA_OK;
}

static void convert(const struct conversion *c, const hyla_matrix *from, hyla_matrix *to) {
  hy_convert(c->component, (int)from->local_rows, (int)from->local_cols, from->k, from->local,
             (int)from->ld, to->k, to->local, (int)to->ld);
}

static hyla_status move(const struct conversion *c, const hyla_matrix *from, hyla_matrix *to) {
  const hyla_transfer transfer = {HYLA_NONE, 1, from, to};
  return hy_redistribute_once(c->cube, &transfer, NULL);
}

static hyla_status convert_and_move(struct conversion *c) {
  TRY(hy_agree(c->cube, hy_matrix_like(c->from, c->to->k->type, &c->between)));
  convert(c, c->from, &c->between);
  return move(c, &c->between, c->to);
}

static hyla_status move_and_convert(struct conversion *c) {
  TRY(hy_agree(c->cube, hy_matrix_like(c->to, c->from->k->type, &c->between)));
  TRY(move(c, c->from, &c->between));
  convert(c, &c->between, c->to);
  return HYLA_OK;
}

/* Do the types agree, and is every component of an entry wanted? */
static bool same_numbers(const struct conversion *c) {
  bool whole =
      c->component == HY_BOTH_PARTS || (c->component == HY_REAL_PART && !c->from->k->complex_type);
  return whole && c->from->k == c->to->k;
}

static hyla_status run(struct conversion *c) {
  struct hy_operand from = hy_operand_of(c->from, HYLA_NONE), to = hy_operand_of(c->to, HYLA_NONE);
  if (hy_operand_equal(&from, &to)) {
    convert(c, c->from, c->to);
    return HYLA_OK;
  }
  if (same_numbers(c)) return move(c, c->from, c->to);
  hyla_status status =
      c->to->k->size < c->from->k->size ? convert_and_move(c) : move_and_convert(c);
  hy_free(&c->cube->base, &c->between.local);
  return status;
}

static hyla_status enter_and_run(struct conversion *c) {
  const struct hy_call call = {
      .name = c->call,
      .argument = {{"from", c->from, HYLA_NONE, "mn"}, {"to", c->to, HYLA_NONE, "mn", c->to}},
      .converts = true};
  hyla_status mine = hy_call_check(c->cube, &call);
  TRY(hy_call_agree(c->cube, &call, mine == HYLA_OK ? check_types(c) : mine));
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
