import Foundation
import TestSupport
import Testing

/// `docs/cookbook/backups-to-restic.md`: restic cuts an archive into chunks of at most 8 MiB by its content.
@Suite("Backups to restic", .enabled(if: Programs.isInstalled("restic"), "needs restic"))
struct ResticTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Backs up `a.realm` to restic.
  ///
  /// - Returns: the bytes of the archive, and those of its chunks that restic did not have.
  private func backUp(_ options: String = "") throws -> (all: Int, new: Int) {
    let run = try runScript(
      """
      realm-cli backup create a.realm -o - --format tar -q \(options) |
        restic backup --stdin --stdin-filename a.tar --json --no-cache | tail -1
      """,
      environment: ["RESTIC_REPOSITORY": folder.path("repository"), "RESTIC_PASSWORD": "secret"],
      folder: folder.url)
    #expect(run.status == 0, "\(run.stderr)")
    let summary = try JSONParser.parse(run.stdout)
    let all = try #require(summary["total_bytes_processed"]?.int)
    return (all, try #require(summary["data_added"]?.int))
  }

  /// The first chunk has the manifest, with the time of the backup.
  @Test(
    "an uncompressed archive of an unchanged realm has the same chunks, except for the first one",
    arguments: ["", "--raw"])
  func unchanged(options: String) throws {
    var random = SplitMix64(seed: 1)
    var text = "id,text\n"
    for row in 0..<150_000 {
      text += "\(row),"
      for _ in 0..<8 { text += String(random.next(), radix: 36) }
      text += "\n"
    }
    try folder.write(Array(text.utf8), to: "a.csv")
    let imported = try runTool(
      "import", "a.csv", "--class", "A", "--primary-key", "id", "-o", "a.realm", "-q",
      folder: folder.url)
    #expect(imported.status == 0, "\(imported.stderr)")
    let created = try runScript(
      "restic init -q -r repository", environment: ["RESTIC_PASSWORD": "secret"], folder: folder.url
    )
    #expect(created.status == 0, "\(created.stderr)")

    let first = try backUp(options)
    #expect(first.all > 16 << 20)
    #expect(first.new >= first.all)
    let second = try backUp(options)
    #expect(second.all == first.all)
    // The chunk, and what describes the snapshot.
    #expect(second.new < (8 << 20) + (64 << 10))
  }
}
