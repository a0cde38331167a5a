import RealmModel
import RealmStorage

/// Builds a backlink column of a new table from the links to its objects, target by target.
final class BacklinkBuilder {
  let path: BuildPiece.LinkPath
  let key: ColumnKey
  /// Key of the target and key of the object with the link, sorted by both; nil if there are no links.
  private let links: SortedRuns?
  private var words: [UInt64] = []
  private var next = 0
  private let form: FileFormat.BacklinkForm
  /// Memory for the keys of the objects that link to one target; empty between calls.
  private var origins: [Int64] = []

  init(
    _ path: BuildPiece.LinkPath, key: ColumnKey, _ links: SortedRuns?, _ format: FileFormat
  ) {
    (self.path, self.key, self.links, form) = (path, key, links, format.backlinks)
  }

  /// Sorts the links.
  ///
  /// - Throws: the errors of an unlinked file.
  func begin() throws(RealmFileError) { try links?.finish() }

  /// The target of the next link; nil after the last one.
  func nextTarget() throws(RealmFileError) -> ObjectKey? {
    if next == words.count {
      (words, next) = (try links?.next() ?? [], 0)
    }
    return next < words.count ? ObjectKey(Int64(bitPattern: words[next])) : nil
  }

  /// The object with the next link.
  var nextOrigin: ObjectKey { ObjectKey(Int64(bitPattern: words[next + 1])) }

  /// Skips the links to `target`, the next target.
  func skip(_ target: ObjectKey) throws(RealmFileError) {
    while try nextTarget() == target { next += 2 }
  }

  /// Appends the list of links to `target`, the next target.
  ///
  /// - Returns: the element for the leaf, and the number of links.
  /// - Throws: `tooMany` if the links do not fit into one array, in formats before 24; the errors of files.
  func take(_ target: ObjectKey, into nodes: FileNodes) throws(BuildError) -> (Int64, Int) {
    var tree = BPlusTreeBuilder()
    // A local variable, because each access to a property is checked for exclusivity.
    var origins: [Int64] = []
    swap(&origins, &self.origins)
    defer {
      origins.removeAll(keepingCapacity: true)
      swap(&origins, &self.origins)
    }
    while try inBuild(nextTarget()) == target {
      if form == .tree, origins.count == BPlusTreeLeaves.capacity {
        tree.append(.placed(try inBuild(nodes.append(integers: origins))), count: origins.count)
        origins.removeAll(keepingCapacity: true)
      }
      origins.append(nextOrigin.raw)
      next += 2
    }
    guard origins.count <= NodeHeader.elementLimit else {
      throw BuildError(
        .tooMany(
          "an object has \(origins.count) links to it; in formats before 24, at most "
            + "\(NodeHeader.elementLimit) objects of a property can link to one"))
    }
    guard tree.count > 0 else {
      // Most objects have few backlinks.
      guard origins.count > 1 else { return (BacklinkLeaf.element(ObjectKey(origins[0])), 1) }
      // Keys that are all 0 need no bits, but a larger leaf without bytes is not read (``Leaf/check(_:rows:at:)``).
      let needsBits =
        origins.count > BPlusTreeLeaves.capacity && NodeEncoder.widthCode(of: origins) == 0
      return (
        Int64(try inBuild(nodes.append(integers: origins, widthCode: needsBits ? 1 : nil))),
        origins.count
      )
    }
    let count = tree.count + origins.count
    tree.append(.placed(try inBuild(nodes.append(integers: origins))), count: origins.count)
    return (Int64(tree.finish(into: nodes.buffer)), count)
  }
}
