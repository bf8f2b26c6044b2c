/* Prints a result as one JSON object on one line. */
#include "operation.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_line(json_t *json) {
  char *line = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
  if (line)
    puts(line);
  else
    fprintf(stderr, "hyla: a text of the result is not UTF-8, so it cannot be JSON\n");
  free(line);
  json_decref(json);
}

static void set_text(json_t *json, const char *key, const char *value) {
  if (value && *value) json_object_set_new(json, key, json_string(value));
}

static void set_count(json_t *json, const char *key, int64_t value) {
  if (value >= 0) json_object_set_new(json, key, json_integer(value));
}

json_t *number_json(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static void set_real(json_t *json, const char *key, double value) {
  json_object_set_new(json, key, number_json(value));
}

static void set_cube(json_t *json, const struct run *run) {
  char *description = tool_describe(run->cube);
  char threads[32];
  set_count(json, "ranks", run->ranks);
  char array[32];
  tool_array(run->cube, array);
  set_count(json, "nodes", hyla_cube_nodes(run->cube));
  set_text(json, "array", array);
  set_count(json, "dims", hyla_cube_dims(run->cube));
  tool_lookup(description, "threads", threads, sizeof threads);
  if (*threads) set_count(json, "threads", strtol(threads, NULL, 10));
  free(description);
  hyla_machine machine;
  if (hyla_cube_machine(run->cube, &machine) == HYLA_OK) set_text(json, "machine", machine.name);
}

static void set_layout(json_t *json, const hyla_layout *layout) {
  char text[HYLA_LAYOUT_TEXT];
  hyla_layout_format(layout, text, sizeof text);
  set_text(json, "layout", text);
  if (layout->row.storage == HYLA_CYCLIC)
    set_count(json, "block", layout->row.block > 0 ? layout->row.block : 1);
}

static void set_costs(json_t *json, const struct result *result) {
  set_count(json, "steps_predicted", result->predicted.steps);
  set_count(json, "steps_counted", result->counted.steps);
  set_count(json, "messages_predicted", result->predicted.messages);
  set_count(json, "messages_counted", result->counted.messages);
  set_count(json, "words_predicted", result->predicted.words);
  set_count(json, "words_counted", result->counted.words);
  set_count(json, "memory_bytes", result->predicted.memory);
}

json_t *times_json(const double *seconds, int count) {
  json_t *json = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(json, json_real(seconds[i]));
  return json;
}

static void set_times(json_t *json, const struct result *result) {
  bool once = result->repeat == 1;
  set_count(json, "repeat", result->repeat);
  set_real(json, "seconds_median", result->seconds);
  set_real(json, "seconds_min", once ? result->seconds : result->seconds_least);
  set_real(json, "seconds_max", once ? result->seconds : result->seconds_most);
  if (result->each)
    json_object_set_new(json, "seconds", times_json(result->each, result->repeat));
  else if (isfinite(result->seconds))
    set_real(json, "seconds", result->seconds);
  if (result->seconds_read >= 0) set_real(json, "seconds_read", result->seconds_read);
  set_real(json, "seconds_predicted", result->seconds_predicted);
  double gflops = result->seconds > 0 ? 1e-9 * result->flops / result->seconds : NAN;
  double bytes = (double)result->m * (double)result->n * (double)type_size(result->type);
  if (result->flops > 0)
    set_real(json, "gflops", gflops);
  else
    set_real(json, "gbytes_per_s", result->seconds > 0 ? 1e-9 * bytes / result->seconds : NAN);
  if (result->limit > 0) {
    set_real(json, "gflops_limit", result->limit);
    set_real(json, "fraction", gflops / result->limit);
    set_real(json, "fraction_best", result->fraction_best);
  }
  if (result->copy > 0) {
    set_real(json, "seconds_copy", result->copy);
    set_real(json, "ratio", result->seconds / result->copy);
    set_real(json, "ratio_best", result->ratio_best);
  }
}

void json_set_shape(json_t *json, const struct operation *operation,
                    const struct options *options) {
  if (operation->takes & OPTION_BIT(KEY_TRIANGLE))
    set_text(json, "triangle", options->triangle == HYLA_LOWER ? "lower" : "upper");
  if (operation->takes & OPTION_BIT(KEY_SIDE))
    set_text(json, "side", options->side == HYLA_LEFT ? "left" : "right");
  if (operation->takes & OPTION_BIT(KEY_TRANSPOSE))
    json_object_set_new(json, "transpose", json_boolean(options->op != HYLA_NONE));
  if (operation->takes & OPTION_BIT(KEY_DIAGONAL))
    set_text(json, "diagonal", options->diagonal == HYLA_UNIT_DIAGONAL ? "unit" : "non-unit");
  if (operation->takes & (OPTION_BIT(KEY_CONJUGATE) | OPTION_BIT(KEY_OP)))
    json_object_set_new(json, "conjugate",
                        json_boolean(options->conjugate || options->op == HYLA_CONJUGATE));
  if (operation->takes & OPTION_BIT(KEY_PENCIL) && options->pencil)
    set_count(json, "pencil", options->pencil);
  if (operation->takes & OPTION_BIT(KEY_NO_VECTORS))
    json_object_set_new(json, "vectors", json_boolean(!options->no_vectors));
  if (operation->takes & OPTION_BIT(KEY_BY)) set_text(json, "by", turn_name(options->by));
}

static void set_report(json_t *json, const hyla_solve_report *report) {
  set_real(json, "rcond", report->rcond);
  set_real(json, "growth", report->growth);
  set_real(json, "backward_error", report->backward_error);
  set_real(json, "componentwise_error", report->componentwise_error);
  set_real(json, "forward_bound", report->forward_bound);
  set_count(json, "refinements", report->refinements);
  set_text(json, "fallback", report->fallback);
  json_object_set_new(json, "equilibrated", json_boolean(report->equilibrated));
  json_object_set_new(json, "reliable", json_boolean(report->reliable));
}

static void set_spectrum(json_t *json, const struct result *result) {
  const struct spectrum_shown *s = &result->spectrum;
  json_t *values = json_array();
  for (int64_t i = 0; i < s->found.count; i++)
    json_array_append_new(values, number_json(s->values[i]));
  json_object_set_new(json, "values", values);
  if (s->singular) {
    set_count(json, "sweeps", s->certain.sweeps);
    set_real(json, "absolute", s->certain.absolute);
    set_real(json, "relative", s->certain.relative);
  } else {
    set_text(json, "method", result->variant ? result->variant : "tridiagonal");
    set_count(json, "first", s->found.first);
    set_real(json, "smallest_gap", s->found.smallest_gap);
    set_real(json, "deflated", s->found.deflated);
    if (s->vectors)
      json_object_set_new(json, "orthogonalized", json_boolean(s->found.orthogonalized));
  }
  const double *within = s->counts.within;
  if (s->counted) json_object_set_new(json, "within", json_pack("[ff]", within[0], within[1]));
  if (s->vectors) set_real(json, "orthogonality", s->orthogonality);
  json_object_set_new(json, "reliable", s->unchecked ? json_null() : json_boolean(s->reliable));
}

static void set_squares(json_t *json, const hyla_lstsq_report *report) {
  set_text(json, "pivoting", report->pivoting);
  set_count(json, "rank", report->rank);
  set_real(json, "tolerance", report->tolerance);
  set_real(json, "rcond", report->rcond);
  set_real(json, "bound", report->bound);
  set_count(json, "changes", report->changes);
  set_real(json, "relative_residual", report->residual);
  set_real(json, "backward_error", report->backward_error);
  set_count(json, "refinements", report->refinements);
  set_real(json, "correction", report->correction);
}

static void set_lowrank(json_t *json, const hyla_lowrank_report *report) {
  set_count(json, "rank", report->rank);
  set_real(json, "error", report->error);
  set_real(json, "bound", report->bound);
}

json_t *result_json(const struct run *run, const struct result *result) {
  json_t *json = json_object();
  set_text(json, "op", result->op);
  set_text(json, "status", hyla_status_name(result->status));
  set_count(json, "exit", result->exit_code);
  set_text(json, "message", result->message);
  set_text(json, "method", result->method);
  set_text(json, "method_reason", result->why);
  set_text(json, "variant", result->variant);
  if (result->chosen >= 0) json_object_set_new(json, "chosen", json_boolean(result->chosen));
  set_cube(json, run);
  if (result->n >= 0) {
    set_text(json, "type", type_name(result->type));
    set_count(json, "m", result->m);
    set_count(json, "n", result->n);
    set_count(json, "k", result->k);
    set_count(json, "nrhs", result->nrhs);
    if (result->product) set_text(json, "product", result->product);
    const struct operation *operation =
        operation_find(result->product ? result->product : result->op);
    if (operation) json_set_shape(json, operation, &run->options);
  }
  if (result->reason) set_layout(json, &result->layout);
  set_text(json, "layout_from", result->layout_from);
  if (result->pivot > 0) set_count(json, "pivot", result->pivot);
  if (result->finished) {
    set_times(json, result);
    set_costs(json, result);
    if ((!result->spectrum.values || result->spectrum.vectors) && !result->lowrank.made)
      set_real(json, "residual", result->residual);
    if (result->spectrum.values) set_spectrum(json, result);
    if (result->squares.made) set_squares(json, &result->squares.report);
    if (result->lowrank.made) set_lowrank(json, &result->lowrank.report);
    set_text(json, "check", result->check);
    if (result->has_error) set_real(json, "forward_error", result->error);
    if (result->has_report) set_report(json, &result->report);
    if (result->has_condition) set_real(json, "condition", result->condition);
  }
  set_text(json, "reason", result->reason);
  if (result->plan) json_object_set(json, "plan", result->plan);
  set_text(json, "written", result->written);
  return json;
}
