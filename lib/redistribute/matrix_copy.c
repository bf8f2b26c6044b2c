/* hyla_matrix_copy, hyla_matrix_gather, hyla_matrix_scatter: an array that one node or every node
 * holds whole is a matrix in a layout that splits no axis, so a copy moves the entries. */
#include "redistribute/redistribute.h"

/* Do both axes stand for the same entries of one matrix? */
static bool same(const struct hy_axis *a, const struct hy_axis *b) {
  return a->first == b->first && a->n == b->n && hy_axis_equal(a, b);
}

hyla_status hyla_matrix_copy(hyla_cube *cube, const hyla_matrix *from, hyla_matrix *to) {
  /* If both are the same entries, there is nothing to do. */
  const bool written = from == NULL || to == NULL || from->storage != to->storage ||
                       !same(&from->row, &to->row) || !same(&from->col, &to->col);
  const struct hy_call call = {.name = "hyla_matrix_copy",
                               .argument = {{"from", from, HYLA_NONE, "mn"},
                                            {"to", to, HYLA_NONE, "mn", written ? to : NULL}}};
  struct hy_direct *move = NULL;
  const hyla_transfer transfer = {HYLA_NONE, 1, from, to};
  hyla_status mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK) mine = hy_direct_create(cube, &transfer, 1, &move);
  hyla_status status = hy_call_agree(cube, &call, mine);
  if (status == HYLA_OK) status = hy_agree(cube, hy_direct_run(move));
  hy_direct_destroy(&move);
  return status;
}

/* Wraps the caller's array as a matrix of the same type and size as `like'. */
static hyla_status wrap_whole(hyla_cube *cube, const hyla_matrix *like, struct hy_array array,
                              hyla_rest rest, hyla_matrix **whole) {
  const hyla_layout layout = {.rest = rest};
  array.layout = &layout;
  array.type = hyla_matrix_type(like);
  array.rows = hyla_matrix_rows(like);
  array.cols = hyla_matrix_cols(like);
  bool holds = cube->address == 0 || (cube->address > 0 && rest == HYLA_REPLICATED);
  if (!holds) array.ld = 1;
  return hy_matrix_wrap(cube, &array, HYLA_OK, whole);
}

hyla_status hyla_matrix_gather(hyla_cube *cube, const hyla_matrix *from, hyla_rest rest,
                               void *array, int64_t ld) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  const struct hy_array target = {.call = "hyla_matrix_gather", .local = array, .ld = ld};
  hyla_matrix *whole = NULL;
  const struct hy_call call = {.name = target.call, .argument = {{"from", from}}};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  TRY(wrap_whole(cube, from, target, rest, &whole));
  hyla_status status = hyla_matrix_copy(cube, from, whole);
  hyla_matrix_destroy(&whole);
  return status;
}

hyla_status hyla_matrix_scatter(hyla_cube *cube, const void *array, int64_t ld, hyla_matrix *to) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  /* hy_matrix_wrap takes memory that may be written; here it is only read. */
  const struct hy_array source = {.call = "hyla_matrix_scatter", .local = (void *)array, .ld = ld};
  hyla_matrix *whole = NULL;
  const struct hy_call call = {.name = source.call, .argument = {{"to", to, .result = to}}};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  TRY(wrap_whole(cube, to, source, HYLA_FACE, &whole));
  hyla_status status = hyla_matrix_copy(cube, whole, to);
  hyla_matrix_destroy(&whole);
  return status;
}
