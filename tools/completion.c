/* hyla completion bash|zsh: prints the script with which a shell completes hyla's command lines;
 * the tables of options give its words. */
#include "network.h"
#include "operation.h"
#include "options.h"
#include "script.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- the words that may follow ---- */

/* "left|right" is a list of words; "FILE" names a kind of argument. */
static bool is_list(const char *argument) {
  return strchr(argument, '|') && islower((unsigned char)*argument);
}

static void print_list(const char *argument) {
  for (const char *c = argument; *c; c++) putchar(*c == '|' ? ' ' : *c);
}

/* Does a subcommand take variants of this operation? */
static bool concerns(const struct subcommand *s, const char *operation) {
  bool method = method_find(operation) >= 0;
  if (s->work == tool_multiply) return strcmp(operation, "gemm") == 0;
  if (s->work == tool_trsm) return strcmp(operation, "trsm") == 0;
  if (s->work == tool_solve) return method || strcmp(operation, "trsm") == 0;
  if (s->work == tool_factor || s->work == tool_invert) return method;
  if (s->work == tool_lstsq || s->work == tool_lowrank) return strcmp(operation, "qr") == 0;
  if (s->work == tool_eig) return strncmp(operation, "eigen", 5) == 0;
  if (s->work == tool_svd) return strcmp(operation, "svd") == 0;
  if (s->work == tool_convert || s->work == tool_transpose || s->work == tool_turn)
    return strcmp(operation, "redistribute") == 0;
  return true;
}

static void print_variants(const struct subcommand *s) {
  printf(s->work == tool_bench || s->work == tool_simulate ? "auto all" : "auto");
  const char *operation = NULL, *name = NULL;
  for (int o = 0; (operation = hyla_variant_operation(o)); o++)
    for (int i = 0; concerns(s, operation) && (name = hyla_variant_name(operation, i)); i++)
      printf(" %s", name);
  const bool networks =
      s->work == tool_bench || s->work == tool_simulate || s->work == tool_explain;
  hyla_network_variant row;
  for (int o = 0; networks && (operation = hyla_variant_operation(o)); o++)
    for (int i = 0; network_variant("ring:3", operation, i, &row); i++) printf(" %s", row.variant);
}

/* Prints the words that an option takes; nothing if its argument is not a list. */
static void print_values(const struct subcommand *s, const struct argp_option *option) {
  const hyla_method_traits *method = NULL;
  const hyla_machine *machine = NULL;
  const char *kind = NULL;
  if (!option->arg) return;
  if (is_list(option->arg)) print_list(option->arg);
  if (option->key == KEY_AS) print_list(OPERATION_PRODUCTS);
  if (option->key == KEY_BY) print_list("left|right|half");
  if (option->key == KEY_VARIANT) print_variants(s);
  if (option->key == KEY_METHOD)
    for (int i = 0; (method = hyla_method_at(i)); i++) printf("%s ", method->name);
  if (option->key == KEY_METHOD && s->work == tool_solve) printf("triangular");
  if (option->key == KEY_MACHINE)
    for (int i = 0; (machine = hyla_machine_preset(i)); i++) printf("%s ", machine->name);
  for (int i = 0; option->key == KEY_SCHEME && hyla_traffic_scheme(i, NULL); i++)
    printf("%s ", hyla_traffic_scheme(i, NULL));
  if (option->key == KEY_EMBED)
    for (int i = 0; (kind = hyla_embedding_name(i)); i++) printf("%s ", kind);
  if (option->key == KEY_EMBED) printf("mesh graph blocks");
}

static bool takes_file(const struct argp_option *option) {
  return option->arg && strstr(option->arg, "FILE");
}

/* Prints the words of the first argument: operations or kinds; nothing if it is a file. */
static bool print_arguments(const struct grammar *grammar) {
  if (strcmp(grammar->usage, "KIND") == 0)
    for (int i = 0; hyla_kind_at(i); i++) printf("%s ", hyla_kind_at(i)->name);
  else if (strchr(grammar->usage, '|'))
    for (int i = 0; operation_word(grammar->usage, i); i++)
      printf("%s ", operation_word(grammar->usage, i));
  else
    return false;
  return true;
}

static void print_subcommands(void) {
  for (int i = 0; subcommand_at(i); i++) printf("%s ", subcommand_at(i)->name);
  for (int i = 0; script_name(i); i++) printf("%s ", script_name(i));
  printf("help --help --version");
}

/* Calls `show' for each option of a subcommand, including those that all subcommands have. */
typedef void show_option(const struct subcommand *s, const struct argp_option *option);
static void each_option(const struct subcommand *s, show_option *show) {
  const struct argp_option *option = NULL;
  for (int i = 0; (option = option_at(s->grammar, i)); i++)
    if (option->name) show(s, option);
  for (int i = 0; options_of_all[i].name; i++) show(s, &options_of_all[i]);
}

/* ---- bash ---- */

static void show_name(const struct subcommand *s, const struct argp_option *option) {
  (void)s;
  printf("--%s ", option->name);
}

static void show_bash_case(const struct subcommand *s, const struct argp_option *option) {
  if (!option->arg) return;
  printf("        --%s%s) words='", option->name, option->key == 'o' ? "|-o" : "");
  print_values(s, option);
  printf("' files=%s ;;\n", takes_file(option) ? "yes" : "no");
}

static void print_bash(void) {
  printf("# Completion of hyla's command lines in bash; made by `hyla completion bash'.\n"
         "_hyla() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local words= options= files=yes\n"
         "  [[ $word == = ]] && word=\n"
         "  [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  [[ ${COMP_WORDS[COMP_CWORD]} == = ]] && before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  if ((COMP_CWORD == 1)); then\n    words='");
  print_subcommands();
  printf("' files=no\n  else\n    case ${COMP_WORDS[1]} in\n");
  for (int i = 0; subcommand_at(i); i++) {
    const struct subcommand *s = subcommand_at(i);
    printf("    %s)\n      options='", s->name);
    each_option(s, show_name);
    printf("'\n      case $before in\n");
    each_option(s, show_bash_case);
    printf("        *) words='");
    bool words = print_arguments(s->grammar);
    printf("' files=%s ;;\n      esac ;;\n", words ? "no" : "yes");
  }
  printf("    help) words='files environment ranks variants ");
  print_subcommands();
  printf("' files=no ;;\n    esac\n  fi\n"
         "  [[ $word == -* && $COMP_CWORD -gt 1 ]] && words=$options files=no\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  if [[ $files == yes && ${#COMPREPLY[@]} -eq 0 ]]; then\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n"
         "}\ncomplete -o filenames -F _hyla hyla\n");
}

/* ---- zsh ---- */

/* Prints '--side=[text]:left|right:(left right)'; the text ends before characters that zsh uses. */
static void show_zsh(const struct subcommand *s, const struct argp_option *option) {
  printf("      '--%s%s[%.*s]", option->name, option->arg ? "=" : "",
         (int)strcspn(option->doc, "[]:'\\;(,`"), option->doc);
  if (option->arg && takes_file(option) && !is_list(option->arg) && option->key != KEY_MACHINE)
    printf(":file:_files");
  else if (option->arg) {
    printf(":value:(");
    print_values(s, option);
    printf(")");
  }
  printf("' \\\n");
}

static void print_zsh(void) {
  printf("#compdef hyla\n"
         "# Completion of hyla's command lines in zsh; made by `hyla completion zsh'.\n"
         "_hyla() {\n  if ((CURRENT == 2)); then\n    compadd -- ");
  print_subcommands();
  printf("\n    return\n  fi\n  local subcommand=$words[2]\n  shift words\n  ((CURRENT--))\n"
         "  case $subcommand in\n");
  for (int i = 0; subcommand_at(i); i++) {
    printf("  %s)\n    _arguments \\\n", subcommand_at(i)->name);
    each_option(subcommand_at(i), show_zsh);
    if (strchr(subcommand_at(i)->grammar->usage, '|') ||
        strcmp(subcommand_at(i)->grammar->usage, "KIND") == 0) {
      printf("      '1:what:(");
      print_arguments(subcommand_at(i)->grammar);
      printf(")' ;;\n");
    } else
      printf("      '*:file:_files' ;;\n");
  }
  printf("  *) _files ;;\n  esac\n}\n_hyla \"$@\"\n");
}

bool print_completion(const char *shell) {
  if (strcmp(shell, "bash") == 0)
    print_bash();
  else if (strcmp(shell, "zsh") == 0)
    print_zsh();
  else
    fprintf(stderr, "hyla completion: there are bash and zsh, not `%s'\n", shell);
  return strcmp(shell, "bash") == 0 || strcmp(shell, "zsh") == 0;
}
