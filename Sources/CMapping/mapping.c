#include "mapping.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Mappings open at one time: one per realm being read, and a process reads a few at a time.
enum { SLOT_COUNT = 256 };

struct slot {
  // 0 = free. Written last on registration and first on removal, so that the handler never sees
  // a base without its size.
  _Atomic uintptr_t base;
  _Atomic size_t size;
  _Atomic int cut;
};

static struct slot slots[SLOT_COUNT];
static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static int installed;
static size_t page_size;

// Runs in the thread that touched the missing page. Uses atomics and mmap only.
static void on_bus_error(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number;
  (void)context;
  uintptr_t address = (uintptr_t)info->si_addr;
  for (int i = 0; i < SLOT_COUNT; i++) {
    uintptr_t base = atomic_load(&slots[i].base);
    if (base == 0 || address < base || address - base >= atomic_load(&slots[i].size)) continue;
    void *page = (void *)(address & ~(uintptr_t)(page_size - 1));
    if (mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
      atomic_store(&slots[i].cut, 1);
      return;
    }
  }
  // Not one of ours: let the fault take its ordinary course when the instruction runs again.
  sigaction(SIGBUS, &previous, NULL);
}

int cmapping_register(const void *base, size_t size) {
  int found = -1;
  pthread_mutex_lock(&registration);
  if (!installed) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {0};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    installed = sigaction(SIGBUS, &action, &previous) == 0;
  }
  for (int i = 0; installed && i < SLOT_COUNT && found < 0; i++) {
    if (atomic_load(&slots[i].base) != 0) continue;
    atomic_store(&slots[i].cut, 0);
    atomic_store(&slots[i].size, size);
    atomic_store(&slots[i].base, (uintptr_t)base);
    found = i;
  }
  pthread_mutex_unlock(&registration);
  return found;
}

void cmapping_unregister(int slot) {
  if (slot < 0 || slot >= SLOT_COUNT) return;
  pthread_mutex_lock(&registration);
  atomic_store(&slots[slot].base, 0);
  atomic_store(&slots[slot].size, 0);
  pthread_mutex_unlock(&registration);
}

int cmapping_was_cut(int slot) {
  if (slot < 0 || slot >= SLOT_COUNT) return 0;
  return atomic_load(&slots[slot].cut);
}
