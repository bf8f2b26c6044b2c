/* The result of a subcommand: counts, verdict, exit code, message. */
#include "tool.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  size_t size;
  bool complex_type;
} types[] = {
    [HYLA_FLOAT] = {"float", sizeof(float), false},
    [HYLA_DOUBLE] = {"double", sizeof(double), false},
    [HYLA_COMPLEX] = {"complex", 2 * sizeof(float), true},
    [HYLA_DOUBLE_COMPLEX] = {"double complex", 2 * sizeof(double), true},
};

const char *type_name(hyla_type type) { return types[type].name; }
size_t type_size(hyla_type type) { return types[type].size; }
bool type_complex(hyla_type type) { return types[type].complex_type; }

static bool type_double(hyla_type type) {
  return type == HYLA_DOUBLE || type == HYLA_DOUBLE_COMPLEX;
}

hyla_type type_common(hyla_type a, hyla_type b) {
  const bool single = !type_double(a) && !type_double(b);
  if (type_complex(a) || type_complex(b)) return single ? HYLA_COMPLEX : HYLA_DOUBLE_COMPLEX;
  return single ? HYLA_FLOAT : HYLA_DOUBLE;
}

void result_init(struct result *result, const char *op) {
  *result =
      (struct result){.op = op, .m = -1, .n = -1, .k = -1, .nrhs = -1, .repeat = 1, .chosen = -1};
}

void result_free(struct result *result) {
  free(result->reason);
  json_decref(result->plan);
}

void result_plan(struct result *result, const hyla_plan *plan) {
  result->variant = hyla_plan_variant(plan);
  free(result->reason);
  result->reason = tool_explain_plan(plan);
  json_decref(result->plan);
  result->plan = plan_json(plan);
  result->predicted = hyla_plan_cost(plan);
  result->seconds_predicted = hyla_plan_seconds(plan);
}

void result_begin(struct run *run, const struct result *result, const char *phase) {
  stage_begin(run, STAGE_SOLVE);
  ticker_work(run->ticker, phase, run->cube, (double)result->predicted.flops,
              result->seconds_predicted);
}

hyla_status result_refuse(struct result *result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(result->message, sizeof result->message, format, arguments);
  va_end(arguments);
  return HYLA_ARGUMENT;
}

hyla_status result_count(struct run *run, struct result *result) {
  hyla_ledger ledger;
  hyla_status status = hyla_cube_ledger(run->cube, &ledger);
  if (status) return status;
  struct counts *counts = &result->counted;
  int64_t size = (int64_t)type_size(result->type);
  for (int d = 0; d <= ledger.dims; d++) {
    bool far = d == ledger.dims;
    counts->dim_messages[d] = far ? ledger.far_messages : ledger.messages[d];
    counts->dim_words[d] = (far ? ledger.far_bytes : ledger.bytes[d]) / size;
    counts->messages += counts->dim_messages[d];
    counts->words += counts->dim_words[d];
  }
  counts->steps = ledger.steps;
  return hyla_cube_max(run->cube, (int64_t *)counts, (int)(sizeof *counts / sizeof(int64_t)));
}

const char *count_text(int64_t counted, int64_t predicted, char text[48]) {
  if (counted == predicted)
    snprintf(text, 48, "%lld", (long long)counted);
  else
    snprintf(text, 48, "%lld (%lld)", (long long)counted, (long long)predicted);
  return text;
}

/* The exit code for a status. */
static int code_of(hyla_status status) {
  switch (status) {
  case HYLA_OK: return EXIT_DONE;
  case HYLA_SINGULAR:
  case HYLA_INDEFINITE:
  case HYLA_UNRELIABLE:
  case HYLA_NOT_FINITE: return EXIT_NUMERICAL;
  default: return EXIT_USE;
  }
}

/* Makes a message for a status that came without one. */
static void explain_status(struct run *run, struct result *result, hyla_status status) {
  const char *path = run->options.paths[0];
  if (status == HYLA_SINGULAR && result->pivot > 0)
    result_refuse(result, "%s is singular: pivot %lld is zero", path, (long long)result->pivot);
  else if (status == HYLA_INDEFINITE)
    result_refuse(result,
                  "%s is not positive definite: its leading block of order %lld is not; take "
                  "--method lu",
                  path, (long long)result->pivot);
  else if (status == HYLA_NOT_FINITE && result->pivot > 0)
    result_refuse(result, "%s: pivot %lld is NaN or infinite", path, (long long)result->pivot);
  else {
    const char *text = hyla_cube_message(run->cube);
    result_refuse(result, "%s", *text ? text : hyla_status_text(status));
  }
}

/* Is there an answer that --force may write although it cannot be trusted? */
static bool has_answer(const struct run *run, const struct result *result) {
  return result->has_report || run->options.quick;
}

/* Is the answer good?  If not, the message says why. */
static bool judge(const struct run *run, struct result *result) {
  const char *end = "";
  if (run->options.output)
    end = !has_answer(run, result) ? " and is not written"
          : run->options.force     ? "; X is written, as --force asks"
                                   : "; X is not written (--force writes it)";
  if (isnan(result->residual)) {
    result->status = HYLA_NOT_FINITE;
    result_refuse(result,
                  "the residual is not a number, because the input has NaN or infinite entries "
                  "or the answer is beyond the largest number: the answer is wrong%s",
                  end);
  } else if (!(result->residual <= RESIDUAL_LIMIT)) {
    result_refuse(result, "the residual is %.3g, above %g: the answer is wrong%s", result->residual,
                  RESIDUAL_LIMIT, end);
  } else if (result->has_report && !result->report.reliable) {
    result->status = HYLA_UNRELIABLE;
    result_refuse(result, "%s%s", hyla_cube_message(run->cube), end);
  } else {
    return true;
  }
  result->exit_code = EXIT_NUMERICAL;
  return false;
}

void result_finish(struct run *run, struct result *result, hyla_status status,
                   const hyla_matrix *answer) {
  result->status = status;
  result->exit_code = code_of(status);
  bool good = status == HYLA_OK && judge(run, result);
  bool forced = status == HYLA_OK && has_answer(run, result) && run->options.force;
  bool wanted = good || forced;
  if (wanted && run->options.output) {
    ticker_phase(run->ticker, "writing");
    stage_begin(run, STAGE_WRITE);
    standard_swap(run);
    status = result->vector ? hyla_vector_write(run->cube, answer, run->options.output)
                            : hyla_matrix_write(run->cube, answer, run->options.output);
    standard_swap(run);
    if (status == HYLA_OK) result->written = run->options.output;
    if (good || status != HYLA_OK) {
      result->status = status;
      result->exit_code = code_of(status);
      *result->message = 0;
    }
  }
  if (status != HYLA_OK && !*result->message) explain_status(run, result, status);
  stage_begin(run, run->stages.now); /* counts the time up to here */
}
