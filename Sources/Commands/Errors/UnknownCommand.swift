internal import ArgumentParser

/// A word on the command line that should be the name of a command. The parser would report it as
/// an unexpected argument.
struct UnknownCommand: Equatable {
  /// The words that the user wrote, such as `backup creat`.
  let name: String
  /// The command whose subcommand is expected, such as `realm-cli backup`.
  let parent: String
  /// The command that the user probably meant, with its path after `realm-cli`; nil if no name is
  /// similar.
  let nearest: String?

  /// The first unknown command in `arguments`; nil if the parser can continue.
  init?(in arguments: [String], of root: any ParsableCommand.Type) {
    var command: any ParsableCommand.Type = root
    var path: [String] = []
    for argument in arguments {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !argument.hasPrefix("-") else { return nil }
      // The arguments of `help` are names of commands.
      if argument == "help" { continue }
      if let next = subcommands.first(where: { UnknownCommand.name(of: $0) == argument }) {
        command = next
        path.append(argument)
        continue
      }
      name = (path + [argument]).joined(separator: " ")
      parent = ([UnknownCommand.name(of: root)] + path).joined(separator: " ")
      nearest =
        UnknownCommand.nearest(to: argument, in: subcommands, path)
        ?? UnknownCommand.nearest(to: argument, in: root.configuration.subcommands, [])
      return
    }
    return nil
  }

  /// The error for the user.
  var report: ErrorReport {
    ErrorReport(
      usage: "unknown command '\(name)'" + (nearest.map { ", did you mean '\($0)'?" } ?? ""),
      hint: "see `\(parent) --help`")
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }

  /// The command with the name most similar to `word`, among `commands`, which are at `path`, and
  /// their subcommands.
  private static func nearest(
    to word: String, in commands: [any ParsableCommand.Type], _ path: [String]
  ) -> String? {
    var best: (name: String, distance: Int)?
    // Two errors in a word of six letters. A command whose name starts with the word always
    // matches.
    let limit = max(1, word.count / 3)
    func look(_ commands: [any ParsableCommand.Type], _ path: [String]) {
      for command in commands {
        let name = name(of: command)
        let isBeginning = word.count > 2 && name.hasPrefix(word)
        let distance = isBeginning ? 1 : editDistance(word, name)
        if distance <= limit, best.map({ distance < $0.distance }) ?? true {
          best = ((path + [name]).joined(separator: " "), distance)
        }
        look(command.configuration.subcommands, path + [name])
      }
    }
    look(commands, path)
    return best?.name
  }

  /// The number of characters that must be added, removed, replaced or swapped with their neighbour
  /// to turn one text into the other.
  static func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    // Distances between the first i characters of a and the first j of b: the rows for i - 2, i - 1
    // and i.
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var distance = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          distance = min(distance, beforeLast[j - 1] + 1)
        }
        row.append(distance)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
