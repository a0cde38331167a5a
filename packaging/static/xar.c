// A static libarchive refers to its writer of xar archives, which needs libxml2 and with it the data of ICU, 30 MB.
// realm-cli writes no xar: this replaces the object of the same name in a copy of libarchive.a.
struct archive;

// ARCHIVE_FATAL.
int archive_write_set_format_xar(struct archive *archive) {
  (void)archive;
  return -30;
}
