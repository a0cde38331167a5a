public import RealmModel

/// The rules of histories (chapter 4, section 9).
public enum HistoryRules {
  public static let rules: [IntegrityRule] = [
    IntegrityRule(
      "history.top", .error, "type, ref and schema version of the history fit together",
      chapter: "4 §1.1"),
    IntegrityRule(
      "history.ident-range", .warning, "the file identifier is one that objects can be made with",
      chapter: "4 §9"),
    IntegrityRule(
      "history.node", .error, "the trees of a history can be read", chapter: "4 §9"),
    IntegrityRule(
      "history.local-length", .error, "a local history has at most one entry a version",
      chapter: "4 §9"),
    IntegrityRule(
      "history.root", .error,
      "the root of a client history has 21 slots: refs in 0, 13 to 17 and 20, integers in the others",
      chapter: "4 §9 1"),
    IntegrityRule(
      "history.lengths", .error,
      "the columns of a client history are equally long, and no entry is older than version 2",
      chapter: "4 §9 2"),
    IntegrityRule(
      "history.remote-versions", .error,
      "the server versions of the entries do not decrease", chapter: "4 §9 3"),
    IntegrityRule(
      "history.remote-ahead", .warning,
      "no entry has integrated more than the download cursor says; a bootstrap moves it last",
      chapter: "4 §9 3"),
    IntegrityRule(
      "history.cursors", .error,
      "the cursors name versions that the server and this file have", chapter: "4 §9 4"),
    IntegrityRule(
      "history.cursor-order", .warning,
      "the cursors agree about what was uploaded before what was downloaded",
      chapter: "4 §9 4–5"),
    IntegrityRule(
      "history.byte-counts", .warning, "no more is uploaded, or stored, than there was to upload",
      chapter: "4 §9 6, 13"),
    IntegrityRule(
      "history.ident", .warning, "a file identifier comes with its salt", chapter: "4 §9 7"),
    IntegrityRule(
      "history.acknowledged", .warning,
      "a file without identifier has no acknowledged version above its changes",
      chapter: "4 §9 8"),
    IntegrityRule(
      "history.origin", .warning, "entries come from here, as 0, or from other files",
      chapter: "4 §9 9"),
    IntegrityRule(
      "history.wrapper", .error,
      "a stored changeset has a known compression, and unpacks to its size and checksum",
      chapter: "4 §9 10"),
    IntegrityRule(
      "history.early-wrapper", .warning,
      "no changeset is wrapped as builds before the first release of schema version 12 did",
      chapter: "4 §2.4"),
    IntegrityRule(
      "history.changeset", .error, "a local changeset decodes to its end", chapter: "4 §9 11"),
    IntegrityRule(
      "history.names", .warning,
      "classes and properties that the changesets name exist", chapter: "4 §9 12"),
    IntegrityRule(
      "history.timestamps", .warning, "entries are neither from before 2015 nor from the future",
      chapter: "4 §9 14"),
    IntegrityRule(
      "history.schema-versions", .warning,
      "the record of schema versions has four arrays of equal length and ends with the current one",
      chapter: "4 §9 15"),
    IntegrityRule(
      "history.not-decoded", .note, "a changeset is in a form that is not decoded",
      chapter: "4 §2.4"),
  ]
}
