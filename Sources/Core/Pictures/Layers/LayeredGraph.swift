/// Boxes and the lines between them, to be laid out in columns.
package struct LayeredGraph: Sendable {
  package struct Box: Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }

  /// A line from the side of a box to the side of another one, or of the same one.
  package struct Line: Sendable {
    package var source: Int
    package var target: Int
    /// Where the line starts, in pixels below the top of the source.
    package var sourceOffset: Int
    /// Where it ends, in pixels below the top of the target. All lines to a target should end at the same place, so that
    /// they can join on their way.
    package var targetOffset: Int

    package init(source: Int, target: Int, sourceOffset: Int, targetOffset: Int) {
      (self.source, self.target) = (source, target)
      (self.sourceOffset, self.targetOffset) = (sourceOffset, targetOffset)
    }
  }

  package var boxes: [Box]
  package var lines: [Line]

  package init(boxes: [Box], lines: [Line]) { (self.boxes, self.lines) = (boxes, lines) }
}
