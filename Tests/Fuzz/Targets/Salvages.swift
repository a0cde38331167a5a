import RealmBuilding
import RealmJobs
import RealmSalvage
import RealmStorage
import RealmVerify

/// Salvages a realm, and verifies the result.
struct Salvages {
  private let path: String
  private let choice: Int

  /// - Parameter choice: selects whether older versions are used.
  init(of path: String, choice: Int) { (self.path, self.choice) = (path, choice) }

  func run() throws {
    let result = path + ".saved"
    var request = SalvageRequest(path: path)
    (request.fillsFromPrevious, request.includesFreed) = (choice & 1 != 0, choice & 2 != 0)
    let failure = try FuzzRun.expecting("salvage") {
      _ = try SalvageJob(request).run(to: .realm(result, replacing: true))
    }
    if let failure {
      // The new realm refuses an object: everything else must be recovered without it.
      guard let failure = failure as? RebuildError, failure.error.objectKey != nil else { return }
      throw FuzzFailure("cannot be salvaged: \(failure)")
    }
    try Salvages.requireNoErrors(result, "the salvaged realm")
  }

  static func requireNoErrors(_ path: String, _ what: String) throws {
    let report = try VerifyJob(VerifyJob.Request(path: path)).run()
    guard let finding = report.findings.first(where: { $0.severity == .error }) else { return }
    throw FuzzFailure("\(what) has \(finding.rule.rawValue): \(finding.message)")
  }
}
