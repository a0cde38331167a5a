/// The formats of archives. The raw values are the names in options and the endings of file names.
public enum ArchiveFormat: String, CaseIterable, Sendable {
  case tarZstandard = "tar.zst"
  case tarGzip = "tar.gz"
  case tarXZ = "tar.xz"
  case tar
  case zip
  case sevenZip = "7z"

  /// The format for the ending of the file name `name`.
  public init?(ofName name: String) {
    let found = ArchiveFormat.allCases.first { format in
      format.endings.contains { name.hasSuffix("." + $0) }
    }
    guard let found else { return nil }
    self = found
  }

  private var endings: [String] {
    switch self {
    case .tarZstandard: ["tar.zst", "tzst"]
    case .tarGzip: ["tar.gz", "tgz"]
    case .tarXZ: ["tar.xz", "txz"]
    case .tar, .zip, .sevenZip: [rawValue]
    }
  }

  /// `name` without the ending of an archive.
  public static func stem(of name: String) -> String {
    for format in allCases {
      for ending in format.endings where name.hasSuffix("." + ending) {
        return String(name.dropLast(ending.utf8.count + 1))
      }
    }
    return name
  }

  /// The compression levels; nil for formats without compression.
  public var levels: ClosedRange<Int>? {
    switch self {
    case .tarZstandard: 1...19
    case .tarGzip, .tarXZ, .zip, .sevenZip: 1...9
    case .tar: nil
    }
  }
}
