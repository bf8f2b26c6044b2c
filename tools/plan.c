/* A plan as JSON: every candidate variant, and the plans that it runs as steps. */
#include "tool.h"

static json_t *cost_json(const hyla_cost *cost) {
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "steps",
                   (json_int_t)cost->steps, "messages", (json_int_t)cost->messages, "words",
                   (json_int_t)cost->words, "words_in_place", (json_int_t)cost->lent, "copied",
                   (json_int_t)cost->copied, "flops", (json_int_t)cost->flops, "touched",
                   (json_int_t)cost->touched, "streamed", (json_int_t)cost->streamed, "scattered",
                   (json_int_t)cost->scattered, "read", (json_int_t)cost->read, "memory",
                   (json_int_t)cost->memory);
}

static json_t *variant_json(const hyla_candidate *v) {
  json_t *json = json_pack("{s:s, s:b, s:b, s:b, s:s}", "name", v->name, "applies", v->applies,
                           "priced", v->priced, "chosen", v->chosen, "reason", v->reason);
  if (v->priced) {
    json_object_set_new(json, "seconds", number_json(v->seconds));
    json_object_set_new(json, "rehearsed", json_boolean(v->rehearsed));
    json_object_set_new(json, "cost", cost_json(&v->cost));
  }
  if (v->measured > 0) json_object_set_new(json, "seconds_measured", json_real(v->measured));
  return json;
}

json_t *plan_json(const hyla_plan *plan) {
  json_t *json = json_pack("{s:s, s:s}", "operation", hyla_plan_operation(plan), "variant",
                           hyla_plan_variant(plan));
  json_t *variants = json_array(), *plans = json_array();
  hyla_candidate variant;
  for (int i = 0; hyla_plan_candidate(plan, i, &variant); i++)
    json_array_append_new(variants, variant_json(&variant));
  const hyla_plan *child = NULL;
  const char *what = "";
  for (int i = 0; (child = hyla_plan_child(plan, i, &what)); i++) {
    json_t *inner = plan_json(child);
    json_object_set_new(inner, "what", json_string(what));
    json_array_append_new(plans, inner);
  }
  json_object_set_new(json, "variants", variants);
  json_object_set_new(json, "plans", plans);
  return json;
}
