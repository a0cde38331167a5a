import RealmModel

/// A class diagram in the notation of Mermaid.
struct MermaidDiagram: ModelLanguage {
  let names = ModelNames(
    classWords: ["class", "classDiagram", "direction", "link", "namespace", "note", "style"],
    propertyWords: [])

  func text(_ classes: [ModelClass]) -> String {
    var source = ModelSource(indent: "  ")
    source.line("classDiagram")
    for model in classes {
      let label =
        model.identifier == model.objectClass.name.text
        ? "" : "[\"\(MermaidDiagram.plain(model.objectClass.name.text))\"]"
      source.block("class \(model.identifier)\(label)") { source in
        switch model.objectClass.kind {
        case .topLevel: break
        case .embedded: source.line("<<embedded>>")
        case .asymmetric: source.line("<<asymmetric>>")
        }
        for property in model.properties { source.line(MermaidDiagram.member(property)) }
      }
    }
    let embedded = Set(classes.filter { $0.objectClass.kind == .embedded }.map(\.identifier))
    for model in classes {
      for property in model.properties {
        guard let target = property.target else { continue }
        let arrow = embedded.contains(target) ? "*--" : "-->"
        let count = property.property.collection == nil ? "0..1" : "*"
        let name = MermaidDiagram.plain(property.property.name.text)
        source.line("\(model.identifier) \(arrow) \"\(count)\" \(target) : \(name)")
      }
    }
    return source.text
  }

  /// A property of a class: its type, its name and its marks.
  private static func member(_ model: ModelProperty) -> String {
    var marks: [String] = []
    if model.isPrimaryKey { marks.append("primary key") }
    if model.notation.isIndexed { marks.append("indexed") }
    if model.notation.isFulltextIndexed { marks.append("full-text indexed") }
    return "\(plain(model.typeText)) \(plain(model.property.name.text))"
      + (marks.isEmpty ? "" : " : " + marks.joined(separator: ", "))
  }

  /// A name without the characters that Mermaid interprets.
  private static func plain(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "<": result += "‹"
      case ">": result += "›"
      case "{": result += "｛"
      case "}": result += "｝"
      case "(": result += "["
      case ")": result += "]"
      case "\"", "`", "#", ";", ":", "~": result += "_"
      case _ where scalar.properties.generalCategory == .control: result += "_"
      default: result += String(scalar)
      }
    }
  }
}
