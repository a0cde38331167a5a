import RealmJobs
import RealmStorage
import RealmVerify
import TestSupport
import Testing

/// A way to break one rule.
struct SeededDefect: Sendable, CustomTestStringConvertible {
  let rule: Rule
  let file: String
  /// Rules that are broken with it: of nodes that become unreachable, and of links and indexes of lost
  /// objects.
  let also: Set<Rule>
  let edit: @Sendable (RealmEditor) throws -> Void

  init(
    _ rule: Rule, _ file: String, also: Set<Rule> = [],
    _ edit: @escaping @Sendable (RealmEditor) throws -> Void
  ) {
    (self.rule, self.file, self.also, self.edit) = (rule, file + ".realm", also, edit)
  }

  var testDescription: String { rule.rawValue }
}

extension RealmEditor {
  /// The report of `verify` on the bytes.
  func verify(
    isQuick: Bool = false, classes: [String]? = nil, maxFindings: Int = 100
  ) throws -> VerifyReport {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "x.realm")
    for (name, content) in companions { try folder.write(content, to: name) }
    return try VerifyJob(
      VerifyJob.Request(
        path: path, key: key, isQuick: isQuick, classes: classes, maxFindings: maxFindings, jobs: 2
      )
    ).run()
  }

  /// The rules that `verify` finds broken in the bytes, with how often.
  func broken() throws -> [String: Int] {
    try verify().totals.reduce(into: [:]) { $0[$1.rule.rawValue, default: 0] += $1.count }
  }
}
