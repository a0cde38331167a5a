import Testing

@testable import RealmMigration

/// libyaml reads a plan in blocks. Where one ends must not matter.
@Suite("Edges of blocks of plans")
struct PlanEdgeTests {
  /// The bytes that libyaml reads at a time (`INPUT_RAW_BUFFER_SIZE`).
  private static let blockByteCount = 16_384

  /// Every kind of token, with line ends, comments, quotes, escapes and characters of each length.
  private static let plan =
    "realm-migration: 1 # é\r\n\"versions\":\n  - to: 9\n    steps:\r\n"
    + "      - rename: { class: \"A\\u00e9\\n\", to: 'it''s 日本' }\n\n"
    + "      - set: [ Person.näme, >-\n"
    + "      - text: |\n          a 😀\r\n          b\n      - flow: {a: [1, 2],\n         \"b\": {}}\n"
    + "      - \"two\n         lines \\\n         é\"\n"

  private func read(_ text: String) -> String {
    do throws(PlanError) {
      return "\(try PlanDocument.read(Array(text.utf8)))"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "a plan is read the same, and an error has the same place",
    arguments: [
      plan.replacing("      - set: [ Person.näme, >-\n", with: "      - set: [ Person.näme, 1 ]\n"),
      plan, plan + "      - 'é\n", "é: &x 1\n", "a: 1\nb: \"日 \\q\"\n", "a: 1\n---\nb: 2\n",
    ])
  func edges(text: String) {
    // The comment is the first line; a block ends at each byte of the rest.
    let whole = read("#\n" + text)
    for shift in 0...text.utf8.count {
      let padding = PlanEdgeTests.blockByteCount - 2 - shift
      #expect(
        read("#" + String(repeating: "x", count: padding) + "\n" + text) == whole,
        "\(shift) bytes before the end of the block")
    }
  }
}
