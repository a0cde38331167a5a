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
    // A local variable, because each access to a property is checked for exclusivity.
    var list = BacklinkList(form)
    swap(&list.origins, &origins)
    defer { swap(&list.origins, &origins) }
    while try inBuild(nextTarget()) == target {
      try inBuild(list.append(nextOrigin.raw, into: nodes))
      next += 2
    }
    return try list.finish(into: nodes)
  }
}

/// Writes the backlinks of one object.
struct BacklinkList {
  private let form: FileFormat.BacklinkForm
  private var tree = BPlusTreeBuilder()
  /// The keys that are not in a leaf yet; empty at the end.
  fileprivate var origins: [Int64] = []

  init(_ format: FileFormat) { self.init(format.backlinks) }

  fileprivate init(_ form: FileFormat.BacklinkForm) { self.form = form }

  /// Appends the key of an object with a link.
  mutating func append(_ origin: Int64, into nodes: FileNodes) throws(RealmFileError) {
    if form == .tree, origins.count == BPlusTreeLeaves.capacity {
      tree.append(.placed(try nodes.append(integers: origins)), count: origins.count)
      origins.removeAll(keepingCapacity: true)
    }
    origins.append(origin)
  }

  /// Appends the rest of the list.
  ///
  /// - Returns: the element for the leaf, and the number of links.
  /// - Throws: `tooMany` if the links do not fit into one array, in formats before 24; the errors of files.
  mutating func finish(into nodes: FileNodes) throws(BuildError) -> (Int64, Int) {
    defer { origins.removeAll(keepingCapacity: true) }
    guard origins.count <= NodeHeader.elementLimit else {
      throw BuildError(
        .tooMany(
          "an object has \(origins.count) links to it; in formats before 24, at most "
            + "\(NodeHeader.elementLimit) objects of a property can link to one"))
    }
    guard tree.count > 0 else {
      // Most objects have few backlinks.
      guard origins.count > 1 else {
        return (origins.first.map { BacklinkLeaf.element(ObjectKey($0)) } ?? 0, origins.count)
      }
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
