#include "mapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Maximum number of mappings: one per open realm, and a process reads few at a time.
enum { SLOT_COUNT = 256 };

struct slot {
  // 0 if the slot is free. Set last and cleared first, so that the handler never sees a base without
  // its size.
  _Atomic uintptr_t base;
  _Atomic size_t size;
  // The offset of the last missing page, plus one; 0 if there is none.
  _Atomic size_t cut;
};

static struct slot slots[SLOT_COUNT];
static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static _Atomic int installed;
static size_t page_size;

// Runs in the thread that touched the missing page. A fault can interrupt any code, so this uses only
// lock-free atomics and mmap, takes no lock, allocates nothing and preserves errno.
static void on_bus_error(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number;
  (void)context;
  int saved_errno = errno;
  uintptr_t address = (uintptr_t)info->si_addr;
  for (int i = 0; i < SLOT_COUNT; i++) {
    uintptr_t base = atomic_load(&slots[i].base);
    if (base == 0 || address < base || address - base >= atomic_load(&slots[i].size)) continue;
    uintptr_t page = address & ~(uintptr_t)(page_size - 1);
    // Recorded before the zeros are mapped, so that a thread that reads zeros finds the record.
    atomic_store(&slots[i].cut, (size_t)(page - base) + 1);
    void *mapped = mmap((void *)page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                        -1, 0);
    errno = saved_errno;
    if (mapped == (void *)page) return;
    break;
  }
  // The address is outside our mappings, or there is no memory: when the instruction runs again, the previous
  // handler gets the fault.
  sigaction(SIGBUS, &previous, NULL);
  errno = saved_errno;
}

int cmapping_install(void) {
  pthread_mutex_lock(&registration);
  if (!atomic_load(&installed)) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {0};
    action.sa_sigaction = on_bus_error;
    // SA_ONSTACK, because a thread may have its own signal stack.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    atomic_store(&installed, sigaction(SIGBUS, &action, &previous) == 0);
  }
  pthread_mutex_unlock(&registration);
  return atomic_load(&installed);
}

int cmapping_is_installed(void) { return atomic_load(&installed); }

int cmapping_register(const void *base, size_t size) {
  int found = -1;
  pthread_mutex_lock(&registration);
  for (int i = 0; i < SLOT_COUNT && found < 0; i++) {
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

size_t cmapping_cut(int slot) {
  if (slot < 0 || slot >= SLOT_COUNT) return 0;
  return atomic_load(&slots[slot].cut);
}
