/// Why a realm file could not be used, with the facts a person needs to act on it.
///
/// The type carries facts; the sentences are made in `RealmFileError+Messages.swift` and the
/// command layer maps `kind` to an exit code in one table.
public struct RealmFileError: Error, Equatable, Sendable {
  /// What is wrong, by what the user has to do about it.
  public enum Kind: Equatable, Sendable {
    /// The file has no bytes.
    case empty
    /// The file is not a realm: too small, or without the mnemonic of one.
    case notARealm
    /// The file ends before what it says it holds; `missingBytes` is nil where that is unknown.
    case truncated(missingBytes: Int?)
    /// The header contradicts itself; the text says how.
    case damagedHeader(String)
    /// A ref, size, count or value in the file breaks a rule of the file format.
    case damaged(Rule)
    /// The page of an encrypted file fails its HMAC. Page 0 is the one of the header.
    case damagedPage(Int)
    /// The key opens nothing in this file.
    case wrongKey
    /// A key was given for a file that is not encrypted.
    case notEncrypted
    /// The file looks encrypted and no key was given.
    case keyMissing
    /// A key, or the file it comes from, is not usable; the text says why.
    case badKey(String)
    /// File formats 1 to 9, which are not read yet.
    case oldFormat(Int)
    /// A file format newer than this tool knows.
    case newerFormat(Int)
    /// A history kind that does not exist.
    case unknownHistory(Int)
    /// There is no intact commit before the newest one.
    case noPreviousVersion
    /// A feature of the file that cannot be carried; the text says which.
    case unsupported(String)
    /// The file does not exist or may not be read.
    case unreadable(SystemError)
    /// The output exists already.
    case outputExists
    /// The output cannot be created.
    case cannotCreate(SystemError)
    /// Reading or writing failed.
    case inputOutput(SystemError)
    /// Whoever reads the output closed it; not a mistake of anybody.
    case brokenPipe
    /// A process has the realm open and changed it while it was read.
    case changedWhileReading
    /// The file became shorter while it was read.
    case shrankWhileReading
    /// A process has the realm open, so it cannot be changed or replaced; the processes, as far as
    /// they can be known.
    case inUse([RealmUse.Holder])
    /// Data of the user would be lost that only the option named can give up; the text says which.
    case wouldLose(String, option: String)
    /// The class named by the user is not in the realm.
    case noSuchClass(String)
    /// A property that cannot be left out of a realm; the text says why.
    case cannotDrop(String)
    /// No class has a property of the name given by the user.
    case noSuchProperty(String)
    /// The class named by the user has no objects of its own: they stand in those of other classes.
    case embeddedClass(String)
    /// The file is no archive that `backup create` wrote; the text says why.
    case notABackup(String)
    /// Bytes of a backup are not those that were written; the text says which.
    case damagedBackup(String)
    /// A backup holds what would write outside the target, or more than it says; nothing is taken from
    /// it.
    case hostileBackup(String)
    /// The backup has no realm of the name given by the user.
    case noSuchRealm(String)
    /// A symbolic link is where a realm of a backup goes; what it leads to is not replaced.
    case linkInTarget
    /// Two realms would have this name in a backup.
    case sameNames(String)
    /// One realm of a backup was asked for where this many are.
    case severalRealms(Int)
  }

  public var kind: Kind
  /// Path as the user wrote it; empty where the bytes did not come from a file.
  public var path: String
  /// Byte offset in the (decrypted) file where the problem was seen.
  public var offset: Int?
  /// What the file is instead of a realm, as "a ZIP archive", where that can be seen.
  public var found: String?
  /// Name of the class that the place belongs to, without prefix.
  public var className: String?
  /// Name of the property that the place belongs to.
  public var property: String?
  /// Key of the object that the place belongs to.
  public var objectKey: Int64?
  /// What was found and what was expected, with values, where `kind` alone does not tell it.
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

  /// A rule that the bytes at `offset` break.
  ///
  /// - Parameter detail: what was found and what was expected, with values; nil where the sentence of
  ///   the rule says it all.
  public static func damaged(
    _ rule: Rule, at offset: Int, _ detail: String? = nil
  ) -> RealmFileError {
    RealmFileError(.damaged(rule), offset: offset, detail: detail)
  }

  /// The same error with the facts that a caller further up knows, where they are still missing.
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

/// A failed system call: its number and what was being done.
public struct SystemError: Error, Equatable, Sendable {
  /// `errno` after the call.
  public var number: Int32
  /// What the call was to do, as "open the file".
  public var action: String

  public init(_ number: Int32, _ action: String) {
    self.number = number
    self.action = action
  }
}
