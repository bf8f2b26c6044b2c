/* The arguments of a call: their checks, one number for all, agreement. */
#include "call/call.h"

#include <stdio.h>
#include <string.h>

const char *const hy_operation_names[] = {"HYLA_NONE", "HYLA_TRANSPOSE", "HYLA_CONJUGATE", NULL};
const char *const hy_transpose_names[] = {"HYLA_NONE", "HYLA_TRANSPOSE", NULL};
const char *const hy_conjugate_names[] = {"HYLA_NONE", "", "HYLA_CONJUGATE", NULL};
const char *const hy_turn_names[] = {"", "HYLA_TRANSPOSE", "HYLA_CONJUGATE", NULL};
const char *const hy_triangle_names[] = {"HYLA_LOWER", "HYLA_UPPER", NULL};
const char *const hy_side_names[] = {"HYLA_LEFT", "HYLA_RIGHT", NULL};
const char *const hy_diagonal_names[] = {"HYLA_ANY_DIAGONAL", "HYLA_UNIT_DIAGONAL", NULL};

/* ----------------------------------------------------------------- checks -- */

static hyla_status check_option(struct hy_base *base, const struct hy_call *call,
                                const struct hy_option *option) {
  char words[HY_MESSAGE_MAX] = "";
  struct hy_text text = {.text = words, .capacity = sizeof words};
  bool taken = false;
  for (int i = 0; option->names[i] != NULL; i++) {
    if (option->names[i][0] == '\0') continue;
    hy_text_add(&text, "%s%s", text.length > 0 ? ", " : "", option->names[i]);
    taken |= i == option->value;
  }
  CHECK(base, taken, ARGUMENT, "%s: %s is %d; there are %s", call->name, option->name,
        option->value, words);
  return HYLA_OK;
}

static hyla_status check_place(struct hy_base *base, const struct hy_call *call,
                               const struct hy_named_place *place) {
  if (place->address != NULL || place->room == 0) return HYLA_OK;
  CHECK(base, place->room > 1, ARGUMENT, "%s: %s is NULL; give a place for it", call->name,
        place->name);
  return hy_fail(base, HYLA_ARGUMENT, "%s: %s is NULL; give room for %lld numbers", call->name,
                 place->name, (long long)place->room);
}

static hyla_status check_types(struct hy_base *base, const struct hy_call *call, int count) {
  const struct hy_model *model = &call->model;
  for (int i = 0; i < count && !call->converts; i++) {
    const struct hy_argument *x = &call->argument[i], *last = &call->argument[count - 1];
    CHECK(base, model->name == NULL || x->matrix->k == model->k, ARGUMENT,
          "%s: %s is of type %s and %s of type %s; convert %s with hyla_matrix_convert", call->name,
          x->name, x->matrix->k->name, model->name, model->k->name, x->name);
    CHECK(base, x->matrix->k == last->matrix->k, ARGUMENT,
          "%s: %s is of type %s and %s of type %s; convert one of them with hyla_matrix_convert",
          call->name, x->name, x->matrix->k->name, last->name, last->matrix->k->name);
  }
  return HYLA_OK;
}

/* A side of op(matrix): 0 its rows, 1 its columns. */
static int64_t size_of(const struct hy_argument *x, int side) {
  bool rows = (side == 0) == !hy_transposes(x->op);
  return rows ? x->matrix->row.n : x->matrix->col.n;
}

/* "a", "op(a)" */
static const char *operated(const struct hy_argument *x, char *text, size_t capacity) {
  snprintf(text, capacity, x->op == HYLA_NONE ? "%s" : "op(%s)", x->name);
  return text;
}

/* "a is 4 x 5", "op(a) is 5 x 4" */
static const char *size_text(const struct hy_argument *x, char *text, size_t capacity) {
  char name[32];
  snprintf(text, capacity, "%s is %lld x %lld", operated(x, name, sizeof name),
           (long long)size_of(x, 0), (long long)size_of(x, 1));
  return text;
}

/* Checks that a side of argument x equals an earlier one with the same letter. */
static hyla_status check_sides(struct hy_base *base, const struct hy_call *call, int x, int side,
                               int y, int other) {
  static const char *const sides[] = {"rows", "columns"};
  const struct hy_argument *mine = &call->argument[x], *theirs = &call->argument[y];
  char one[96], two[96], three[32], four[32];
  if (theirs->sizes == NULL || mine->sizes[side] != theirs->sizes[other] ||
      size_of(mine, side) == size_of(theirs, other))
    return HYLA_OK;
  size_text(mine, one, sizeof one);
  CHECK(base, x != y, ARGUMENT, "%s: %s; it must be square", call->name, one);
  return hy_fail(base, HYLA_ARGUMENT, "%s: %s, %s; %s must have as many %s as %s has %s",
                 call->name, size_text(theirs, two, sizeof two), one,
                 operated(mine, three, sizeof three), sides[side],
                 operated(theirs, four, sizeof four), sides[other]);
}

/* The model's size for a letter; -1: it has none. */
static int64_t size_due(const struct hy_model *model, char letter) {
  switch (letter) {
  case 'M': return model->m;
  case 'N': return model->n;
  case 'K': return hy_min(model->m, model->n);
  default: return -1;
  }
}

static hyla_status check_model(struct hy_base *base, const struct hy_call *call, int x) {
  static const char *const sides[] = {"rows", "columns"};
  const struct hy_argument *mine = &call->argument[x];
  char text[96];
  for (int side = 0; side < 2; side++) {
    int64_t due = size_due(&call->model, mine->sizes[side]);
    CHECK(base, due < 0 || size_of(mine, side) == due, ARGUMENT,
          "%s: %s; it must have %lld %s to fit %s, which are of a matrix of %lld x %lld",
          call->name, size_text(mine, text, sizeof text), (long long)due, sides[side],
          call->model.name, (long long)call->model.m, (long long)call->model.n);
  }
  return HYLA_OK;
}

static hyla_status check_sizes(struct hy_base *base, const struct hy_call *call, int x) {
  const struct hy_argument *mine = &call->argument[x];
  char text[96];
  if (mine->sizes == NULL) return HYLA_OK;
  TRY(check_model(base, call, x));
  for (int side = 0; side < 2; side++) {
    for (int y = 0; y <= x; y++)
      for (int other = 0; other < (y == x ? side : 2); other++)
        TRY(check_sides(base, call, x, side, y, other));
    CHECK(base, mine->sizes[side] != '1' || size_of(mine, side) == 1, ARGUMENT,
          "%s: %s; it must have one %s%s%s%s", call->name, size_text(mine, text, sizeof text),
          side == 0 ? "row" : "column", call->several != NULL ? "; " : "",
          call->several != NULL ? call->several : "",
          call->several != NULL ? " takes several columns" : "");
    CHECK(base, call->most == 0 || size_of(mine, side) <= call->most, ARGUMENT,
          "%s: %s; the most is %lld rows or columns", call->name,
          size_text(mine, text, sizeof text), (long long)call->most);
  }
  return HYLA_OK;
}

/* Checks that a written matrix, or any matrix if the model is written, shares no entry with it. */
static hyla_status check_model_apart(struct hy_base *base, const struct hy_call *call, int x) {
  const struct hy_argument *mine = &call->argument[x];
  const struct hy_model *model = &call->model;
  if (model->memory == NULL || (mine->result == NULL && !model->written)) return HYLA_OK;
  CHECK(base, !hy_matrix_overlap(model->memory, mine->matrix), ARGUMENT,
        "%s: %s shares entries with %s, which lie in memory that was given away; give it a matrix "
        "of its own",
        call->name, mine->name, model->name);
  return HYLA_OK;
}

/* Checks that a written matrix shares no entry with another one, except with the one that it
 * replaces or, if it is written last, with any. */
static hyla_status check_overlaps(struct hy_base *base, const struct hy_call *call, int count,
                                  int x) {
  const struct hy_argument *written = &call->argument[x];
  for (int y = 0; y < count && written->result != NULL && !written->late; y++) {
    const struct hy_argument *other = &call->argument[y];
    bool allowed = y == x || (other->replaced && other->matrix == written->matrix);
    CHECK(base, allowed || !hy_matrix_overlap(other->matrix, written->matrix), ARGUMENT,
          "%s: %s, which is written, shares entries with %s; give it a matrix of its own%s%s",
          call->name, written->name, other->name, call->in_place != NULL ? "; " : "",
          call->in_place != NULL ? call->in_place : "");
  }
  return HYLA_OK;
}

static int count_arguments(const struct hy_call *call) {
  int count = 0;
  while (count < HY_ARGUMENTS && call->argument[count].name != NULL) count++;
  return count;
}

hyla_status hy_call_check(hyla_cube *cube, const struct hy_call *call) {
  CHECK(NULL, cube != NULL, ARGUMENT, "%s: cube is NULL", call->name);
  struct hy_base *base = &cube->base;
  const int count = count_arguments(call);
  for (int i = 0; i < HY_OPTIONS && call->option[i].name != NULL; i++)
    TRY(check_option(base, call, &call->option[i]));
  for (int i = 0; i < HY_PLACES && call->place[i].name != NULL; i++)
    TRY(check_place(base, call, &call->place[i]));
  for (int x = 0; x < count; x++)
    TRY(hy_matrix_check(cube, call->argument[x].matrix, call->name, call->argument[x].name));
  TRY(check_types(base, call, count));
  for (int x = 0; x < count; x++) TRY(check_sizes(base, call, x));
  for (int x = 0; x < count; x++) TRY(check_overlaps(base, call, count, x));
  for (int x = 0; x < count; x++) TRY(check_model_apart(base, call, x));
  return call->needs_data ? hy_need_data(cube, call->name) : HYLA_OK;
}

hyla_status hy_call_check_scalars(hyla_cube *cube, const char *name, const hyla_scalar *alpha,
                                  const hyla_scalar *beta) {
  if (cube == NULL || (alpha != NULL && beta != NULL)) return HYLA_OK;
  return hy_fail(&cube->base, HYLA_ARGUMENT, "%s: %s is NULL", name,
                 alpha == NULL ? "alpha" : "beta");
}

/* -------------------------------------------------------------- agreement -- */

static uint64_t add_text(uint64_t fingerprint, const char *text) {
  return text == NULL ? fingerprint : hy_fingerprint(fingerprint, text, strlen(text));
}

uint64_t hy_call_fingerprint(const struct hy_call *call) {
  const double _Complex scalars[] = {call->alpha, call->beta};
  uint64_t fingerprint = hy_fingerprint(0, scalars, sizeof scalars);
  fingerprint = hy_fingerprint(fingerprint, call->number, sizeof call->number);
  if (call->model.name != NULL) {
    const struct hy_model *model = &call->model;
    const int64_t words[] = {(int64_t)model->k->type, model->m, model->n, model->number[0],
                             model->number[1]};
    fingerprint = hy_fingerprint(fingerprint, words, sizeof words);
  }
  for (int i = 0; i < HY_OPTIONS && call->option[i].name != NULL; i++)
    fingerprint = hy_fingerprint(fingerprint, &call->option[i].value, sizeof(int));
  for (int i = 0; i < HY_TEXTS; i++)
    fingerprint = add_text(hy_fingerprint(fingerprint, &i, sizeof i), call->text[i]);
  fingerprint = add_text(fingerprint, call->variant);
  for (int x = 0; x < count_arguments(call); x++) {
    const struct hy_argument *it = &call->argument[x];
    const int words[] = {(int)it->op, (int)it->shape.form, (int)it->shape.triangle};
    fingerprint = hy_fingerprint(fingerprint, words, sizeof words);
    fingerprint = hy_matrix_fingerprint(fingerprint, it->matrix);
  }
  return fingerprint;
}

hyla_status hy_call_agree(hyla_cube *cube, const struct hy_call *call, hyla_status mine) {
  return hy_enter(cube, mine, mine == HYLA_OK ? hy_call_fingerprint(call) : 0, call->name);
}

hyla_status hy_call_enter(hyla_cube *cube, const struct hy_call *call, hyla_status mine) {
  return hy_call_agree(cube, call, mine == HYLA_OK ? hy_call_check(cube, call) : mine);
}
