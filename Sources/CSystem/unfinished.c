#include "unfinished.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// Maximum number of registered files and folders, and maximum bytes of a path.
enum { SLOT_COUNT = 128, PATH_SIZE = 4096 };

// A slot goes from FREE through WRITING to READY. Then its owner sets it to FREE, or the thread that removes
// the file sets it to TAKEN. Only the thread whose exchange succeeds continues, so a path is never read while
// it is written.
enum state { FREE, WRITING, READY, TAKEN };

// Separate from the paths, so that reading all states touches one page of memory instead of one each.
static _Atomic int states[SLOT_COUNT];
static char paths[SLOT_COUNT][PATH_SIZE];

static int change(int slot, int from, int to) {
  return atomic_compare_exchange_strong(&states[slot], &from, to);
}

int csystem_register_unfinished(const char *path) {
  size_t size = strlen(path) + 1;
  if (size > PATH_SIZE) return -1;
  for (int i = 0; i < SLOT_COUNT; i++) {
    if (!change(i, FREE, WRITING)) continue;
    memcpy(paths[i], path, size);
    atomic_store(&states[i], READY);
    return i;
  }
  return -1;
}

void csystem_forget_unfinished(int slot) {
  if (slot < 0 || slot >= SLOT_COUNT) return;
  change(slot, READY, FREE);
}

void csystem_remove_unfinished(void) {
  // Folders are removed after the files in them, the last registered first.
  char is_folder[SLOT_COUNT] = {0};
  for (int i = 0; i < SLOT_COUNT; i++) {
    if (!change(i, READY, TAKEN)) continue;
    is_folder[i] = unlink(paths[i]) != 0 && (errno == EISDIR || errno == EPERM);
    if (!is_folder[i]) atomic_store(&states[i], FREE);
  }
  for (int i = SLOT_COUNT - 1; i >= 0; i--) {
    if (!is_folder[i]) continue;
    rmdir(paths[i]);
    atomic_store(&states[i], FREE);
  }
}

static void end_by_signal(int signal_number) {
  csystem_remove_unfinished();
  _exit(128 + signal_number);
}

void csystem_install_signals(void) {
  struct sigaction action = {0};
  action.sa_handler = SIG_IGN;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, NULL);

  // All signals are blocked while one is handled, so the handler is not interrupted before it ends the
  // process.
  const int ending[] = {SIGINT, SIGTERM, SIGHUP};
  const int count = sizeof(ending) / sizeof(ending[0]);
  action.sa_handler = end_by_signal;
  for (int i = 0; i < count; i++) sigaddset(&action.sa_mask, ending[i]);
  for (int i = 0; i < count; i++) {
    struct sigaction inherited;
    if (sigaction(ending[i], NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN) {
      sigaction(ending[i], &action, NULL);
    }
  }
}

static void finish(int signal_number) {
  (void)signal_number;
  csystem_remove_unfinished();
  _exit(0);
}

void csystem_finish_on_interrupt(void) {
  struct sigaction action = {0};
  action.sa_handler = finish;
  sigfillset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}
