#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the realms in the files and folders that a user named.
///
/// A named file is not checked; opening it shows whether it is a realm. A folder is searched with its
/// subfolders. A file in it counts as a realm if its content says so, or if its name ends with `.realm`: without the
/// name, a realm with a destroyed header would be passed over silently. Symbolic links inside of a folder are
/// skipped, so the search ends and finds no file twice.
public struct RealmSearch: Sendable {
  /// The paths of the realms, in the order of the arguments; those in a folder are sorted by the bytes of their
  /// paths.
  public private(set) var realms: [String] = []
  /// Errors for folders that could not be searched and for files in folders that could not be read, each with
  /// its path.
  public private(set) var problems: [RealmFileError] = []

  /// - Parameter share: only its realms are found; nil for all.
  public init(paths: [String], share: RealmShare? = nil) {
    var seen: Set<ExactText> = []
    for path in paths {
      for realm in OutputFile.isFolder(path) ? search(path) : [path]
      where share?.contains(realm) != false && seen.insert(ExactText(realm)).inserted {
        realms.append(realm)
      }
    }
  }

  /// The realms in `folder` and its subfolders.
  private mutating func search(_ folder: String) -> [String] {
    var found: [String] = []
    var waiting = [folder]
    while let next = waiting.popLast() {
      for name in names(in: next) where !AuxiliaryFiles.isAuxiliary(name) {
        let path = next.hasSuffix("/") ? next + name : next + "/" + name
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { continue }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: waiting.append(path)
        case S_IFREG:
          do throws(RealmFileError) {
            let isRealm = name.hasSuffix(".realm") ? true : try RealmSearch.isRealm(path)
            if isRealm { found.append(path) }
          } catch {
            problems.append(error.adding(path: path))
          }
        default: break
        }
      }
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names in `folder`. Reports a problem for each name that is not UTF-8.
  private mutating func names(in folder: String) -> [String] {
    let found: [String?]
    do throws(SystemError) {
      found = try Folder.names(in: folder)
    } catch {
      problems.append(RealmFileError(.unreadable(error), path: folder))
      return []
    }
    let names = found.compactMap(\.self)
    for _ in names.count..<found.count {
      let reason = SystemError(EILSEQ, "read a file whose name is not UTF-8")
      problems.append(RealmFileError(.unreadable(reason), path: folder))
    }
    return names
  }

  /// Whether the file at `path` has the header of a realm or looks like an encrypted realm (chapter 1, sections
  /// 1.1 and 5.5).
  ///
  /// - Throws: `unreadable`, `inputOutput`.
  static func isRealm(_ path: String) throws(RealmFileError) -> Bool {
    let descriptor = try FileDescriptor.openForReading(path, isInput: false)
    let start = try descriptor.read(at: 0, count: EncryptedLayout.entryByteCount)
    let size = try descriptor.size()
    if FileHeader.hasMnemonic(start) { return true }
    return size % EncryptedLayout.pageByteCount == 0
      && size >= EncryptedLayout.minimumFileByteCount && EncryptedLayout.isLikelyEntry(start)
  }
}
