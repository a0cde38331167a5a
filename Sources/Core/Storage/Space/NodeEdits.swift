/// What is different in a copy of a tree: the nodes that are not copied as they are, by their refs in
/// the source. Elements of an edited node are refs of the source, too, and what no element leads to
/// is not in the copy.
package struct NodeEdits: Sendable {
  /// What takes the place of a node.
  package enum Edit: Sendable {
    /// A whole node without refs.
    case node([UInt8])
    /// The elements of a node with refs, of the same kind.
    case elements([Int64])
    /// The node with refs without the elements at these positions, in ascending order: they become
    /// null, and one at the end is left out.
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
