#ifndef REALM_CLI_CEDIT_SHIM_H
#define REALM_CLI_CEDIT_SHIM_H

#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// libedit is controlled by functions with variable arguments, which Swift cannot call.

// Uses the locale of the user to read characters, or a UTF-8 one if that is not a locale of several bytes.
static inline void cedit_use_locale(void) {
  if (setlocale(LC_CTYPE, "") != NULL && MB_CUR_MAX > 1) return;
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) setlocale(LC_CTYPE, "en_US.UTF-8");
}

// An editor of lines on the standard streams, or NULL.
static inline EditLine *cedit_open(void) { return el_init("realm-cli", stdin, stdout, stderr); }

static inline void cedit_set_context(EditLine *editor, void *context) {
  el_set(editor, EL_CLIENTDATA, context);
}

static inline void *cedit_context(EditLine *editor) {
  void *context = NULL;
  el_get(editor, EL_CLIENTDATA, &context);
  return context;
}

static inline void cedit_set_prompt(EditLine *editor, char *(*prompt)(EditLine *)) {
  el_set(editor, EL_PROMPT, prompt);
}

// Uses the keys of Emacs, unless ~/.editrc says otherwise.
static inline void cedit_use_keys(EditLine *editor) {
  el_set(editor, EL_EDITOR, "emacs");
  el_source(editor, NULL);
}

// Makes `key`, such as "^I", call `function`.
static inline void cedit_bind(
    EditLine *editor, const char *key, const char *name, const char *help,
    unsigned char (*function)(EditLine *, int)) {
  el_set(editor, EL_ADDFN, name, help, function);
  el_set(editor, EL_BIND, key, name, NULL);
}

// While a line is edited, no key sends a signal.
static inline void cedit_ignore_signals(EditLine *editor) {
  el_set(editor, EL_SETTY, "-d", "-isig", NULL);
}

// Recalls lines from `list`, which keeps the last `size` ones.
static inline void cedit_set_history(EditLine *editor, History *list, int size) {
  HistEvent event;
  history(list, &event, H_SETSIZE, size);
  history(list, &event, H_SETUNIQUE, 1);
  el_set(editor, EL_HIST, history, list);
}

static inline void cedit_enter(History *list, const char *line) {
  HistEvent event;
  history(list, &event, H_ENTER, line);
}

#endif
