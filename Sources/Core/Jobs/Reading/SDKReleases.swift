/// The SDKs of Realm.
public enum SDK: String, CaseIterable, Sendable {
  /// Also Objective-C.
  case swift
  case java
  case javaScript = "javascript"
  case dotNet = "dotnet"
  case kotlin
  /// Also Dart.
  case flutter
}

/// The releases of an SDK that open realms of a file format. The sources are the change logs of the SDKs and, where these are
/// silent or wrong, the sources of the core libraries that the releases contain; docs/file-formats.md has the same table.
public struct SDKReleases: Equatable, Sendable {
  /// Consecutive releases; none of another range lies between them.
  public struct Range: Equatable, Sendable {
    public var first: String
    /// Nil for all later releases, up to the last one that is known.
    public var last: String?

    init(_ first: String, _ last: String?) { (self.first, self.last) = (first, last) }
  }

  public var sdk: SDK
  /// The releases that open the realm as it is, because they write the same format; nil if they are not known.
  public var opening: [Range]?
  /// The releases that upgrade the realm when they open it for writing.
  public var upgrading: [Range]

  /// The releases of each SDK that open a file format.
  ///
  /// - Returns: one element for each SDK; none for a format of which nothing is known, or 0.
  public static func opening(format: Int) -> [SDKReleases] {
    rows(format).map { SDKReleases(sdk: $0, opening: $1, upgrading: $2) }
  }

  private typealias Row = (SDK, [Range]?, [Range])

  private static func rows(_ format: Int) -> [Row] {
    switch format {
    case 2...4:
      [
        (.swift, nil, [Range("3.0.0", "4.4.1")]), (.java, nil, [Range("4.0.0", "6.1.1")]),
        (.javaScript, nil, [Range("2.0.0", "5.0.5")]), (.dotNet, nil, [Range("2.0.0", "4.3.0")]),
        (.kotlin, [], []), (.flutter, [], []),
      ]
    case 5: format5
    case 6...8:
      [
        (.swift, nil, [Range("3.0.0", "10.48.2")]), (.java, nil, [Range("4.0.0", nil)]),
        (.javaScript, nil, [Range("2.0.0", "12.6.2")]), (.dotNet, nil, [Range("2.0.0", "11.7.0")]),
        (.kotlin, [], [Range("0.1.0", "1.14.1")]), (.flutter, [], [Range("0.2.0-alpha", "1.9.0")]),
      ]
    case 9:
      [
        (.swift, [Range("3.0.0", "4.4.1")], [Range("5.0.0", "10.48.2")]),
        (.java, [Range("4.0.0", "6.1.1")], [Range("7.0.0", nil)]),
        (.javaScript, [Range("2.0.0", "5.0.5")], [Range("6.0.0", "12.6.2")]),
        (.dotNet, [Range("2.0.0", "4.3.0")], [Range("5.0.1", "11.7.0")]),
        (.kotlin, [], [Range("0.1.0", "1.14.1")]), (.flutter, [], [Range("0.2.0-alpha", "1.9.0")]),
      ]
    case 10:
      [
        (.swift, [Range("5.0.0", "5.3.6")], [Range("5.4.0", nil)]),
        (.java, [Range("7.0.0", "7.0.3")], [Range("7.0.4", nil)]),
        (.javaScript, [Range("6.0.0", "6.1.0")], [Range("6.1.1", nil)]),
        // Release 5.0.0, which wrote it, was withdrawn.
        (.dotNet, [], [Range("5.0.1", nil)]),
        (.kotlin, [], [Range("0.1.0", nil)]), (.flutter, [], [Range("0.2.0-alpha", nil)]),
      ]
    case 11:
      [
        (.swift, [Range("5.4.0", "5.5.2")], [Range("10.0.0", nil)]),
        (.java, [Range("7.0.4", "7.0.8")], [Range("10.0.0", nil)]),
        (.javaScript, [Range("6.1.1", "6.1.8")], [Range("10.0.0", nil)]),
        (.dotNet, [Range("5.0.1", "5.1.3")], [Range("10.0.1", nil)]),
        (.kotlin, [], [Range("0.1.0", nil)]), (.flutter, [], [Range("0.2.0-alpha", nil)]),
      ]
    case 20:
      [
        (.swift, [Range("10.0.0", "10.7.7")], [Range("10.8.0", nil)]),
        (.java, [Range("10.0.0", "10.5.1")], [Range("10.6.0", nil)]),
        (.javaScript, [Range("10.0.0", "10.4.2")], [Range("10.5.0", nil)]),
        (.dotNet, [Range("10.0.1", "10.1.4")], [Range("10.2.0", nil)]),
        (.kotlin, [Range("0.1.0", "0.5.0")], [Range("0.6.0", nil)]),
        (.flutter, [], [Range("0.2.0-alpha", nil)]),
      ]
    case 21: format21
    case 22:
      [
        (.swift, [Range("10.8.0", "10.34.1")], [Range("10.35.0", nil)]),
        (.java, [Range("10.6.0", "10.13.1")], [Range("10.14.0", nil)]),
        (
          .javaScript, [Range("10.5.0", "10.24.0"), Range("11.0.0", "11.2.0")],
          [Range("11.3.0", nil)]
        ), (.dotNet, [Range("10.2.0", "10.19.0")], [Range("10.20.0", nil)]),
        (.kotlin, [Range("0.6.0", "1.5.2")], [Range("1.6.0", nil)]),
        (.flutter, [Range("0.2.0-alpha", "0.8.0+rc")], [Range("0.9.0+rc", nil)]),
      ]
    case 23:
      [
        // 10.48.2 is younger than 10.49.0, the first release with format 24.
        (.swift, [Range("10.35.0", "10.48.2")], [Range("10.49.0", nil)]),
        (.java, [Range("10.14.0", nil)], []),
        (.javaScript, [Range("11.3.0", "12.6.2")], [Range("12.7.0", nil)]),
        (.dotNet, [Range("10.20.0", "11.7.0")], [Range("12.0.0", nil)]),
        (.kotlin, [Range("1.6.0", "1.14.1")], [Range("1.15.0", nil)]),
        (.flutter, [Range("0.9.0+rc", "1.9.0")], [Range("2.0.0", nil)]),
      ]
    case 24:
      [
        (.swift, [Range("10.49.0", nil)], []), (.java, [], []),
        (.javaScript, [Range("12.7.0", nil)], []), (.dotNet, [Range("12.0.0", nil)], []),
        (.kotlin, [Range("1.15.0", nil)], []), (.flutter, [Range("2.0.0", nil)], []),
      ]
    default: []
    }
  }

  /// The first releases with the core libraries 6 and 10 refused it.
  private static var format5: [Row] {
    [
      (
        .swift, nil,
        [Range("3.0.0", "4.4.1"), Range("5.5.1", "5.5.2"), Range("10.7.1", "10.48.2")]
      ), (.java, nil, [Range("4.0.0", "6.1.1"), Range("10.4.0", nil)]),
      (
        .javaScript, nil,
        [Range("2.0.0", "5.0.5"), Range("6.1.7", "6.1.8"), Range("10.3.0", "12.6.2")]
      ), (.dotNet, nil, [Range("2.0.0", "4.3.0"), Range("10.1.2", "11.7.0")]),
      (.kotlin, [], [Range("0.1.0", "1.14.1")]), (.flutter, [], [Range("0.2.0-alpha", "1.9.0")]),
    ]
  }

  /// Only pre-releases wrote it.
  private static var format21: [Row] {
    [
      (.swift, [Range("10.8.0-beta.0", "10.8.0-beta.1")], [Range("10.8.0", nil)]),
      (.java, [Range("10.6.0-BETA.1", "10.6.0-BETA.1")], [Range("10.6.0", nil)]),
      (.javaScript, [Range("10.5.0-alpha.7", "10.5.0-beta.3")], [Range("10.5.0", nil)]),
      (.dotNet, [Range("10.2.0-beta.1", "10.2.0-beta.2")], [Range("10.2.0", nil)]),
      (.kotlin, [], [Range("0.6.0", nil)]), (.flutter, [], [Range("0.2.0-alpha", nil)]),
    ]
  }
}
