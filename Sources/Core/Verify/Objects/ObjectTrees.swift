import RealmModel
import RealmStorage

/// The cluster trees of a realm and the plan for checking each of them, shared by the checks of
/// objects and of indexes.
struct ObjectTrees: Sendable {
  /// The objects of a table, or its tombstones.
  struct Tree: Sendable {
    let plan: ObjectPlan
    let scan: ClusterTreeScan
  }

  /// The trees with something to check, in the order of the tables, objects before tombstones.
  let trees: [Tree]
  let links: LinkCheck

  /// - Throws: errors that say nothing about the file.
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
