import RealmInterchange
import RealmModel
import RealmStorage
import Synchronization

/// The changes of one realm that are not saved yet: a patch (docs/patch.md) over the version that pages show.
///
/// Invariant 1: the realm is changed only by ``save(over:_:)``, which is the job of `apply`.
/// Invariant 2: an edit becomes part of the draft as a whole or not at all.
/// Invariant 3: what a draft has is in its file before the edit is answered, if it has one.
package final class Draft: Sendable {
  /// The most edits that can be undone.
  private static let stepLimit = 1000

  private struct Content {
    var state = DraftState()
    var undo: [DraftStep] = []
    var redo: [DraftStep] = []
    /// The version that the draft is over; nil at first.
    var view: RealmView?
    /// Whether the file was looked for.
    var wasRead = false
    /// Whether the draft was kept by an earlier process.
    var isRestored = false
    /// Where a kept draft is that does not fit the realm.
    var unfit: String?
  }

  private let content = Mutex(Content())
  private let file: DraftFile?

  /// - Parameter file: where the draft is kept; nil for nowhere.
  package init(file: DraftFile?) { self.file = file }

  /// What pages need to know besides the state.
  package struct Status: Sendable {
    package var state: DraftState
    package var canUndo: Bool
    package var canRedo: Bool
    /// Whether the draft comes from an earlier process that ended before it was saved.
    package var isRestored: Bool
    /// The path of a kept draft that does not fit the realm any more; nil if there is none.
    package var unfit: String?
  }

  /// The draft over a version of the realm. If it was over another one, it is laid over this one: its old values stay, so that
  /// saving finds what others changed.
  ///
  /// - Throws: the errors of reading the realm and a kept draft.
  package func status(over view: RealmView) throws -> Status {
    try content.withLock { content in
      try lay(&content, over: view)
      return Status(
        state: content.state, canUndo: !content.undo.isEmpty, canRedo: !content.redo.isEmpty,
        isRestored: content.isRestored, unfit: content.unfit)
    }
  }

  private func lay(_ content: inout Content, over view: RealmView) throws {
    if !content.wasRead {
      if let file = keptFile(view), let kept = try file.read() {
        do {
          var edit = try DraftEdit(DraftState(), view)
          for line in try edit.values.lines(DraftPatch.changes(in: kept)) { try edit.restore(line) }
          content.state = edit.state
          content.isRestored = !edit.state.isEmpty
        } catch is ImportError {
          // The realm has other classes now. The text stays for a person to look at.
          content.unfit = try file.setAside()
        }
      }
      (content.wasRead, content.view) = (true, view)
    }
    guard let before = content.view, before !== view else {
      content.view = view
      return
    }
    var edit = try DraftEdit(DraftState(), view)
    let context = RealmJSONValueText.Context(
      schema: before.schema, classNames: before.schema.classes.map(\.name))
    for object in content.state.sorted {
      // As text, because positions of classes and properties may differ.
      var text = RealmJSONValueText()
      text.append(object.line, context)
      for line in try edit.values.lines(text.take()) { try edit.restore(line, key: object.key) }
    }
    let revision = content.state.revision + 1
    (content.state, content.view) = (edit.state, view)
    content.state.revision = revision
    (content.undo, content.redo) = ([], [])
  }

  private func keptFile(_ view: RealmView) -> DraftFile? {
    view.snapshot.isEncrypted ? nil : file
  }

  // MARK: Edits

  /// Makes an edit.
  ///
  /// - Parameter body: makes changes; if it throws, the draft stays as it was.
  /// - Returns: the draft with the edit.
  /// - Throws: ``DraftError``, ``ImportError``; the errors of reading the realm, and of keeping the draft.
  @discardableResult
  func edit(
    over view: RealmView, _ body: (inout DraftEdit) throws -> Void
  ) throws -> DraftState {
    try content.withLock { content in
      try lay(&content, over: view)
      var edit = try DraftEdit(content.state, view)
      try body(&edit)
      var step = edit.step
      step.changes.removeAll { edit.isSame($0.before, $0.after) }
      guard !step.changes.isEmpty else { return content.state }
      try become(edit.state, &content)
      content.undo.append(step)
      if content.undo.count > Draft.stepLimit { content.undo.removeFirst() }
      content.redo = []
      return content.state
    }
  }

  /// Makes the changes of lines of a patch, without its first and last line.
  ///
  /// - Throws: same as ``edit(over:_:)``.
  @discardableResult
  package func add(lines: [UInt8], over view: RealmView) throws -> DraftState {
    try edit(over: view) { edit in try edit.make(try edit.values.lines(lines)) }
  }

  /// Takes back the last edit.
  ///
  /// - Returns: whether there was one.
  /// - Throws: the errors of reading the realm, and of keeping the draft.
  @discardableResult
  package func undo(over view: RealmView) throws -> Bool {
    try move(\.undo, \.redo, over: view) { state, step in
      for change in step.changes.reversed() { state.set(change.before, at: change.address) }
    }
  }

  /// Makes the edit again that was taken back last.
  ///
  /// - Returns: whether there was one.
  /// - Throws: the errors of reading the realm, and of keeping the draft.
  @discardableResult
  package func redo(over view: RealmView) throws -> Bool {
    try move(\.redo, \.undo, over: view) { state, step in
      for change in step.changes { state.set(change.after, at: change.address) }
    }
  }

  /// Moves the last step of one list to the other, with `apply` for what it does to the state.
  private func move(
    _ from: WritableKeyPath<Content, [DraftStep]>, _ to: WritableKeyPath<Content, [DraftStep]>,
    over view: RealmView, _ apply: (inout DraftState, DraftStep) -> Void
  ) throws -> Bool {
    try content.withLock { content in
      try lay(&content, over: view)
      guard let step = content[keyPath: from].last else { return false }
      var state = content.state
      apply(&state, step)
      try become(state, &content)
      content[keyPath: to].append(content[keyPath: from].removeLast())
      return true
    }
  }

  /// Removes all changes, which can be undone.
  ///
  /// - Throws: the errors of keeping the draft.
  package func discard(over view: RealmView) throws {
    try edit(over: view) { edit in
      for object in edit.state.sorted { edit.forget(object.address) }
    }
  }

  /// The state becomes that of the draft, after it is in the file.
  private func become(_ state: DraftState, _ content: inout Content) throws {
    var state = state
    state.revision = content.state.revision + 1
    if let view = content.view, let file = keptFile(view) {
      if state.isEmpty {
        try file.remove()
      } else {
        try file.write(try DraftPatch.text(state, view))
      }
    }
    content.state = state
    content.isRestored = false
  }

  /// The draft as a patch.
  ///
  /// - Throws: the errors of reading the realm.
  package func patch(over view: RealmView) throws -> [UInt8] {
    try DraftPatch.text(try status(over: view).state, view)
  }

  // MARK: Saving

  /// Saves the draft. A draft that was saved in the realm is empty afterwards, and its edits cannot be undone.
  ///
  /// - Parameter write: writes the patch, and returns whether the realm has the changes now.
  /// - Throws: the errors of `write`, of reading the realm, and of removing the kept draft; the draft then stays.
  func save(over view: RealmView, _ write: (DraftState, [UInt8]) throws -> Bool) throws {
    try content.withLock { content in
      try lay(&content, over: view)
      guard try write(content.state, try DraftPatch.text(content.state, view)) else { return }
      try become(DraftState(), &content)
      (content.undo, content.redo) = ([], [])
    }
  }
}
