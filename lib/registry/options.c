/* Checks of options that name variants, and the calls that create cubes.  The calls are here, above
 * the rooms that do their work, because all names are known here. */
#include "cube/link.h"
#include "registry/registry.h"

#include <stdio.h>
#include <string.h>

enum { ITEM_MAX = 2 * HY_NAME_MAX, NAMES_MAX = 64 };

static bool is_collective(const struct hy_family *family) {
  const struct hy_family *other;
  for (int i = 0; (other = hy_collective_family(i)) != NULL; i++)
    if (other == family) return true;
  return false;
}

/* Fails with ARGUMENT; the message has the nearest name and the list of all names. */
static hyla_status refuse(struct hy_base *base, const char *option, const char *what,
                          const char *word, const char *const *names) {
  char list[HY_MESSAGE_MAX / 2] = "";
  struct hy_text text = {.text = list, .capacity = sizeof list};
  const char *nearest = hyla_name_nearest(word, names);
  for (int i = 0; names[i] != NULL; i++) hy_text_add(&text, " %s", names[i]);
  if (nearest != NULL)
    return hy_fail(base, HYLA_ARGUMENT, "the option %s: %s '%s'; did you mean '%s'? There are:%s",
                   option, what, word, nearest, list);
  return hy_fail(base, HYLA_ARGUMENT, "the option %s: %s '%s'; there are:%s", option, what, word,
                 list);
}

static hyla_status refuse_operation(struct hy_base *base, const char *option, const char *word,
                                    bool collectives) {
  const char *names[NAMES_MAX + 1] = {NULL};
  const struct hy_family *family;
  int count = 0;
  for (int i = 0; (family = hy_family_at(i)) != NULL && count < NAMES_MAX; i++)
    if (collectives == is_collective(family)) names[count++] = family->name;
  return refuse(base, option, collectives ? "there is no collective" : "there is no operation",
                word, names);
}

static hyla_status refuse_variant(struct hy_base *base, const char *option,
                                  const struct hy_family *family, const char *word) {
  const char *names[NAMES_MAX + 1] = {NULL};
  char what[2 * HY_NAME_MAX];
  for (int i = 0; family->rows[i] != NULL && i < NAMES_MAX; i++) names[i] = family->rows[i]->name;
  snprintf(what, sizeof what, "%s has no variant", family->name);
  return refuse(base, option, what, word, names);
}

/* Has the family a row of that name?  Or is it a collective with such a row on networks of all
 * ranks, where the name may have the network before it? */
static bool has_variant(const struct hy_family *family, const char *name) {
  if (hy_family_find(family, name) != NULL) return true;
  const char *slash = strrchr(name, '/');
  const struct hy_family *other;
  for (int i = 0; (other = hy_collective_family(i)) != NULL; i++)
    if (other == family) return hy_collective_on_networks(i, slash != NULL ? slash + 1 : name);
  return false;
}

/* Checks one "operation:variant". */
static hyla_status check_item(struct hy_base *base, const char *option, char *item,
                              bool collectives) {
  size_t length = strcspn(item, ":=");
  CHECK(base, item[length] != '\0' && item[length + 1] != '\0', ARGUMENT,
        "the option %s has '%s'; give OPERATION%cVARIANT, and commas between several", option, item,
        collectives ? '=' : ':');
  item[length] = '\0';
  const struct hy_family *family;
  for (int i = 0; (family = hy_family_at(i)) != NULL; i++) {
    if (strcmp(family->name, item) != 0) continue;
    if (collectives && !is_collective(family)) break;
    CHECK(base, collectives || !is_collective(family), ARGUMENT,
          "the option %s: '%s' is a collective; ask for it by the option collective", option, item);
    const char *variant = item + length + 1;
    return has_variant(family, variant) ? HYLA_OK : refuse_variant(base, option, family, variant);
  }
  return refuse_operation(base, option, item, collectives);
}

hyla_status hy_forced_check(struct hy_base *base, const char *option, const char *text,
                            bool collectives) {
  while (text != NULL && *text != '\0') {
    char item[ITEM_MAX];
    int length = (int)strcspn(text, ",");
    snprintf(item, sizeof item, "%.*s", length, text);
    if (length > 0) TRY(check_item(base, option, item, collectives));
    text += length + (text[length] == ',');
  }
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube) {
  TRY(hy_forced_check(&cube->base, "variant", cube->session.forced, false));
  return hy_forced_check(&cube->base, "collective", cube->session.collective, true);
}

hyla_status hyla_cube_create(MPI_Comm comm, const hyla_options *options, hyla_cube **cube) {
  TRY(hy_cube_make(comm, options, 0, hy_array_for_reference, cube));
  /* All ranks have the same texts, and so return the same status. */
  hyla_status status = check(*cube);
  if (status != HYLA_OK) hy_cube_give_up(*cube);
  return status;
}

hyla_status hyla_cube_create_f(const MPI_Fint *comm, const hyla_options *options,
                               hyla_cube **cube) {
  return hyla_cube_create(hy_link_comm(comm), options, cube);
}

struct program {
  hyla_body *body;
  void *arg;
};

static hyla_status run_checked(hyla_cube *cube, void *arg) {
  const struct program *program = arg;
  TRY(check(cube));
  return program->body(cube, program->arg);
}

hyla_status hyla_simulate(const hyla_simulation *model, hyla_body *body, void *arg,
                          hyla_report *report) {
  struct program program = {body, arg};
  return hy_simulate(model, hy_array_for_reference, body == NULL ? NULL : run_checked, &program,
                     report);
}
