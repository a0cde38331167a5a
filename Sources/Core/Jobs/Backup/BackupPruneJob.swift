public import RealmBackup
public import RealmStorage

/// Deletes the backups in a folder that no rule keeps.
///
/// Invariant: a file is deleted only if its name has the form that `backup create` gives it, and
/// its manifest has the same name and time.
public struct BackupPruneJob: Sendable {
  public struct Request: Sendable {
    public var folder: String
    public var retention: Retention
    /// Whether to check the kept backups before anything is deleted.
    public var verifies: Bool
    public var isDryRun: Bool
    /// Number of threads.
    public var jobs: Int

    public init(
      folder: String, retention: Retention, verifies: Bool = false, isDryRun: Bool = false,
      jobs: Int = 1
    ) {
      (self.folder, self.retention, self.verifies) = (folder, retention, verifies)
      (self.isDryRun, self.jobs) = (isDryRun, jobs)
    }
  }

  /// A file in the folder, and the action for it.
  public struct Item: Sendable {
    public enum Action: String, Sendable {
      case kept, deleted
      /// The file is not one of the backups.
      case ignored
    }
    public var path: String
    /// Nil if the file is ignored.
    public var name: String?
    public var createdAt: UTCTime?
    public var byteCount: Int
    public var action: Action
    public var reasons: [String]
  }

  public struct Report: Sendable {
    /// Sorted by name, newest first; ignored files come last.
    public var items: [Item]
    /// Kept backups that are damaged. If there are any, nothing was deleted.
    public var damaged: [any Error]
    public var isDryRun: Bool
  }

  private let request: Request
  private let operations: FileOperations

  /// - Precondition: the retention has a rule.
  public init(_ request: Request) { self.init(request, operations: .system) }

  /// - Parameter operations: tests replace them to inject faults.
  package init(_ request: Request, operations: FileOperations) {
    precondition(!request.retention.isEmpty, "no rule would keep anything")
    (self.request, self.operations) = (request, operations)
  }

  /// - Throws: `unreadable` for the folder; `inputOutput` for a file that cannot be deleted. The files
  ///   deleted before it stay deleted.
  public func run(
    keys: some RealmKeySource, progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    var (groups, ignored): ([String: [Item]], [Item]) = ([:], [])
    for name in try TargetFolder.names(in: request.folder) {
      guard let item = look(at: name) else { continue }
      if let group = item.name {
        groups[group, default: []].append(item)
      } else {
        ignored.append(item)
      }
    }
    var items: [Item] = []
    for name in groups.keys.sorted() {
      var group = groups[name] ?? []
      let reasons = request.retention.reasons(for: group.compactMap(\.createdAt))
      for i in group.indices {
        group[i].reasons = reasons[i]
        group[i].action = reasons[i].isEmpty ? .deleted : .kept
      }
      items += group.sorted {
        ($0.createdAt?.seconds ?? 0, $0.path) > ($1.createdAt?.seconds ?? 0, $1.path)
      }
    }
    let damaged =
      request.verifies ? verify(items.filter { $0.action == .kept }, keys, progress) : []
    if damaged.isEmpty, !request.isDryRun {
      // Oldest first: if a deletion fails, the newer files are left.
      for item in items.reversed() where item.action == .deleted {
        try FileRemoval(operations: operations).remove(item.path)
      }
    }
    return Report(items: items + ignored, damaged: damaged, isDryRun: request.isDryRun)
  }

  /// The archive `name` in the folder; nil if it is not a regular file, or not named like an archive.
  private func look(at name: String) -> Item? {
    let path = request.folder + "/" + name
    guard OutputFile.isRegular(path), !TargetFolder.isLink(path) else { return nil }
    guard ArchiveFormat(ofName: name) != nil else { return nil }
    var item = Item(
      path: path, name: nil, createdAt: nil, byteCount: 0, action: .ignored, reasons: [])
    let manifest: BackupManifest
    do {
      item.byteCount = try FileDescriptor.openForReading(path).size()
      manifest = try BackupListJob(path: path).run()
    } catch {
      item.reasons = ["its manifest cannot be read: \(error)"]
      return item
    }
    guard let time = UTCTime(manifest.createdAt) else {
      item.reasons = ["its manifest has no time, but \(manifest.createdAt)"]
      return item
    }
    guard ArchiveFormat.stem(of: name) == BackupName.stem(manifest.name, at: time) else {
      item.reasons = ["its name is not <name>-<time> of its manifest"]
      return item
    }
    (item.name, item.createdAt) = (manifest.name, time)
    return item
  }

  private func verify(
    _ items: [Item], _ keys: some RealmKeySource, _ progress: (Int, Int) -> Void
  ) -> [any Error] {
    let total = items.reduce(0) { $0 + $1.byteCount }
    var done = 0
    var damaged: [any Error] = []
    for item in items {
      do {
        let report = try BackupVerifyJob(path: item.path, jobs: request.jobs).run(keys: keys)
        if !report.isGood {
          let bad = report.realms.first { $0.state == .damaged || $0.state == .missing }
          let error =
            report.problem ?? bad?.problem
            ?? ArchiveError(.damaged("\(bad?.path ?? "a realm") is missing"))
          damaged.append(error.with(path: item.path))
        }
      } catch {
        damaged.append(error.adding(path: item.path))
      }
      done += item.byteCount
      progress(done, total)
    }
    return damaged
  }
}
