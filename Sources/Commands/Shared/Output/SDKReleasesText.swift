import RealmJobs

// The releases of SDKs that open a realm, in reports.

extension SDKReleases {
  /// The member `opensWith` of a report: an object for each SDK.
  static func json(format: Int) -> [JSONObject] {
    opening(format: format).map { releases in
      [
        "sdk": releases.sdk.rawValue, "opens": releases.opening.map { $0.map(\.json) },
        "upgrades": releases.upgrading.map(\.json),
      ]
    }
  }

  /// The releases that open the format as it is, in a line: `Swift 10.8.0 to 10.34.1, Java …`.
  ///
  /// - Returns: nil if no such release is known.
  static func openingText(format: Int) -> String? {
    text(opening(format: format).map { ($0.sdk, $0.opening ?? []) })
  }

  /// The releases that upgrade the format, in a line.
  ///
  /// - Returns: nil if no such release is known.
  static func upgradingText(format: Int) -> String? {
    text(opening(format: format).map { ($0.sdk, $0.upgrading) })
  }

  private static func text(_ releases: [(SDK, [Range])]) -> String? {
    let parts = releases.filter { !$0.1.isEmpty }.map { sdk, ranges in
      "\(sdk.name) \(ranges.map(\.text).joined(separator: " and "))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension SDKReleases.Range {
  fileprivate var json: JSONObject { ["from": first, "to": last] }

  /// `10.8.0 to 10.34.1`, or `from 10.49.0` for all later releases.
  fileprivate var text: String {
    guard let last else { return "from \(first)" }
    return first == last ? first : "\(first) to \(last)"
  }
}

extension SDK {
  /// The name in texts.
  fileprivate var name: String {
    switch self {
    case .swift: "Swift"
    case .java: "Java"
    case .javaScript: "JavaScript"
    case .dotNet: ".NET"
    case .kotlin: "Kotlin"
    case .flutter: "Flutter"
    }
  }
}
