/* Where and when a record was made, with the names of Google Benchmark's context where it has
 * them. */
#include "tool.h"
#include "tools/commit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* it begins with the compiler's name */
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The local time with its zone, "2026-11-24T22:47:00+01:00". */
static json_t *date_json(void) {
  char digits[32] = "", date[40];
  const time_t now = time(NULL);
  struct tm local;
  if (!localtime_r(&now, &local) || !strftime(digits, sizeof digits, "%Y-%m-%dT%H:%M:%S%z", &local))
    return json_null();
  enum { ZONE_HOURS = 22 }; /* behind them ISO 8601 wants a colon */
  snprintf(date, sizeof date, "%.*s:%s", ZONE_HOURS, digits, digits + ZONE_HOURS);
  return json_string(date);
}

static json_t *load_json(void) {
  enum { AVERAGES = 3 };
  double load[AVERAGES];
  json_t *json = json_array();
  int count = getloadavg(load, AVERAGES);
  for (int i = 0; i < count; i++) json_array_append_new(json, json_real(load[i]));
  return json;
}

json_t *context_json(const struct run *run) {
  char *description = tool_describe(run->cube);
  char host[256] = "", value[256];
  (void)gethostname(host, sizeof host - 1);
  json_t *json = json_pack("{s:o, s:s, s:s, s:I, s:o, s:s, s:s, s:s, s:i}", "date", date_json(),
                           "host_name", host, "executable", run->name, "num_cpus",
                           (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "load_avg", load_json(),
                           "library_version", hyla_version(), "library_commit", HY_COMMIT,
                           "compiler", COMPILER, "ranks", run->ranks);
  static const char *const texts[] = {"mpi", "blas"}, *const numbers[] = {"cores", "threads"};
  for (int i = 0; i < 2; i++)
    json_object_set_new(json, texts[i],
                        json_string(tool_lookup(description, texts[i], value, sizeof value)));
  for (int i = 0; i < 2; i++) /* the line of cores continues with words */
    json_object_set_new(
        json, numbers[i],
        json_integer(strtol(tool_lookup(description, numbers[i], value, sizeof value), NULL, 10)));
  free(description);
  return json;
}
