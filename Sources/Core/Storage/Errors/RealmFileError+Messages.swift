#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension RealmFileError: CustomStringConvertible {
  /// One line: the path, the place in the file, and what is wrong there.
  public var description: String {
    let prefix = path.isEmpty ? "" : "\(path): "
    return prefix + place + problem
  }

  /// Byte offset, class, property and object, as far as they are known.
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
    case .truncated(.some(1)): "truncated: at least 1 byte is missing at the end"
    case .truncated(.some(let missing)):
      "truncated: at least \(missing) bytes are missing at the end"
    case .truncated(.none): "truncated: the end of the file is missing"
    case .damagedHeader(let how): "the file header is damaged: \(how)"
    case .damaged(let rule): "damaged: \(detail ?? rule.expectation) (rule \(rule.rawValue))"
    case .damagedPage(0):
      "damaged: page 0 of the encrypted file, with the file header, fails its checksum"
    case .damagedPage(let page): "damaged: page \(page) of the encrypted file fails its checksum"
    case .wrongKey: "the key does not fit this realm"
    case .notEncrypted: "a key was given, but the realm is not encrypted"
    case .keyMissing: "the realm is encrypted and no key was given"
    case .badKey(let why): "unusable key: \(why)"
    case .oldFormat(let format): "file format \(format) is older than this version reads (10 to 24)"
    case .newerFormat(let format):
      "file format \(format) is newer than this version knows (10 to 24)"
    case .unknownHistory(let kind): "history kind \(kind) is unknown"
    case .noPreviousVersion: "there is no intact commit before the newest one"
    case .unsupported(let what): what
    case .unreadable(let error): "cannot \(error.action): \(error.text)"
    case .outputExists: "the output exists already"
    case .cannotCreate(let error): "cannot \(error.action): \(error.text)"
    case .inputOutput(let error): "cannot \(error.action): \(error.text)"
    case .brokenPipe: "the reader of the output closed it"
    case .changedWhileReading: "the realm was changed while it was read"
    case .shrankWhileReading: "the file became shorter while it was read"
    case .inUse(let holders): "the realm is in use" + RealmFileError.list(holders)
    case .wouldLose(let what, _): what
    case .noSuchClass(let name): "there is no class named \(name)"
    case .cannotDrop(let why): why
    case .noSuchProperty(let name): "no class has a property named \(name)"
    case .embeddedClass(let name): "the objects of class \(name) are embedded in those of others"
    case .notABackup(let why): "this is not a backup of realm-cli: \(why)"
    case .damagedBackup(let how): "the backup is damaged: \(how)"
    case .hostileBackup(let how): "the archive is refused: \(how)"
    case .noSuchRealm(let name): "the backup has no realm named \(name)"
    case .linkInTarget: "a symbolic link is where the realm goes"
    case .sameNames(let name): "another realm is called \(name) in the backup already"
    case .severalRealms(let count): "the backup has \(count) realms, and one is asked for"
    }
  }

  /// ` by Notes (4711), 4712`, or nothing where no process is known.
  private static func list(_ holders: [RealmUse.Holder]) -> String {
    guard !holders.isEmpty else { return "" }
    let names = holders.map {
      $0.name.isEmpty ? "process \($0.processID)" : "\($0.name) (\($0.processID))"
    }
    return " by " + names.joined(separator: ", ")
  }

  /// What the user can do next, if anything.
  public var hint: String? {
    switch kind {
    case .empty: "an app that opens this path creates a new realm in it; look for a backup"
    case .notARealm where found != nil: "check the path, or unpack or fetch the realm first"
    case .notARealm: "check the path; an app keeps its data in the file with the extension .realm"
    case .truncated:
      "copy the file again from its source; `--previous` may read the commit before the newest one"
    case .damagedHeader, .damaged, .damagedPage:
      "copy the file again from its source; `--previous` reads the commit before the newest one"
    case .wrongKey: "give the 64 bytes that the app opens this realm with"
    case .notEncrypted: "leave the key option out"
    case .keyMissing: "give the key with --key-file or --key-command"
    case .badKey: "a key is 64 raw bytes, 128 hexadecimal digits, or their base64"
    case .oldFormat: "open it once with an SDK of its time to upgrade a copy"
    case .newerFormat: "look for a newer version of realm-cli"
    case .noPreviousVersion: "leave --previous out"
    case .outputExists: "name another file, or use --force to replace it"
    case .inUse: "close the app that has it open, then try again"
    case .wouldLose(_, let option): "\(option) gives that up"
    case .changedWhileReading: "try again, or close the app that has it open"
    case .shrankWhileReading: "find out what cuts the file, then copy it again from its source"
    case .noSuchClass: "`realm-cli schema show` lists the classes"
    case .cannotDrop:
      "leave it in, and open the result with a schema version above the stored one: the SDK then "
        + "drops what the classes of the app do not declare"
    case .noSuchProperty: "`realm-cli schema show` lists the properties of the classes"
    case .embeddedClass: "name the classes that own them; `realm-cli schema show` tells which"
    case .unknownHistory: "look for a newer version of realm-cli"
    case .notABackup: "check the path; `backup create` makes backups"
    case .damagedBackup:
      "`backup verify` tells what is still good, and `backup restore --partial` takes that"
    case .hostileBackup: "do not unpack it with other tools either"
    case .noSuchRealm: "`realm-cli backup list` tells the names"
    case .linkInTarget: "remove the link, or name what it leads to with --to"
    case .sameNames: "name a folder that both are in, or make a backup of each"
    case .severalRealms: "name one of them; `realm-cli backup list` tells the names"
    case .unreadable(let error): error.readingHint
    case .cannotCreate(let error), .inputOutput(let error): error.writingHint
    case .unsupported, .brokenPipe: nil
    }
  }
}

extension SystemError {
  /// `ENOENT`.
  package static var noSuchFile: Int32 { ENOENT }

  /// The system's own words for the error number.
  public var text: String {
    unsafe String(cString: strerror(number))
  }

  /// What to do about an output that cannot be made.
  fileprivate var writingHint: String? {
    switch number {
    case EISDIR: "name a file in this folder"
    case ENOENT: "create the folder first"
    case EACCES, EPERM: "check the permissions of the folder"
    case EROFS: "name a file on a disk that can be written to"
    case ENOSPC, EDQUOT: "make room on the disk, then try again"
    default: nil
    }
  }

  /// What to do about an input that cannot be read.
  fileprivate var readingHint: String? {
    switch number {
    case ENOENT, ENOTDIR: "check the path"
    case EISDIR: "name a realm in this folder"
    case EACCES, EPERM: "check the permissions of the file and of the folders that it is in"
    default: nil
    }
  }
}
