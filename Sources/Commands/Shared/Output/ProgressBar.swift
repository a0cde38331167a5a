import CSystem
import RealmStorage
import Synchronization

/// A line on standard error that shows the progress of a job. May be updated from several threads.
package final class ProgressBar: Sendable {
  /// Shorter jobs end before a person has read the line.
  private static let delay = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(100)

  private let label: String
  private let isShown: Bool
  private let state: Mutex<State>

  private struct State {
    /// Time of the next update on the screen.
    var next: ContinuousClock.Instant
    var isDrawn = false
  }

  init(label: String, isShown: Bool) {
    (self.label, self.isShown) = (label, isShown)
    state = Mutex(State(next: .now + ProgressBar.delay))
  }

  /// Shows that `done` of `total` units are done; cheap enough to call for each leaf.
  package func update(_ done: Int, of total: Int) {
    guard isShown else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      guard now >= state.next else { return }
      state.next = now + ProgressBar.interval
      state.isDrawn = true
      let columns = Int(csystem_terminal_width(StandardStream.error.descriptor))
      let line = ProgressBar.line(label, done, of: total, columns: columns == 0 ? 80 : columns)
      StandardStream.error.say("\r" + line + "\u{1B}[K")
    }
  }

  /// Removes the line, if there is one.
  func clear() {
    state.withLock { state in
      guard state.isDrawn else { return }
      state.isDrawn = false
      StandardStream.error.say("\r\u{1B}[K")
    }
  }

  /// `exporting [####----]  50 %`, one column narrower than the terminal, so that it never wraps.
  package static func line(
    _ label: String, _ done: Int, of total: Int, columns: Int
  ) -> String {
    let share = total <= 0 ? 0 : min(1, max(0, Double(done) / Double(total)))
    let percent = Text.padded("\(Int(share * 100)) %", to: 5, .right)
    let room = min(40, columns - label.displayWidth - percent.count - 5)
    guard room >= 4 else { return percent }
    let filled = Int(share * Double(room))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
    return "\(label) [\(bar)] \(percent)"
  }
}
