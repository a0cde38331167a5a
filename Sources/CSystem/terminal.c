#define _GNU_SOURCE
#include "terminal.h"

#include <locale.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <wchar.h>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#endif

int csystem_terminal_width(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int csystem_terminal_height(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static locale_t utf8;

static void open_locale(void) {
  const char *names[] = {"C.UTF-8", "UTF-8", "en_US.UTF-8"};
  for (int i = 0; i < 3 && utf8 == (locale_t)0; i++) {
    utf8 = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
  }
}

int csystem_columns(uint32_t scalar) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_locale);
  if (scalar < 0x7F || utf8 == (locale_t)0) return 1;
  locale_t before = uselocale(utf8);
  int columns = wcwidth((wchar_t)scalar);
  uselocale(before);
  return columns < 0 ? 1 : columns;
}
