import CSystem
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// The realm `deep` has objects with 400 nested embedded objects, the last of which has 100 nested
/// lists. Reading it took more stack than the threads of some systems have.
@Suite("Deep nesting")
struct DeepNestingTests {
  /// The stack of secondary threads on macOS.
  private static let smallStack = 512 << 10

  /// Calls `body` on a thread with a small stack.
  private func onSmallStack(_ body: () -> Void) {
    withoutActuallyEscaping(body) { body in
      unsafe withUnsafePointer(to: body) { pointer in
        _ = unsafe csystem_run_threads(
          1, DeepNestingTests.smallStack,
          { unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() },
          UnsafeMutableRawPointer(mutating: pointer))
      }
    }
  }

  /// Levels of embedded objects and of lists in the properties of the objects.
  private func depths() throws -> [[Int]] {
    let realm = try Realm(path: Lived.path("deep.realm"))
    let objects = try #require(try realm.objects(ofClass: "Top"))
    var depths: [[Int]] = []
    while let object = try objects.next() {
      var value = try #require(try object.value(of: "child"))
      var (objectLevels, listLevels) = (0, 0)
      // `n`, `any` and `child`.
      while case .object(let values) = value {
        objectLevels += 1
        value = values[2].isNull ? values[1] : values[2]
      }
      while case .list(let elements) = value {
        listLevels += 1
        value = try #require(elements.first)
      }
      #expect(value.int == 42)
      depths.append([objectLevels, listLevels])
    }
    return depths
  }

  @Test("a small stack is enough to read, copy and free 500 nested levels")
  func smallStack() throws {
    var result: Result<[[Int]], any Error>?
    onSmallStack { result = Result { try depths() } }
    #expect(try result?.get() == [[400, 100], [400, 100], [400, 100]])
  }
}

extension RealmValue {
  fileprivate var isNull: Bool { self == .null }
}
