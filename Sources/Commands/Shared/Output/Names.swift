import RealmModel
import RealmStorage
import RealmSync

// Names for scripts: a contract.

extension HistoryKind {
  var name: String {
    switch self {
    case .none: "none"
    case .outOfRealm: "outOfRealm"
    case .inRealm: "inRealm"
    case .syncClient: "syncClient"
    case .syncServer: "syncServer"
    }
  }
}

extension ObjectClass.Kind {
  var name: String {
    switch self {
    case .topLevel: "class"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }
}
