/// The differences between a copy of a tree and its source: the edits of nodes, by the refs of the nodes in the
/// source. The elements of an edited node are refs of the source too. Nodes to which no element refers are not
/// copied.
package struct NodeEdits: Sendable {
  /// A change of a node.
  package enum Edit: Sendable {
    /// Replaces the node by an encoded one without refs.
    case node([UInt8])
    /// Replaces the elements of a node with refs; its kind stays.
    case elements([Int64])
    /// Clears the elements at these positions, in ascending order, of a node with refs: they become null, or are
    /// removed from the end.
    case clearing([Int])
    /// Replaces the node and its children by a node that the new file has already, at this ref.
    case written(Ref)
  }

  private(set) var edits: [Ref: Edit] = [:]

  package init() {}

  package subscript(ref: Ref) -> Edit? {
    get { edits[ref] }
    set { edits[ref] = newValue }
  }

  package var isEmpty: Bool { edits.isEmpty }
}
