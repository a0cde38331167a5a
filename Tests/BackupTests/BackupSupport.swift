import CArchive
import Foundation
import RealmBackup
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport

/// Makes a backup of `paths` as the command does.
@discardableResult
func makeBackup(
  of paths: [String], at archive: String, format: ArchiveFormat = .tar, name: String = "test",
  time: UTCTime = UTCTime(seconds: 1_700_000_000), keys: TestKeys = TestKeys(), isRaw: Bool = false
) throws -> BackupManifest {
  let job = BackupCreateJob(
    BackupCreateJob.Request(
      sources: try BackupSources(paths: paths).sources, name: name, format: format, isRaw: isRaw,
      toolVersion: "0"))
  let prepared = try job.prepare(
    keys: keys, progress: { _, _ in },
    failed: { source, error in preconditionFailure("\(source.path): \(error)") })
  let file = try OutputFile(path: archive, replacing: true)
  let report = try job.write(prepared, at: time, into: file) { _, _ in }
  try file.publish()
  return report.manifest
}

/// A member of a hand-made archive.
struct HandMadeMember {
  var name: String
  var bytes: [UInt8] = []
  /// AE_IFREG and the like.
  var type: UInt32 = 0o100000
  var symlink: String?
  var hardlink: String?
  /// The size that the header claims, if it is wrong.
  var size: Int?
}

enum HandMadeFormat: String, CaseIterable, Sendable {
  case tar, zip
}

/// The bytes of an archive with `members`, which may be invalid.
func handMadeArchive(_ members: [HandMadeMember], _ format: HandMadeFormat = .tar) -> [UInt8] {
  carchive_use_utf8()
  var buffer = [UInt8](repeating: 0, count: 1 << 22)
  var used = 0
  guard let archive = unsafe archive_write_new() else { preconditionFailure() }
  unsafe buffer.withUnsafeMutableBytes { buffer in
    _ =
      format == .tar
      ? unsafe archive_write_set_format_pax_restricted(archive)
      : unsafe archive_write_set_format_zip(archive)
    unsafe archive_write_set_bytes_in_last_block(archive, 1)
    precondition(
      unsafe archive_write_open_memory(archive, buffer.baseAddress, buffer.count, &used) == 0)
    for member in members {
      guard let entry = unsafe archive_entry_new() else { preconditionFailure() }
      unsafe archive_entry_set_pathname_utf8(entry, member.name)
      unsafe archive_entry_set_filetype(entry, member.type)
      unsafe archive_entry_set_perm(entry, 0o644)
      unsafe archive_entry_set_size(entry, Int64(member.size ?? member.bytes.count))
      if let link = member.symlink { unsafe archive_entry_set_symlink_utf8(entry, link) }
      if let link = member.hardlink { unsafe archive_entry_set_hardlink_utf8(entry, link) }
      unsafe archive_write_header(archive, entry)
      unsafe member.bytes.withUnsafeBytes { bytes in
        _ = unsafe archive_write_data(archive, bytes.baseAddress, bytes.count)
      }
      unsafe archive_entry_free(entry)
    }
    unsafe archive_write_close(archive)
  }
  unsafe archive_write_free(archive)
  return Array(buffer[..<used])
}

/// A manifest of realms with these paths and bytes, as an attacker may write it.
func handMadeManifest(_ realms: [(path: String, size: Int, sha256: String)]) -> [UInt8] {
  let list = realms.map { realm in
    """
    {"path":"\(realm.path)","size":\(realm.size),"sha256":"\(realm.sha256)","encrypted":false,\
    "verified":true,"raw":false,"mode":"0644","modified":"2026-01-01T00:00:00Z"}
    """
  }
  return Array(
    """
    {"format":"realm-cli backup","formatVersion":1,"toolVersion":"0","name":"x",\
    "createdAt":"2026-01-01T00:00:00Z","realms":[\(list.joined(separator: ","))]}
    """.utf8)
}

/// Whether the command exits with 65 for `error`.
func isInvalidData(_ error: any Error) -> Bool {
  guard let error = error as? ArchiveError else { return false }
  switch error.kind {
  case .notABackup, .damaged, .hostile: return true
  default: return false
  }
}
