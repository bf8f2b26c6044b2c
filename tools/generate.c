/* hyla generate: makes matrices with known properties, and lists their kinds. */
#include "tool.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct grammar generate_grammar = {
    .usage = "KIND",
    .text = "Make a matrix of a kind, print its known properties, write it."
            "\vThe matrix is the same bit for bit on any number of ranks and in any layout.  "
            "--list, without KIND, shows all kinds and their known properties, for the order in "
            "--size (default 100) and the type in --type.  Indices of formulas count from 0; r are "
            "uniform random numbers in (-1/2, 1/2), u is the unit roundoff, c is 2^12 in single "
            "and 2^26 in double precision.",
    .lists = {options_of_generate, options_of_progress},
    .least = 0,
    .most = 1,
};

/* ---- known properties, in words ---- */

/* A list of words with commas between. */
struct words {
  char text[256];
  size_t length;
};

static void add_word(struct words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_word(struct words *words, const char *format, ...) {
  size_t room = sizeof words->text - words->length;
  int length = snprintf(words->text + words->length, room, "%s", words->length > 0 ? ", " : "");
  words->length += (size_t)length;
  va_list arguments;
  va_start(arguments, format);
  length =
      vsnprintf(words->text + words->length, sizeof words->text - words->length, format, arguments);
  va_end(arguments);
  words->length += (size_t)length;
}

static void add_band(struct words *words, const hyla_properties *known, int64_t n) {
  int64_t lower = known->lower, upper = known->upper, most = n - 1;
  if (lower == most && upper == most && most > 0) return;
  if (lower == 0 && upper == 0)
    add_word(words, "diagonal");
  else if (upper == 0 && lower >= (most > 2 ? most - 1 : most))
    add_word(words, "lower triangular");
  else if (lower == 0 && upper == most)
    add_word(words, "upper triangular");
  else if (lower == 0 && upper == 1)
    add_word(words, "upper bidiagonal");
  else if (lower == 1 && upper == most)
    add_word(words, "upper Hessenberg");
  else if (upper == 1 && lower == most)
    add_word(words, "lower Hessenberg");
  else if (lower == 1 && upper == 1)
    add_word(words, "tridiagonal");
  else
    add_word(words, "bandwidths %lld and %lld", (long long)lower, (long long)upper);
}

static void describe(const hyla_properties *known, hyla_type type, int64_t n, struct words *words) {
  bool real = !type_complex(type);
  *words = (struct words){.length = 0};
  if (known->symmetric) add_word(words, "symmetric");
  if (known->hermitian && !real) add_word(words, "Hermitian");
  if (known->definite) add_word(words, "positive definite");
  if (known->unitary) add_word(words, real ? "orthogonal" : "unitary");
  add_band(words, known, n);
  if (known->rank == n && !known->definite && !known->unitary)
    add_word(words, "nonsingular");
  else if (known->rank >= 0 && known->rank < n)
    add_word(words, "rank %lld", (long long)known->rank);
  if (known->condition > 0 && isfinite(known->condition) && !known->unitary)
    add_word(words, "condition %.4g", known->condition);
  if (known->growth > 0) add_word(words, "growth %.4g or more", known->growth);
  if (known->random) add_word(words, "random");
  if (known->rectangular) add_word(words, "also m x n");
  if (words->length == 0) add_word(words, "nothing is declared");
}

/* The properties as JSON; an infinite or unknown condition is null. */
static json_t *known_json(const hyla_properties *known) {
  json_t *json =
      json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:I, s:I}", "rectangular", known->rectangular,
                "random", known->random, "symmetric", known->symmetric, "hermitian",
                known->hermitian, "definite", known->definite, "unitary", known->unitary, "grows",
                known->grows, "lower", (json_int_t)known->lower, "upper", (json_int_t)known->upper);
  bool finite = known->condition > 0 && isfinite(known->condition);
  json_object_set_new(json, "rank", known->rank >= 0 ? json_integer(known->rank) : json_null());
  json_object_set_new(json, "condition", finite ? json_real(known->condition) : json_null());
  json_object_set_new(json, "growth", known->growth > 0 ? json_real(known->growth) : json_null());
  return json;
}

/* Adds the name, formula and reference of a kind to an object. */
static void set_kind(json_t *json, const hyla_kind *kind) {
  json_object_set_new(json, "kind", json_string(kind->name));
  json_object_set_new(json, "formula", json_string(kind->formula));
  json_object_set_new(json, "reference", json_string(kind->reference));
}

/* ---- the list ---- */

static void list_kinds(const struct run *run) {
  const struct options *options = &run->options;
  enum { ORDER = 100 };
  int64_t n = options->size_count > 0 ? options->size[0] : ORDER;
  const hyla_kind *kind = NULL;
  json_t *kinds = json_array();
  for (int i = 0; (kind = hyla_kind_at(i)); i++) {
    hyla_properties known;
    struct words words;
    hyla_kind_properties(kind->name, options->type, n, &known);
    if (options->json) {
      json_t *json = known_json(&known);
      set_kind(json, kind);
      json_array_append_new(kinds, json);
      continue;
    }
    describe(&known, options->type, n, &words);
    printf("%-18s  %s\n%-18s  %s\n%-18s  %s\n", kind->name, kind->formula, "", words.text, "",
           kind->reference);
  }
  if (options->json)
    json_line(json_pack("{s:s, s:s, s:I, s:O}", "op", "generate", "type", type_name(options->type),
                        "n", (json_int_t)n, "kinds", kinds));
  json_decref(kinds);
}

/* ---- one matrix ---- */

/* The matrix that is made, and what was found about it. */
struct making {
  struct result result;
  const hyla_kind *kind;
  hyla_properties known;
  hyla_matrix *matrix;
  double norm, largest;
};

static const hyla_kind *find_kind(const char *name) {
  const hyla_kind *kind = NULL;
  for (int i = 0; (kind = hyla_kind_at(i)) && strcmp(kind->name, name) != 0;) i++;
  return kind;
}

static hyla_status refuse_kind(struct result *result, const char *name) {
  enum { KINDS = 128 };
  const char *names[KINDS + 1] = {NULL};
  char meant[MEANT_TEXT];
  for (int i = 0; i < KINDS && hyla_kind_at(i); i++) names[i] = hyla_kind_at(i)->name;
  return result_refuse(result, "there is no kind `%s'%s; --list shows all kinds", name,
                       meant_text(name, names, meant));
}

/* Reads kind and sizes from the command line. */
static hyla_status read_making(const struct run *run, struct making *making) {
  const struct options *options = &run->options;
  struct result *result = &making->result;
  const char *name = options->paths[0];
  if (!name) return result_refuse(result, "KIND is missing; --list shows all kinds");
  making->kind = find_kind(name);
  if (!making->kind) return refuse_kind(result, name);
  if (options->size_count < 1 || options->size_count > 2)
    return result_refuse(result, "--size is needed: N or MxN");
  result->type = options->type;
  result->m = options->size[0];
  result->n = options->size[options->size_count - 1];
  hyla_kind_properties(name, options->type, result->n, &making->known);
  if (result->m != result->n && !making->known.rectangular)
    return result_refuse(result, "%s is a kind of square matrices; --size is %lldx%lld", name,
                         (long long)result->m, (long long)result->n);
  return HYLA_OK;
}

static hyla_status make(struct run *run, struct making *making) {
  hyla_cube *cube = run->cube;
  const struct options *options = &run->options;
  struct result *result = &making->result;
  hyla_status status = hyla_layout_default(cube, result->m, result->n, &result->layout);
  if (!status && options->layout)
    status = hyla_layout_parse(cube, options->layout, &result->layout);
  if (!status)
    status = hyla_matrix_create(cube, result->type, result->m, result->n, &result->layout,
                                &making->matrix);
  ticker_phase(run->ticker, "generating");
  if (!status) status = hyla_cube_barrier(cube);
  double begin = tool_clock();
  if (!status)
    status = hyla_matrix_gallery(cube, making->matrix, making->kind->name, (uint64_t)options->seed);
  result->seconds = tool_clock() - begin;
  if (!status) status = hyla_matrix_norm(cube, making->matrix, HYLA_NORM_ONE, &making->norm);
  if (!status) status = hyla_matrix_norm(cube, making->matrix, HYLA_NORM_MAX, &making->largest);
  result->finished = !status;
  return status;
}

static void print_making(const struct run *run, const struct making *making) {
  const struct result *result = &making->result;
  char layout[HYLA_LAYOUT_TEXT];
  struct words words;
  hyla_layout_format(&result->layout, layout, sizeof layout);
  describe(&making->known, result->type, result->n, &words);
  printf("generate  %s, %lld x %lld %s: %s\n", making->kind->name, (long long)result->m,
         (long long)result->n, type_name(result->type), making->kind->formula);
  printf("from      %s\n", making->kind->reference);
  if (result->m == result->n) printf("known     %s\n", words.text);
  printf("norms     %.6g (largest column sum), %.6g (largest entry)\n", making->norm,
         making->largest);
  printf("cube      %d node%s, layout %s\n", hyla_cube_nodes(run->cube),
         hyla_cube_nodes(run->cube) == 1 ? "" : "s", layout);
  printf("time      %.4g s\n", result->seconds);
  if (result->written) printf("written   %s\n", result->written);
}

static json_t *making_json(const struct run *run, const struct making *making) {
  /* Times and costs belong to operations; making a matrix has none. */
  struct result result = making->result;
  char layout[HYLA_LAYOUT_TEXT];
  result.finished = false;
  json_t *json = result_json(run, &result);
  if (!making->result.finished) return json;
  bool square = result.m == result.n;
  hyla_layout_format(&result.layout, layout, sizeof layout);
  set_kind(json, making->kind);
  json_object_set_new(json, "layout", json_string(layout));
  json_object_set_new(json, "seed", json_integer((json_int_t)run->options.seed));
  json_object_set_new(json, "known", square ? known_json(&making->known) : json_null());
  json_object_set_new(json, "norm_one", number_json(making->norm));
  json_object_set_new(json, "norm_max", number_json(making->largest));
  json_object_set_new(json, "seconds", json_real(result.seconds));
  return json;
}

int tool_generate(struct run *run) {
  struct making making = {.kind = NULL};
  struct result *result = &making.result;
  result_init(result, "generate");
  if (run->options.list) {
    ticker_stop(&run->ticker);
    if (run->rank == 0) list_kinds(run);
    return EXIT_DONE;
  }
  hyla_status status = read_making(run, &making);
  if (!status) status = tool_check_output(run, result);
  if (!status) status = make(run, &making);
  result_finish(run, result, status, making.matrix);
  ticker_stop(&run->ticker);
  if (run->rank == 0 && run->options.json)
    json_line(making_json(run, &making));
  else if (run->rank == 0 && !result->status)
    print_making(run, &making);
  if (run->rank == 0 && *result->message) tell(run, "%s", result->message);
  hyla_matrix_destroy(&making.matrix);
  result_free(result);
  return result->exit_code;
}
