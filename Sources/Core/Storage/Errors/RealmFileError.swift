/// Why a realm file cannot be read, or a file cannot be written.
///
/// The type holds the facts and the sentence about them. The commands add the hint for the user, the exit code
/// and the name in `--json`. Other domains have their own errors (``PathError``).
public struct RealmFileError: PathError, Equatable, Sendable {
  /// A kind of problem. There is a case for each that the user can solve differently.
  public enum Kind: Equatable, Sendable {
    /// The file has no bytes.
    case empty
    /// The file is not a realm: it is too small, or lacks the mnemonic.
    case notARealm
    /// The file has the header of a new realm, and nothing else.
    case neverCommitted
    /// The file ends early; `missingBytes` is nil if the number is unknown.
    case truncated(missingBytes: Int?)
    /// The header contradicts itself; the string says how.
    case damagedHeader(String)
    /// A program that took the file for text changed its bytes.
    case changedAsText(TextChange)
    /// Nothing can be recovered from a damaged realm; the string says why.
    case nothingToSave(String)
    /// A ref, size, count or value in the file breaks a rule of the file format.
    case damaged(Rule)
    /// A page of an encrypted file fails its HMAC. Page 0 holds the file header.
    case damagedPage(Int)
    /// The key decrypts no page of this file.
    case wrongKey
    /// A key was given for a file that is not encrypted.
    case notEncrypted
    /// The file looks encrypted and no key was given.
    case keyMissing
    /// File format 1, which is not read.
    case oldFormat(Int)
    /// A file of formats 2 to 9; the operation needs a later format.
    case legacyFormat(Int)
    /// A file of format 9 or lower that an SDK began to upgrade; the string says what is unfinished.
    case halfUpgraded(String)
    /// A file format newer than this tool knows.
    case newerFormat(Int)
    /// A history kind that does not exist.
    case unknownHistory(Int)
    /// There is no intact commit before the newest one.
    case noPreviousVersion
    /// A feature that this tool, or the system, does not support; the string is the whole sentence.
    case unsupported(String)
    /// The file does not exist or cannot be read.
    case unreadable(SystemError)
    /// The output exists already.
    case outputExists
    /// The output would replace a file that the command reads.
    case outputIsRead
    /// The output cannot be created.
    case cannotCreate(SystemError)
    /// Reading or writing failed.
    case inputOutput(SystemError)
    /// The reader of the output closed it. This is not a failure of the tool.
    case brokenPipe
    /// A process has the realm open and changed it while it was read.
    case changedWhileReading
    /// The file became shorter while it was read.
    case shrankWhileReading
    /// A process has the realm open, so it cannot be changed or replaced. The array lists the known processes.
    case inUse([RealmUse.Holder])
  }

  public var kind: Kind
  /// The path as the user wrote it; empty if the bytes did not come from a file.
  public var path: String
  /// Byte offset in the (decrypted) file at which the problem was seen.
  public var offset: Int?
  /// A description of a file that is not a realm, such as "a ZIP archive"; nil if it is unknown.
  public var found: String?
  /// Name of the class at this place, without the prefix `class_`.
  public var className: String?
  /// Name of the property at this place.
  public var property: String?
  /// Key of the object at this place.
  public var objectKey: Int64?
  /// The values that were found and expected, if `kind` alone does not say it.
  public var detail: String?

  public init(
    _ kind: Kind, path: String = "", offset: Int? = nil, className: String? = nil,
    property: String? = nil, objectKey: Int64? = nil, found: String? = nil, detail: String? = nil
  ) {
    self.detail = detail
    self.kind = kind
    self.path = path
    self.offset = offset
    self.className = className
    self.property = property
    self.objectKey = objectKey
    self.found = found
  }

  /// The error for bytes at `offset` that break a rule.
  ///
  /// - Parameter detail: what was found and what was expected, with values; nil if the sentence of the rule
  ///   is enough.
  public static func damaged(
    _ rule: Rule, at offset: Int, _ detail: String? = nil
  ) -> RealmFileError {
    RealmFileError(.damaged(rule), offset: offset, detail: detail)
  }

  /// The same error, with facts that it lacks taken from the arguments.
  public func adding(
    path: String = "", className: String? = nil, property: String? = nil, objectKey: Int64? = nil
  ) -> RealmFileError {
    var error = self
    if error.path.isEmpty { error.path = path }
    if error.className == nil { error.className = className }
    if error.property == nil { error.property = property }
    if error.objectKey == nil { error.objectKey = objectKey }
    return error
  }
}

extension RealmFileError: CustomStringConvertible {
  /// One line: the path, the place in the file, and the problem.
  public var description: String {
    let prefix = path.isEmpty ? "" : "\(path): "
    return prefix + place + problem
  }

  /// Byte offset, class, property and object, if they are known.
  private var place: String {
    var parts: [String] = []
    if let offset { parts.append("byte \(offset)") }
    if let className {
      parts.append("class \(className)" + (property.map { ".\($0)" } ?? ""))
    }
    if let objectKey { parts.append("object \(objectKey)") }
    return parts.isEmpty ? "" : parts.joined(separator: ", ") + ": "
  }

  private var problem: String {
    switch kind {
    case .empty: "the file is empty"
    case .notARealm: "this is not a realm file" + (found.map { ", but \($0)" } ?? "")
    case .neverCommitted: "this is a new, empty realm: nothing was ever committed to it"
    case .truncated(.some(1)): "truncated: at least 1 byte is missing at the end"
    case .truncated(.some(let missing)):
      "truncated: at least \(missing) bytes are missing at the end"
    case .truncated(.none): "truncated: the end of the file is missing"
    case .damagedHeader(let how): "the file header is damaged: \(how)"
    case .changedAsText(let change): change.sentence
    case .nothingToSave(let why): why
    case .damaged(let rule): "damaged: \(detail ?? rule.expectation) (rule \(rule.rawValue))"
    case .damagedPage(0):
      "damaged: page 0 of the encrypted file, with the file header, fails its checksum"
    case .damagedPage(let page): "damaged: page \(page) of the encrypted file fails its checksum"
    case .wrongKey: "the key does not fit this realm"
    case .notEncrypted: "a key was given, but the realm is not encrypted"
    case .keyMissing: "the realm is encrypted and no key was given"
    case .oldFormat(let format): "file format \(format) is older than this version reads (2 to 24)"
    case .legacyFormat(let format):
      "the realm has file format \(format); this needs format 10 or later"
    case .halfUpgraded(let what):
      "an app began to upgrade the file format and did not finish: \(what)"
    case .newerFormat(let format):
      "file format \(format) is newer than this version knows (2 to 24)"
    case .unknownHistory(let kind): "history kind \(kind) is unknown (known are 0 to 4)"
    case .noPreviousVersion: "there is no intact commit before the newest one"
    case .unsupported(let what): what
    case .unreadable(let error): error.description
    case .outputExists: "the output already exists"
    case .outputIsRead: "the output is also a file that this command reads"
    case .cannotCreate(let error): error.description
    case .inputOutput(let error): error.description
    case .brokenPipe: "the reader of the output closed it"
    case .changedWhileReading: "the realm was changed while it was read"
    case .shrankWhileReading: "the file became shorter while it was read"
    case .inUse(let holders): "the realm is in use" + RealmFileError.list(holders)
    }
  }

  /// ` by Notes (4711), 4712`; empty if no process is known.
  private static func list(_ holders: [RealmUse.Holder]) -> String {
    guard !holders.isEmpty else { return "" }
    let names = holders.map {
      $0.name.isEmpty ? "process \($0.processID)" : "\($0.name) (\($0.processID))"
    }
    return " by " + names.joined(separator: ", ")
  }
}

extension RealmFileError {
  /// This error or `other`, whichever is nearer to the start of the file. The result does not depend on the order of
  /// threads.
  package func first(of other: RealmFileError?) -> RealmFileError {
    guard let other, other.order <= order else { return self }
    return other
  }

  private var order: (Int, String, String, String) {
    (offset ?? 0, "\(kind)", className ?? "", property ?? "")
  }
}
