import RealmBuilding
import RealmModel
import RealmStorage

/// The file format of a result. An app can open it if it has the format of its source, so that is the choice unless the user
/// asks for another one.
public struct FormatChoice: Sendable, Equatable {
  /// The format that the user asked for; nil for that of the source.
  public var number: Int?
  /// Whether a realm may change in place to another format, because new realms of its own are not written.
  public var upgradesInPlace = false

  public init(number: Int? = nil, upgradesInPlace: Bool = false) {
    (self.number, self.upgradesInPlace) = (number, upgradesInPlace)
  }

  /// The format of the result.
  ///
  /// - Parameters:
  ///   - snapshot: the source; nil for a result without one.
  ///   - isInPlace: whether the result replaces the source.
  /// - Throws: `formatNotWritten` for a format that the user asked for; `needsUpgrade`.
  func format(for snapshot: Snapshot?, isInPlace: Bool = false) throws -> FileFormat {
    try format(of: snapshot?.fileFormat, path: snapshot?.path ?? "", isInPlace: isInPlace)
  }

  /// The same for a source of this format.
  func format(
    of source: FileFormat?, path: String, isInPlace: Bool = false
  ) throws -> FileFormat {
    if let number {
      guard let format = FileFormat.built.first(where: { $0.number == number }) else {
        throw RequestError(.formatNotWritten(number), path: path)
      }
      return format
    }
    guard let source, source != .none else { return .current }
    guard !source.isBuilt else { return source }
    guard !isInPlace || upgradesInPlace else {
      throw RequestError(.needsUpgrade(source.number), path: path)
    }
    return .current
  }

  /// Checks the format that the user asked for, before anything is read.
  ///
  /// - Throws: `formatNotWritten`.
  func check() throws { _ = try format(for: nil) }
}

extension RealmBuilder.Request {
  /// The options of a realm that takes the place of a version of another one.
  ///
  /// - Parameters:
  ///   - snapshot: the version; the result is the next one, so that a client that remembers a version is not confused.
  ///   - realm: shows on which platform its app runs; nil for a realm of formats 2 to 9.
  init(
    after snapshot: Snapshot, _ realm: Realm?, _ format: FileFormat
  ) throws(RealmFileError) {
    self.init()
    (self.format, version) = (format, snapshot.top.version + 1)
    if let realm { platform = try WriterPlatform(of: realm, for: format) }
  }
}
