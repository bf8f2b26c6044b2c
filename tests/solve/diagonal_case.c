/* See diagonal_case.h. */
#include "diagonal_case.h"

#include "tests/harness/draw.h"
#include "tests/harness/harness.h"

#include <string.h>

hyla_status diagonal_case_make(hyla_cube *cube, hyla_method method, hyla_type type, int64_t n,
                               int64_t nrhs, const hyla_layout *layout, struct diagonal_case *m) {
  TRY(hyla_factor_create(cube, method, type, n, nrhs, layout, "diagonal", &m->factor));
  const hyla_layout sides = m->factor->problem.x_layout;
  TRY(hyla_matrix_create(cube, type, n, n, layout, &m->a));
  TRY(hyla_matrix_create(cube, type, n, nrhs, &sides, &m->b));
  return hyla_matrix_create(cube, type, n, nrhs, &sides, &m->x);
}

void diagonal_case_free(struct diagonal_case *m) {
  hyla_factor_destroy(&m->factor);
  hyla_matrix_destroy(&m->x);
  hyla_matrix_destroy(&m->b);
  hyla_matrix_destroy(&m->a);
}

void diagonal_case_is_asked_for(hyla_cube *cube, hyla_method method) {
  const hyla_layout elements = lu_draw_layout(cube, 1), blocks = lu_draw_layout(cube, 4);
  hyla_factor *factor = NULL;
  lu_assert_status(
      cube, hyla_factor_create(cube, method, HYLA_DOUBLE, 9, 1, &elements, NULL, &factor), HYLA_OK);
  assert_string_not_equal(hyla_plan_variant(hyla_factor_plan(factor)), "diagonal");
  hyla_factor_destroy(&factor);
  lu_assert_status(
      cube, hyla_factor_create(cube, method, HYLA_DOUBLE, 9, 1, &blocks, "diagonal", &factor),
      HYLA_UNSUPPORTED);
  assert_null(factor);
  assert_non_null(strstr(hyla_cube_message(cube), "one element"));
}
