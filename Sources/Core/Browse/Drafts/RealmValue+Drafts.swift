import RealmModel

extension RealmValue {
  /// All links in the value.
  var allLinks: [RealmLink] {
    switch self {
    case .link(let link): [link]
    case .object(let values), .list(let values): values.flatMap(\.allLinks)
    case .dictionary(let entries): entries.flatMap(\.value.allLinks)
    default: []
    }
  }

  /// Whether a link in the value leads to an object.
  func links(to target: DraftAddress) -> Bool {
    allLinks.contains { $0.leads(to: target) }
  }

  /// The value after the object was deleted: links to it are null, and lists and sets lose them.
  func withoutLinks(to target: DraftAddress) -> RealmValue {
    switch self {
    case .link(let link): link.leads(to: target) ? .null : self
    case .object(let values): .object(values.map { $0.withoutLinks(to: target) })
    case .list(let values):
      .list(
        values.filter { $0.link?.leads(to: target) != true }.map { $0.withoutLinks(to: target) })
    case .dictionary(let entries):
      .dictionary(
        entries.map { RealmEntry(key: $0.key, value: $0.value.withoutLinks(to: target)) })
    default: self
    }
  }
}

extension RealmValue {
  /// The value with the entries of all its dictionaries in the order of their keys.
  var withSortedEntries: RealmValue {
    switch self {
    case .object(let values): .object(values.map(\.withSortedEntries))
    case .list(let values): .list(values.map(\.withSortedEntries))
    case .dictionary(let entries):
      .dictionary(
        entries.map { RealmEntry(key: $0.key, value: $0.value.withSortedEntries) }
          .sorted { "\($0.key)" < "\($1.key)" })
    default: self
    }
  }
}

extension RealmLink {
  fileprivate func leads(to target: DraftAddress) -> Bool {
    !isUnresolved && DraftAddress(of: self) == target
  }
}

extension DraftAddress {
  /// The address of the object that a link leads to.
  init(of link: RealmLink) {
    self.init(
      classPosition: link.classPosition,
      identity: link.primaryKey.first ?? link.key.map { .int($0.raw) } ?? .null)
  }
}
