/* The cube's machine, a preset or read from a file, and its wisdom.  Rank 0 reads and writes the
 * files, and tells the others. */
#include "cube/link.h"

#include <stdio.h>
#include <string.h>

static hyla_status read_file(struct hy_base *base, const char *path, hyla_machine *machine) {
  struct hy_network network;
  TRY(hy_machine_file_read(base, path, machine));
  if (machine->network != HYLA_NETWORK_OTHER) return HYLA_OK;
  const char *wrong = hy_network_read(&network, machine->links);
  CHECK(base, wrong == NULL, FORMAT, "%s: the network %s: %s", hy_path_shown(path), machine->links,
        wrong);
  return HYLA_OK;
}

hyla_status hy_machine_get(hyla_cube *cube, const char *text, hyla_machine *machine) {
  bool given = text != NULL && text[0] != '\0';
  const hyla_machine *preset = given ? hy_machine_find(text) : hyla_machine_preset(0);
  if (preset != NULL) {
    *machine = *preset;
    return HYLA_OK;
  }
  hyla_machine read = {.name = ""};
  hyla_status mine = HYLA_OK;
  if (cube->address == 0) mine = read_file(&cube->base, text, &read);
  TRY(hy_agree(cube, mine));
  TRY(hy_agree(cube, hy_control_spread(cube, 0, &read, sizeof read)));
  *machine = read;
  return HYLA_OK;
}

hyla_status hyla_cube_machine(const hyla_cube *cube, hyla_machine *machine) {
  if (cube == NULL || machine == NULL) return HYLA_ARGUMENT;
  *machine = cube->session.machine;
  return HYLA_OK;
}

hyla_status hyla_machine_read(hyla_cube *cube, const char *text, hyla_machine *machine) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  bool fits = text != NULL && text[0] != '\0' && machine != NULL;
  hyla_status mine = fits ? HYLA_OK
                          : hy_fail(&cube->base, HYLA_ARGUMENT,
                                    "hyla_machine_read: the text or the place for the machine is "
                                    "missing");
  uint64_t fingerprint = fits ? hy_fingerprint(0, text, strlen(text)) : 0;
  TRY(hy_enter(cube, mine, fingerprint, "hyla_machine_read"));
  return hy_machine_get(cube, text, machine);
}

hyla_status hyla_machine_write(hyla_cube *cube, const hyla_machine *machine, const char *path) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  bool fits = machine != NULL && path != NULL && path[0] != '\0';
  hyla_status mine = fits ? HYLA_OK
                          : hy_fail(&cube->base, HYLA_ARGUMENT,
                                    "hyla_machine_write: the machine or the path is missing");
  uint64_t fingerprint = fits ? hy_fingerprint(0, path, strlen(path)) : 0;
  if (fits) fingerprint = hy_machine_fingerprint(fingerprint, machine);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_machine_write"));
  if (cube->address == 0) mine = hy_machine_file_write(&cube->base, path, machine);
  return hy_agree(cube, mine);
}

/* ---------------------------------------------------------------- wisdom -- */

hyla_status hy_wisdom_open(hyla_cube *cube, const hyla_options *options) {
  bool named = options->wisdom != NULL && options->wisdom[0] != '\0';
  cube->session.measure = options->measure;
  cube->session.wise = named || options->measure;
  if (!cube->session.wise) return HYLA_OK;
  hyla_status mine = HYLA_OK;
  if (cube->address == 0)
    mine = hy_wisdom_create(&cube->base, options->wisdom, options->measure, &cube->session.wisdom);
  return hy_agree(cube, mine);
}

hyla_status hy_recall(hyla_cube *cube, const char *key, char name[HY_NAME_MAX], double *seconds) {
  struct {
    double seconds;
    char name[HY_NAME_MAX];
  } known = {0};
  if (cube->address == 0) {
    const char *found = hy_wisdom_find(cube->session.wisdom, key, &known.seconds);
    if (found != NULL) snprintf(known.name, sizeof known.name, "%s", found);
  }
  TRY(hy_control_spread(cube, 0, &known, sizeof known));
  memcpy(name, known.name, sizeof known.name);
  *seconds = known.seconds;
  return HYLA_OK;
}

hyla_status hy_remember(hyla_cube *cube, const char *key, const char *variant, double seconds) {
  if (cube->address != 0) return HYLA_OK;
  return hy_wisdom_note(&cube->base, cube->session.wisdom, key, variant, seconds);
}
