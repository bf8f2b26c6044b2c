/* The option `collective`, and the calls that make cubes: these stand here, above the
 * rooms that do it, because here it is known which names the option may have. */
#include "collective/variant.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

enum { ITEM_MAX = 2 * HY_NAME_MAX };

static hyla_status refuse_operation(struct hy_base *base, const char *name) {
  char names[HY_MESSAGE_MAX] = "";
  struct hy_text text = {.text = names, .capacity = sizeof names};
  for (int i = 0; hy_collective_family(i) != NULL; i++)
    hy_text_add(&text, " %s", hy_collective_family(i)->name);
  return hy_fail(base, HYLA_ARGUMENT, "there is no collective '%s'; there are:%s", name, names);
}

static hyla_status refuse_variant(struct hy_base *base, const struct hy_family *family,
                                  const char *name) {
  char names[HY_MESSAGE_MAX] = "";
  struct hy_text text = {.text = names, .capacity = sizeof names};
  for (int i = 0; family->rows[i] != NULL; i++) hy_text_add(&text, " %s", family->rows[i]->name);
  return hy_fail(base, HYLA_ARGUMENT, "%s has no variant '%s'; there are:%s", family->name, name,
                 names);
}

/* One "operation=variant". */
static hyla_status check_item(struct hy_base *base, char *item) {
  char *equals = strchr(item, '=');
  CHECK(base, equals != NULL, ARGUMENT,
        "the option collective has '%s'; give OPERATION=VARIANT, and commas between several", item);
  *equals = '\0';
  for (int i = 0; hy_collective_family(i) != NULL; i++) {
    const struct hy_family *family = hy_collective_family(i);
    if (strcmp(family->name, item) != 0) continue;
    return hy_family_find(family, equals + 1) != NULL ? HYLA_OK
                                                      : refuse_variant(base, family, equals + 1);
  }
  return refuse_operation(base, item);
}

hyla_status hy_collective_check(struct hy_base *base, const char *text) {
  while (text != NULL && *text != '\0') {
    char item[ITEM_MAX];
    int length = (int)strcspn(text, ",");
    snprintf(item, sizeof item, "%.*s", length, text);
    TRY(check_item(base, item));
    text += length + (text[length] == ',');
  }
  return HYLA_OK;
}

hyla_status hyla_cube_create(MPI_Comm comm, const hyla_options *options, hyla_cube **cube) {
  TRY(hy_cube_make(comm, options, 0, cube));
  /* All ranks have the same text, and so the same verdict. */
  hyla_status status = hy_collective_check(&(*cube)->base, (*cube)->collective);
  if (status != HYLA_OK) hy_cube_give_up(*cube);
  return status;
}

struct program {
  hyla_body *body;
  void *arg;
};

static hyla_status run_checked(hyla_cube *cube, void *arg) {
  const struct program *program = arg;
  TRY(hy_collective_check(&cube->base, cube->collective));
  return program->body(cube, program->arg);
}

hyla_status hyla_simulate(const hyla_simulation *model, hyla_body *body, void *arg,
                          hyla_report *report) {
  struct program program = {body, arg};
  return hy_simulate(model, body == NULL ? NULL : run_checked, &program, report);
}
