internal import CSystem
internal import RealmStorage

/// A command of the user that prints the key of a realm, as a password manager does.
enum KeyCommand {
  /// What is read of the command's output: longer than any notation of a key.
  private static let outputByteCount = 64 << 10

  /// Runs `command` with `/bin/sh -c` and reads the key from its standard output.
  ///
  /// The command has the standard input and error of this process, so it can ask for a password,
  /// and finds the realm's path in `REALM_CLI_PATH`.
  ///
  /// - Throws: `sourceFailed` where the command cannot be run or fails, `unusable` where it prints no
  ///   key; with the path of the realm.
  static func run(_ command: String, realm path: String) throws(KeyError) -> RealmKey {
    var output = [UInt8](repeating: 0, count: outputByteCount)
    var count = 0
    let status = unsafe output.withUnsafeMutableBytes { buffer in
      unsafe csystem_capture(
        command, "REALM_CLI_PATH=" + path, buffer.baseAddress, buffer.count, &count)
    }
    // Of the copies of the key, the one that is ours to wipe.
    defer { for i in output.indices { output[i] = 0 } }
    guard status >= 0 else {
      throw KeyError(.sourceFailed("the key command cannot be started"), path: path)
    }
    guard status == 0 else {
      throw KeyError(.sourceFailed("the key command ended with status \(status)"), path: path)
    }
    do throws(KeyError) {
      var text = Array(output[..<count])
      return try KeyText.parse(&text)
    } catch {
      throw error.adding(path: path)
    }
  }
}
