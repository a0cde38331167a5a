/// The colours of texts; empty if colour is off.
package struct Palette: Sendable {
  package let isOn: Bool

  package init(isOn: Bool) { self.isOn = isOn }

  package func bold(_ text: String) -> String { paint(text, 1) }
  package func dim(_ text: String) -> String { paint(text, 2) }
  package func red(_ text: String) -> String { paint(text, 31) }
  package func green(_ text: String) -> String { paint(text, 32) }
  package func yellow(_ text: String) -> String { paint(text, 33) }

  private func paint(_ text: String, _ code: Int) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
