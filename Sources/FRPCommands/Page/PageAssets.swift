// The browser's side, which is part of the program: read from `assets` when it is built.

import FRPBase
import FRPIO

enum PageAssets {
  /// By the path that the page asks for. Modules stand behind those that they import.
  static let scripts: [(name: String, bytes: [UInt8])] = [
    ("base.js", PackageResources.base_js), ("store.js", PackageResources.store_js),
    ("link.js", PackageResources.link_js), ("draw.js", PackageResources.draw_js),
    ("markdown.js", PackageResources.markdown_js), ("views.js", PackageResources.views_js),
    ("controls.js", PackageResources.controls_js),
    ("lanes.js", PackageResources.lanes_js), ("graph.js", PackageResources.graph_js),
    ("editor.js", PackageResources.editor_js), ("editing.js", PackageResources.editing_js),
    ("saving.js", PackageResources.saving_js),
    ("compare.js", PackageResources.compare_js),
    ("timebar.js", PackageResources.timebar_js), ("toasts.js", PackageResources.toasts_js),
    ("rewriting.js", PackageResources.rewriting_js), ("keys.js", PackageResources.keys_js),
    ("moments.js", PackageResources.moments_js), ("why.js", PackageResources.why_js),
    ("page.js", PackageResources.page_js),
  ]

  static let style: [UInt8] = PackageResources.page_css
  static let document: [UInt8] = PackageResources.index_html

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'none'; "
    + "base-uri 'none'; form-action 'none'; "

  /// What nobody can guess the address of, or read as something else; `frames` says who frames whom.
  private static func headers(_ frames: String) -> [(name: String, value: String)] {
    [
      ("Content-Security-Policy", policy + frames), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-cache"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
  }

  /// A program's page stands alone; in a lesson each stands in a frame of the lesson's page.
  static func serve(on server: HTTPServer, isLesson: Bool) {
    let alone = headers("frame-ancestors 'none'")
    func serve(_ path: String, _ bytes: [UInt8], type: String, headers: [(name: String, value: String)]) {
      server.serve(path, ServedFile(bytes, type: type + "; charset=utf-8", headers: headers, isDeflated: true))
    }
    if isLesson {
      let lesson = headers("frame-src 'self'; frame-ancestors 'none'")
      serve("/", PackageResources.lesson_html, type: "text/html", headers: lesson)
      serve("/program", document, type: "text/html", headers: headers("frame-ancestors 'self'"))
      serve("/lesson.js", PackageResources.lesson_js, type: "text/javascript", headers: alone)
      serve("/lesson.css", PackageResources.lesson_css, type: "text/css", headers: alone)
    } else {
      serve("/", document, type: "text/html", headers: alone)
    }
    serve("/page.css", style, type: "text/css", headers: alone)
    for script in scripts { serve("/" + script.name, script.bytes, type: "text/javascript", headers: alone) }
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
