import RealmPictures

/// The files that pages load: as they are in the folder `Assets`, and part of the program. The style sheet also has that
/// of pictures.
enum Asset: String, CaseIterable {
  case style = "browse.css"
  case script = "browse.js"
  case icon = "icon.svg"
  /// What pages have besides, if realms can be edited.
  case editStyle = "edit.css"
  case editScript = "edit.js"

  var path: String { "/assets/\(rawValue)" }

  var response: HTTPResponse {
    let (bytes, type) =
      switch self {
      case .style:
        (
          PackageResources.browse_css + Array("\(Picture.styleSheet)".utf8),
          "text/css; charset=utf-8"
        )
      case .editStyle: (PackageResources.edit_css, "text/css; charset=utf-8")
      case .editScript: (PackageResources.edit_js, "text/javascript; charset=utf-8")
      case .script: (PackageResources.browse_js, "text/javascript; charset=utf-8")
      case .icon: (PackageResources.icon_svg, "image/svg+xml")
      }
    return HTTPResponse(.bytes(bytes), contentType: type)
  }
}
