import RealmModel
import RealmStorage

/// What a scan over the objects of a table checks.
struct ObjectPlan: Sendable {
  let table: Table
  /// Whether to scan the tombstones of the table instead of its objects.
  let isTombstones: Bool
  /// Whether to check keys, leaves and collections. If false, the scan only adds up links and values.
  var checksValues = false
  /// Positions in the table of the columns whose links are summed.
  var linkColumns: Set<Int> = []
  /// Positions in the table of the backlink columns whose backlinks are summed.
  var backlinkColumns: Set<Int> = []
  /// Whether each object must have exactly one owner, named by the backlink columns.
  var hasOwners = false
  /// Columns to compare with their index, by position in the table.
  var indexedColumns: [Int: IndexMethod] = [:]
  /// Slots of tables that exist but cannot be read: the scan cannot check links to them.
  var unreadableSlots: Set<Int> = []
  /// The pairs to collect one by one; nil for none.
  var collected: Collected?

  /// Kinds of pairs, and the most that are kept.
  enum Collected {
    /// Target and origin of each link to objects of a table.
    case links(to: TableKey, limit: Int)
    /// Target and origin of each backlink.
    case backlinks(limit: Int)
    /// Hash of each word, and its object.
    case words(limit: Int)
  }

  init(_ table: Table, tombstones: Bool) {
    (self.table, isTombstones) = (table, tombstones)
  }

  /// Whether the scan has nothing to check.
  var isIdle: Bool {
    !checksValues && linkColumns.isEmpty && backlinkColumns.isEmpty && !hasOwners
      && indexedColumns.isEmpty
  }
}

/// The cluster trees of a realm, and the plan for checking each. All passes that read objects share them.
struct ObjectTrees: Sendable {
  /// The objects of a table, or its tombstones.
  struct Tree: Sendable {
    let plan: ObjectPlan
    let scan: ClusterTreeScan
  }

  /// The trees with something to check, in the order of the tables, objects before tombstones.
  let trees: [Tree]
  let links: LinkCheck

  /// - Throws: errors other than damage.
  init(_ context: VerifyContext) throws(RealmFileError) {
    let nodes = try context.snapshot.makeReader()
    let links = LinkCheck(
      context.realm.schema,
      tables: context.classes == nil ? nil : Set(context.tables.map(\.key)),
      unreadableSlots: context.unreadableSlots)
    var trees: [Tree] = []
    // One traversal: no two trees share a node.
    try nodes.traversing { () throws(RealmFileError) in
      for table in context.realm.schema.tables {
        for isTombstones in [false, true] {
          let root = isTombstones ? table.tombstones : table.clusters
          let plan = ObjectTrees.plan(table, isTombstones: isTombstones, links, context, nodes)
          guard root != 0, !plan.isIdle else { continue }
          let subject = Findings.Subject(at: root, className: table.className.text)
          let scan = try ClusterTreeScan(
            root: root, nodes: nodes, about: subject, limit: context.limit)
          trees.append(Tree(plan: plan, scan: scan))
        }
      }
    }
    (self.trees, self.links) = (trees, links)
  }

  private static func plan(
    _ table: Table, isTombstones: Bool, _ links: LinkCheck, _ context: VerifyContext,
    _ nodes: NodeReader
  ) -> ObjectPlan {
    var plan = ObjectPlan(table, tombstones: isTombstones)
    links.complete(&plan)
    guard context.isWanted(table) else { return plan }
    plan.checksValues = true
    guard !isTombstones else { return plan }
    for (i, column) in table.columns.enumerated()
    where column.index != 0 && IndexCheck.isAllowed(column, of: table) {
      plan.indexedColumns[i] = IndexMethod(for: column, nodes)
    }
    return plan
  }

  /// The objects of `table`; nil if nothing in them is checked.
  func objects(of table: Table) -> Tree? {
    trees.first { $0.plan.table.key == table.key && !$0.plan.isTombstones }
  }
}
