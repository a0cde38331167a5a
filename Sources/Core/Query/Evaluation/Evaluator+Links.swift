import RealmModel
import RealmStorage

/// The objects that some objects link to.
struct LinkedObjects {
  let table: Table
  /// The objects, without null links and links to tombstones.
  var keys: [ObjectKey]
  /// End position of each row's objects.
  var ends: [Int]

  func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

  /// Number of objects of each row.
  var counts: [Int] { ends.indices.map { range(of: $0).count } }
}

extension Evaluator {
  /// Follows `links`, at least one, from the objects in `rows`.
  func follow(
    _ links: [LinkStep], _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> LinkedObjects {
    var linked = try follow(links[0], frame, rows)
    for link in links.dropFirst() {
      guard !linked.keys.isEmpty else {
        linked = LinkedObjects(table: schema.tables[link.target], keys: [], ends: linked.ends)
        continue
      }
      let objects = try objects(linked, from: frame)
      let next = try follow(link, objects.frame, objects.rows)
      linked = LinkedObjects(
        table: next.table, keys: next.keys,
        ends: linked.ends.map { $0 == 0 ? 0 : next.ends[$0 - 1] })
    }
    return linked
  }

  private func follow(
    _ link: LinkStep, _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> LinkedObjects {
    var linked = LinkedObjects(table: schema.tables[link.target], keys: [], ends: [])
    linked.ends.reserveCapacity(rows.count)
    switch link.source {
    case .backlinks(let origin, let property):
      let column = schema.tables[origin].columns[property]
      let backlinks = try backlinks(from: schema.tables[origin], column, frame)
      if let backlinks, link.pick == nil, rows.count == frame.rows.count,
        backlinks.keys.allSatisfy({ !$0.isUnresolved && !$0.isNull })
      {
        (linked.keys, linked.ends) = (backlinks.keys, backlinks.ends)
        return linked
      }
      for row in rows {
        linked.append(backlinks?.keys ?? [], backlinks?.range(of: row) ?? 0..<0, nil, link.pick)
        guard linked.keys.count <= frame.limit else { throw ObjectFrame.tooMany }
      }
    case .property(let property):
      switch try frame.column(property) {
      case .link(let column):
        for row in rows {
          let key = column.keys[row]
          if !key.isNull, !key.isUnresolved { linked.keys.append(key) }
          linked.ends.append(linked.keys.count)
        }
      case .collection(let column):
        guard case .link(let elements) = column.elements else { break }
        for row in rows {
          linked.append(elements.keys, column.range(of: row), column.keys, link.pick)
          // Several rows can belong to one object.
          guard linked.keys.count <= frame.limit else { throw ObjectFrame.tooMany }
        }
      case .scalar, .mixed, .embedded: break
      }
      // A column of a class that does not exist has no links.
      while linked.ends.count < rows.count { linked.ends.append(linked.keys.count) }
    }
    return linked
  }

  /// The links to the objects of `frame` from `column`; nil if the table has no backlink column for it.
  private func backlinks(
    from origin: Table, _ column: Column, _ frame: ObjectFrame
  ) throws(RealmFileError) -> PropertyReader.Backlinks? {
    let found = frame.table.backlinkColumns.firstIndex {
      $0.origin == origin.key && $0.originColumn == column.key
    }
    guard let found else { return nil }
    return try frame.backlinks(found)
  }
}

extension PropertyReader.Backlinks {
  fileprivate func range(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }
}

extension LinkedObjects {
  /// Appends a row with the links in `range`, or with the one that `pick` selects.
  ///
  /// - Parameter names: the keys of a dictionary.
  fileprivate mutating func append(
    _ links: [ObjectKey], _ range: Range<Int>, _ names: ScalarColumn?, _ pick: ElementPick?
  ) {
    defer { ends.append(keys.count) }
    let isShown: (ObjectKey) -> Bool = { !$0.isNull && !$0.isUnresolved }
    switch pick {
    case nil: for i in range where isShown(links[i]) { keys.append(links[i]) }
    case .key(let key):
      guard let i = names?.position(of: key, in: range), isShown(links[i]) else { return }
      keys.append(links[i])
    case .index, .first, .last:
      let shown = range.filter { isShown(links[$0]) }
      if let i = pick?.position(in: shown.count) { keys.append(links[shown[i]]) }
    }
  }
}

extension ScalarColumn {
  /// The position in `range` of the dictionary key with these bytes.
  func position(of key: [UInt8], in range: Range<Int>) -> Int? {
    guard case .string(let keys) = self else { return nil }
    return range.first { keys[$0]?.bytes.elementsEqual(key) ?? false }
  }
}
