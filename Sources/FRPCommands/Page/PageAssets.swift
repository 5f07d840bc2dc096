// The browser's side, which is part of the program: read from `assets` when it is built.

import FRPBase
import FRPIO

enum PageAssets {
  /// By the path that the page asks for. Modules stand behind those that they import.
  static let scripts: [(name: String, bytes: [UInt8])] = [
    ("base.js", PackageResources.base_js), ("store.js", PackageResources.store_js),
    ("link.js", PackageResources.link_js), ("draw.js", PackageResources.draw_js),
    ("views.js", PackageResources.views_js), ("controls.js", PackageResources.controls_js),
    ("lanes.js", PackageResources.lanes_js), ("graph.js", PackageResources.graph_js),
    ("editor.js", PackageResources.editor_js), ("compare.js", PackageResources.compare_js),
    ("timebar.js", PackageResources.timebar_js), ("page.js", PackageResources.page_js),
  ]

  static let style: [UInt8] = PackageResources.page_css
  static let document: [UInt8] = PackageResources.index_html

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'none'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// What nobody can guess the address of, or frame, or read as something else.
  private static let headers: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-cache"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  static func serve(on server: HTTPServer) {
    server.serve("/", ServedFile(document, type: "text/html; charset=utf-8", headers: headers))
    server.serve("/page.css", ServedFile(style, type: "text/css; charset=utf-8", headers: headers))
    for script in scripts {
      server.serve(
        "/" + script.name, ServedFile(script.bytes, type: "text/javascript; charset=utf-8", headers: headers))
    }
  }

  /// The page as one file that needs no server: style and modules in it, and a recording.
  static func whole(title: String, recording: String) -> String {
    var document = String(decoding: document, as: UTF8.self)
    let modules = scripts.map { inlined(String(decoding: $0.bytes, as: UTF8.self)) }.joined(separator: "\n")
    // Nothing in a text ends the element that it stands in.
    let data = recording.replacing("<", with: "\\u003c")
    let script = modules.replacing("</script", with: "<\\/script")
    document = document.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("rel=\"modulepreload\"") }
      .map { line in
        if line.contains("rel=\"stylesheet\"") { return "<style>\n\(String(decoding: style, as: UTF8.self))\n</style>" }
        if line.contains("src=\"page.js\"") {
          return
            "<script type=\"application/json\" id=\"recording\">\(data)</script>\n<script type=\"module\">\n\(script)\n</script>"
        }
        return String(line)
      }.joined(separator: "\n")
    return document
  }

  /// A module without its imports and exports: all are in one.
  private static func inlined(_ script: String) -> String {
    script.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("import ") }
      .map { $0.hasPrefix("export ") ? $0.dropFirst(7) : $0 }
      .joined(separator: "\n")
  }
}
