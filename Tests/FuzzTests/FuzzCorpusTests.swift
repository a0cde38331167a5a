import FuzzTargets
import TestSupport
import Testing

/// The inputs that the fuzzer keeps, because each reaches code that the others do not. `make fuzz` continues from
/// them.
@Suite("Corpus of the fuzzer")
struct FuzzCorpusTests {
  @Test("no input breaks a promise", arguments: FuzzTarget.allCases)
  func corpus(target: FuzzTarget) throws {
    let run = try FuzzRun(target)
    let inputs = try target.corpus()
    #expect(inputs.count > 10)
    for input in inputs {
      do {
        try run.run(input.bytes)
      } catch {
        Issue.record("\(input.path): \(error)")
      }
    }
  }
}
