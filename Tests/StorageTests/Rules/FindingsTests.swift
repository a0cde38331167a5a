import Testing

@testable import RealmStorage

@Suite("Findings")
struct FindingsTests {
  private let damage = RealmFileError(
    .damaged(.leafKind), offset: 4096, className: "Person")

  @Test("an error that prevented a check is reported if no check reports it")
  func untoldReason() throws {
    var part = Findings(limit: 10)
    part.add(Finding(.linkNotCompared, at: 8))
    try part.addReason(damage)
    var all = Findings(limit: 10)
    all.add(contentsOf: part)
    #expect(all.count(.error) == 0)
    all.finish()
    #expect(all.list.map(\.rule) == [.leafKind, .linkNotCompared])
    #expect(all.list.first?.offset == 4096)
    #expect(all.list.first?.className == "Person")
  }

  @Test("an error that prevented a check is not repeated if a check reports it")
  func toldReason() throws {
    var findings = Findings(limit: 10)
    try findings.addReason(damage)
    findings.add(
      Finding(.leafKind, at: 4096, className: "Person", property: "age", objectKey: 7))
    findings.finish()
    #expect(findings.list.map(\.objectKey) == [7])
    #expect(findings.count(.error) == 1)
  }

  @Test("at least one error is counted if only some errors, or none, are kept", arguments: [0, 1])
  func limits(limit: Int) throws {
    var findings = Findings(limit: limit)
    try findings.addReason(damage)
    findings.finish()
    #expect(findings.count(.error) == 1)
    #expect(findings.list.count == limit)
    findings.add(Finding(.leafRows, at: 16))
    try findings.addReason(RealmFileError(.damaged(.leafKind), offset: 24))
    findings.finish()
    #expect(findings.count(.error) == 2)
  }

  @Test("an error of the disk is no finding")
  func otherErrors() {
    var findings = Findings(limit: 10)
    #expect(throws: RealmFileError(.changedWhileReading)) {
      try findings.addReason(RealmFileError(.changedWhileReading))
    }
  }
}
