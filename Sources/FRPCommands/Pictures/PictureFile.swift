// A file that a picture is written to: SVG as it is, PNG as librsvg's own program draws it.
//
// Rules
// - What cannot be written is said before anything runs, and a picture that was there stays until the new one is known.

import FRP
import FRPBase
import Glibc

struct PictureFile {
  /// Why a picture cannot be written.
  struct Problem: Error {
    var message: String
    /// What was asked for cannot be done at all; else the file refuses.
    var isUsage = false
  }

  private static let renderer = "rsvg-convert"
  /// Pixels a unit, so that thin lines and small letters are sharp.
  private static let zoom = "2"

  private let path: String
  private var isPNG: Bool { path.hasSuffix(".png") }

  /// Throws where the ending is neither .svg nor .png, where nothing here draws a PNG, and where the file refuses.
  init(_ path: String) throws(Problem) {
    self.path = path
    guard path.hasSuffix(".svg") || isPNG else {
      let name = path.split(separator: "/").last?.split(separator: ".").first ?? "picture"
      throw Problem(
        message: "pictures are written as SVG, which browsers and editors show, or as PNG: --output \(name).svg",
        isUsage: true)
    }
    guard !isPNG || Self.isInstalled else {
      throw Problem(
        message: "a PNG is drawn by `\(Self.renderer)` (on Debian in librsvg2-bin), which is not installed; "
          + "--output \(path.dropLast(4)).svg needs nothing")
    }
    let isNew = !Files.exists(path)
    do { close(try Files.open(path, O_WRONLY | O_CREAT)) } catch { throw Self.refusal(path, error) }
    if isNew { unlink(path) }
  }

  func write(svg: String) throws(Problem) {
    guard isPNG else { return try put(svg, at: path) }
    let drawing = path + ".\(getpid()).svg"
    defer { unlink(drawing) }
    try put(svg, at: drawing)
    let status = ReplSession.run([Self.renderer, "--zoom", Self.zoom, "--output", path, drawing])
    if status != 0 { throw Problem(message: "cannot write `\(path)`: `\(Self.renderer)` could not draw it") }
  }

  private func put(_ svg: String, at place: String) throws(Problem) {
    do { try Files.write(svg, to: place) } catch { throw Self.refusal(path, error) }
  }

  private static func refusal(_ path: String, _ error: SystemError) -> Problem {
    Problem(message: "cannot write `\(path)`: \(error.message)")
  }

  private static var isInstalled: Bool {
    let folders = getenv("PATH").map { String(cString: $0) } ?? ""
    return folders.split(separator: ":").contains { access("\($0)/\(renderer)", X_OK) == 0 }
  }
}
