/* The array on which the nodes lie: the option `array'. */
#include "cube/cube.h"

#include <string.h>

/* Reads one side; NULL if there is no number from 1. */
static const char *read_side(const char *text, uint32_t *side) {
  enum { DIGITS = 7 };
  const size_t digits = strspn(text, "0123456789");
  *side = 0;
  for (size_t i = 0; i < digits; i++) *side = 10 * *side + (uint32_t)(text[i] - '0');
  return digits > 0 && digits <= DIGITS && *side > 0 ? text + digits : NULL;
}

bool hy_array_read(const char *text, uint32_t *rows, uint32_t *cols) {
  const char *at = read_side(text, rows);
  at = at != NULL && *at == 'x' ? read_side(at + 1, cols) : NULL;
  return at != NULL && *at == '\0' && (int64_t)*rows * *cols <= INT64_C(1) << HYLA_DIMS_MAX;
}

void hy_array_put(hyla_cube *cube, uint32_t rows, uint32_t cols) {
  const int rank = cube->base.rank;
  cube->dims = hy_sides_make(&cube->sides, rows, cols);
  cube->nodes = (int)(rows * cols);
  cube->address = rank < cube->nodes ? hy_address_of(cube, rank) : -1;
}

static bool is_given(const char *option) { return option != NULL && option[0] != '\0'; }

/* A cube of all ranks stays one.  A variant that is asked for may need a cube. */
bool hy_array_is_open(const hyla_cube *cube, const hyla_options *options) {
  if (cube->nodes == cube->ranks.all) return false;
  return is_given(options->array) ? strcmp(options->array, "auto") == 0
                                  : !is_given(options->variant);
}

hyla_status hy_array_make(hyla_cube *cube, const char *option) {
  struct hy_base *base = &cube->base;
  uint32_t rows = 0, cols = 0;
  if (!is_given(option)) return HYLA_OK;
  if (strcmp(option, "auto") == 0 || strcmp(option, "cube") == 0) return HYLA_OK;
  CHECK(base, hy_array_read(option, &rows, &cols), ARGUMENT,
        "the option array is \"%s\"; give rows x columns of nodes, as in 2x3, auto or cube",
        option);
  const int64_t nodes = (int64_t)rows * cols, all = cube->ranks.all;
  CHECK(base, nodes <= all && 2 * nodes > all, ARGUMENT,
        "the option array is \"%s\", %lld nodes; of %lld ranks give an array more than %lld and at "
        "most %lld",
        option, (long long)nodes, (long long)all, (long long)all / 2, (long long)all);
  struct hy_sides sides;
  CHECK(base, hy_sides_make(&sides, rows, cols) <= HYLA_DIMS_MAX, ARGUMENT,
        "the option array is \"%s\"; give smaller sides", option);
  hy_array_put(cube, rows, cols);
  return HYLA_OK;
}
