/* Speed of redistributions, beside that of memory.
 *
 *   mpiexec -n P benchmarks/bench_redistribute [--size N|MxNxK] [--type s|d|c|z]
 *     [--op n|t|c] [--from L] [--to L] [--variant NAME] [--repeat R]
 *
 * Of --size the first two numbers count.  Without --from and --to: the usual
 * moves one after the other, a transposition in the default layout, blocks of 64
 * into blocks of 32 on all arrays, cyclic from and to consecutive storage.
 *
 * The measure is a copy of each rank's part of the matrix from one place to
 * another by all ranks at the same time; it and the moves take turns, so all see
 * the same machine.  Plans are made before.  Times are the slowest rank's;
 * medians count.  One JSON object a move goes to standard output, with the keys
 * of `hyla bench` and
 *   seconds_copy  of the measure       ratio  seconds_median / seconds_copy */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOVES_MAX = 8 };

struct move {
  hyla_operation op;
  char from_name[64], to_name[64];
  hyla_matrix *from, *to;
  hyla_plan *plan;
  struct bench_times times;
  hyla_ledger ledger;
};

struct run {
  int64_t rows, cols;
  hyla_type type;
  hyla_operation op;
  const char *from, *to; /* NULL: the usual moves */
  const char *variant;   /* NULL: chosen */
  int repeat;
  hyla_cube *cube;
  int count;
  struct move move[MOVES_MAX];
  char *copy_from, *copy_to;
  size_t copy_bytes;
  struct bench_times copy;
};

static bool read_operation(const char *text, hyla_operation *op) {
  static const char names[] = "ntc";
  const char *place = strlen(text) == 1 ? strchr(names, text[0]) : NULL;
  if (place == NULL) return false;
  *op = (hyla_operation)(place - names);
  return true;
}

static bool read_arguments(int count, char **arguments, struct run *run) {
  int64_t ignored;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return false;
    const char *name = arguments[i], *value = arguments[i + 1];
    if (strcmp(name, "--size") == 0) {
      if (!bench_read_size(value, &run->rows, &run->cols, &ignored)) return false;
    } else if (strcmp(name, "--type") == 0) {
      if (!bench_read_type(value, &run->type)) return false;
    } else if (strcmp(name, "--op") == 0) {
      if (!read_operation(value, &run->op)) return false;
    } else if (strcmp(name, "--from") == 0) {
      run->from = value;
    } else if (strcmp(name, "--to") == 0) {
      run->to = value;
    } else if (strcmp(name, "--variant") == 0) {
      run->variant = strcmp(value, "auto") == 0 ? NULL : value;
    } else if (strcmp(name, "--repeat") == 0) {
      run->repeat = atoi(value);
      if (run->repeat < 1 || run->repeat > BENCH_REPEAT_MAX) return false;
    } else {
      return false;
    }
  }
  return (run->from == NULL) == (run->to == NULL);
}

static void add_move(struct run *run, hyla_operation op, const char *from, const char *to) {
  struct move *move = &run->move[run->count++];
  move->op = op;
  snprintf(move->from_name, sizeof move->from_name, "%s", from);
  snprintf(move->to_name, sizeof move->to_name, "%s", to);
}

static void list_moves(struct run *run) {
  static const char block64[] = "binary/cyclic:64", block32[] = "binary/cyclic:32";
  if (run->from != NULL) {
    add_move(run, run->op, run->from, run->to);
    return;
  }
  add_move(run, HYLA_TRANSPOSE, block64, block64);
  int nodes = hyla_cube_nodes(run->cube);
  for (int rows = 1; rows <= nodes && run->count < MOVES_MAX - 2; rows *= 2) {
    char from[64], to[64];
    snprintf(from, sizeof from, "%s@%dx%d", block64, rows, nodes / rows);
    snprintf(to, sizeof to, "%s@%dx%d", block32, rows, nodes / rows);
    add_move(run, HYLA_NONE, from, to);
  }
  add_move(run, HYLA_NONE, "binary/cyclic", "binary/consecutive");
  add_move(run, HYLA_NONE, "gray/consecutive", "binary/cyclic");
}

static hyla_status prepare_move(struct run *run, struct move *move) {
  hyla_layout from, to;
  hyla_cube *cube = run->cube;
  bool turned = move->op != HYLA_NONE;
  int64_t rows = turned ? run->cols : run->rows, cols = turned ? run->rows : run->cols;
  hyla_status status = hyla_layout_parse(cube, move->from_name, &from);
  if (status == HYLA_OK) status = hyla_layout_parse(cube, move->to_name, &to);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, run->type, run->rows, run->cols, &from, &move->from);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, run->type, rows, cols, &to, &move->to);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, move->from, HYLA_RANDOM, 1);
  const hyla_transfer transfer = {move->op, 1, move->from, move->to};
  if (status == HYLA_OK)
    status = hyla_redistribute_plan(cube, 1, &transfer, run->variant, &move->plan);
  return status;
}

static hyla_status prepare(struct run *run) {
  static const size_t bytes[] = {4, 8, 8, 16};
  list_moves(run);
  hyla_status status = HYLA_OK;
  for (int i = 0; i < run->count && status == HYLA_OK; i++)
    status = prepare_move(run, &run->move[i]);
  if (status != HYLA_OK) return status;
  if (hyla_cube_address(run->cube) >= 0)
    run->copy_bytes =
        (size_t)(run->rows * run->cols) * bytes[run->type] / (size_t)hyla_cube_nodes(run->cube);
  run->copy_from = malloc(run->copy_bytes + 1);
  run->copy_to = malloc(run->copy_bytes + 1);
  int64_t failed = run->copy_from == NULL || run->copy_to == NULL;
  status = hyla_cube_max(run->cube, &failed, 1);
  if (status != HYLA_OK || failed) return status == HYLA_OK ? HYLA_MEMORY : status;
  memset(run->copy_from, 1, run->copy_bytes);
  memset(run->copy_to, 2, run->copy_bytes);
  return HYLA_OK;
}

static hyla_status copy_once(struct run *run) {
  hyla_status status = hyla_cube_barrier(run->cube);
  double start = MPI_Wtime();
  memcpy(run->copy_to, run->copy_from, run->copy_bytes);
  double seconds = MPI_Wtime() - start;
  return status == HYLA_OK ? bench_add(run->cube, &run->copy, seconds) : status;
}

static hyla_status move_once(struct run *run, struct move *move) {
  hyla_status status = hyla_cube_barrier(run->cube);
  if (status != HYLA_OK) return status;
  hyla_cube_ledger_clear(run->cube);
  double start = MPI_Wtime();
  status = hyla_plan_run(run->cube, move->plan);
  double seconds = MPI_Wtime() - start;
  hyla_cube_ledger(run->cube, &move->ledger);
  return status == HYLA_OK ? bench_add(run->cube, &move->times, seconds) : status;
}

/* The first round warms up and does not count. */
static hyla_status measure(struct run *run) {
  hyla_status status = HYLA_OK;
  for (int round = 0; round <= run->repeat && status == HYLA_OK; round++) {
    if (round == 1) run->copy.count = 0;
    status = copy_once(run);
    for (int i = 0; i < run->count && status == HYLA_OK; i++) {
      if (round == 1) run->move[i].times.count = 0;
      status = move_once(run, &run->move[i]);
    }
  }
  return status;
}

static hyla_status report(struct run *run, const struct move *move) {
  const hyla_ledger *ledger = &move->ledger;
  int64_t counted[3] = {ledger->steps, ledger->far_messages, ledger->far_bytes};
  for (int i = 0; i < ledger->dims; i++) {
    counted[1] += ledger->messages[i];
    counted[2] += ledger->bytes[i];
  }
  hyla_status status = hyla_cube_max(run->cube, counted, 3);
  if (status != HYLA_OK || hyla_cube_address(run->cube) != 0) return status;
  static const int64_t bytes[] = {4, 8, 8, 16};
  hyla_cost cost = hyla_plan_cost(move->plan);
  double median = bench_median(&move->times), copy = bench_median(&run->copy);
  double moved = 2 * (double)run->rows * (double)run->cols * (double)bytes[run->type];
  printf("{\"op\": \"%s\", \"variant\": \"%s\", \"type\": \"%c\", \"m\": %lld, \"n\": %lld, "
         "\"ranks\": %d, \"layout\": \"%s\", \"layout_to\": \"%s\", \"repeat\": %d, "
         "\"seconds_median\": %.4g, \"seconds_min\": %.4g, \"seconds_max\": %.4g, "
         "\"gbytes_per_s\": %.3g, \"seconds_copy\": %.4g, \"ratio\": %.3g, \"ratio_best\": %.3g, ",
         move->op == HYLA_NONE ? "convert" : "transpose", hyla_plan_variant(move->plan),
         "sdcz"[(int)run->type], (long long)run -> rows, (long long)run -> cols,
         hyla_cube_nodes(run->cube) + hyla_cube_guests(run->cube), move -> from_name,
         move -> to_name, move -> times.count, median, bench_min(&move->times),
         bench_max(&move->times), moved / median * 1e-9, copy, median / copy,
         bench_min(&move->times) / bench_min(&run->copy));
  printf("\"steps_predicted\": %lld, \"steps_counted\": %lld, \"messages_predicted\": %lld, "
         "\"messages_counted\": %lld, \"words_predicted\": %lld, \"words_counted\": %lld, "
         "\"memory_bytes\": %lld}\n",
         (long long)cost.steps, (long long)counted[0], (long long)cost.messages,
         (long long)counted[1], (long long)cost.words, (long long)(counted[2] / bytes[run->type]),
         (long long)cost.memory);
  return HYLA_OK;
}

static int go(struct run *run) {
  hyla_status status = hyla_cube_create(MPI_COMM_WORLD, NULL, &run->cube);
  if (status == HYLA_OK) status = prepare(run);
  if (status == HYLA_OK) status = measure(run);
  for (int i = 0; i < run->count && status == HYLA_OK; i++) status = report(run, &run->move[i]);
  int code = bench_exit(run->cube, status);
  for (int i = 0; i < run->count; i++) {
    hyla_plan_destroy(&run->move[i].plan);
    hyla_matrix_destroy(&run->move[i].from);
    hyla_matrix_destroy(&run->move[i].to);
  }
  free(run->copy_from);
  free(run->copy_to);
  hyla_cube_destroy(&run->cube);
  return code;
}

int main(int count, char **arguments) {
  struct run run = {.rows = 4000, .cols = 4000, .type = HYLA_DOUBLE, .op = HYLA_NONE, .repeat = 5};
  int code = 2;
  MPI_Init(&count, &arguments);
  if (read_arguments(count, arguments, &run))
    code = go(&run);
  else
    fprintf(stderr, "usage: bench_redistribute [--size N] [--type s|d|c|z] [--op n|t|c] "
                    "[--from L --to L] [--variant NAME] [--repeat R]\n");
  MPI_Finalize();
  return code;
}
