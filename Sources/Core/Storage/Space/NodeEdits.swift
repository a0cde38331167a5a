/// The differences between a copy of a tree and its source: the nodes that are not copied
/// unchanged, by their refs in the source. Elements of an edited node are refs of the source, too.
/// Nodes that no element refers to are not in the copy.
package struct NodeEdits: Sendable {
  /// The replacement of a node.
  package enum Edit: Sendable {
    /// A whole node without refs.
    case node([UInt8])
    /// New elements of a node with refs; the kind of the node stays.
    case elements([Int64])
    /// The node with refs without the elements at these positions, in ascending order: they become
    /// null, and elements at the end are removed.
    case clearing([Int])
  }

  private(set) var edits: [Ref: Edit] = [:]

  package init() {}

  package subscript(ref: Ref) -> Edit? {
    get { edits[ref] }
    set { edits[ref] = newValue }
  }

  package var isEmpty: Bool { edits.isEmpty }
}
