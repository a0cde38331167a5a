import RealmModel
import RealmStorage

/// Checks whether libraries find the entries of a dictionary of format 21 or 22 (chapter 2, section 8.3): each is under the
/// hash of its key, or listed by the entry there.
struct DictionaryHashCheck {
  /// The key of each entry in the tree.
  private var places: [ObjectKey] = []
  /// Each listed entry, and the entry that lists it.
  private var listed: [(entry: ObjectKey, owner: ObjectKey)] = []

  /// Column 2 of a cluster: for each entry the list of the entries that would have its key.
  private static let listsColumn = 2

  /// Adds the entries of a cluster.
  ///
  /// - Throws: `damaged` with rule `leaf.collection`, `leaf.rows` or `dictionary.hash`, or with a rule for nodes.
  mutating func add(_ cluster: Cluster, _ nodes: NodeReader) throws(RealmFileError) {
    places += cluster.allKeys
    guard cluster.node.count > DictionaryHashCheck.listsColumn + 1 else { return }
    let leaf = try nodes.node(at: try cluster.leaf(at: DictionaryHashCheck.listsColumn))
    let lists = try CollectionRootsLeaf(leaf).values(rows: cluster.count)
    for row in lists.indices where lists[row] != 0 {
      let list = try nodes.node(at: lists[row])
      // The keys in a list differ, so they take at least a byte each. This bounds their number.
      guard list.isIntegers, list.count <= list.header.nodeByteCount else {
        throw .damaged(
          .dictionaryHash, at: list.ref,
          "the list of entries with the hash of entry \(cluster.key(at: row).raw) has \(list.form)")
      }
      let owner = cluster.key(at: row)
      for i in 0..<list.count { listed.append((ObjectKey(list.integer(at: i)), owner)) }
    }
  }

  /// Adds the finding about the dictionary at `root`, if libraries do not find an entry.
  ///
  /// - Parameter keys: the keys of the dictionary, in the order of the entries.
  func report(_ keys: [MixedValue], at root: Ref, _ findings: inout Findings) {
    // An app computes only the hashes of its own platform, so those of one platform must fit all entries.
    var platform = WriterPlatform()
    let wide = problems(keys, platform)
    guard wide.count > 0 else { return }
    platform.hasWideHashes = false
    let narrow = problems(keys, platform)
    guard narrow.count > 0 else { return }
    findings.add(.dictionaryHash, at: root, (narrow.count < wide.count ? narrow : wide).text)
  }

  /// What is wrong with the dictionary for apps of one platform.
  private struct Problems {
    /// Number of entries that are not found, and of listed entries that are not where they belong.
    var lost = 0
    var misplaced = 0
    var firstLost = ""
    var entryCount = 0

    var count: Int { lost + misplaced }
    var text: String {
      lost > 0
        ? "\(lost) of \(entryCount) entries are not under the hash of their key; \(firstLost)"
        : "\(misplaced) entries that are listed under a hash do not exist, or have another hash"
    }
  }

  private func problems(_ keys: [MixedValue], _ platform: WriterPlatform) -> Problems {
    var problems = Problems(entryCount: keys.count)
    let hashes = keys.map { DictionaryHash.objectKey(of: $0, platform) }
    var owners: [ObjectKey: ObjectKey] = [:]
    for (entry, owner) in listed { owners[entry] = owner }
    for (place, hash) in zip(places, hashes) where place != hash && owners[place] != hash {
      if problems.lost == 0 {
        problems.firstLost = "the first has key \(place.raw), expected \(hash.raw)"
      }
      problems.lost += 1
    }
    guard !listed.isEmpty else { return problems }
    // Equal keys, which another rule forbids, are one entry here.
    let stored = Dictionary(zip(places, hashes)) { first, _ in first }
    problems.misplaced = listed.count {
      stored[$0.entry] != $0.owner || stored[$0.owner] != $0.owner
    }
    return problems
  }
}
