// Page: what a program shows on its page (`frp serve`), and what comes from there besides its inputs.
//
// Drawings and layouts are data like any other: elsewhere they are shown as values.

import FRP
import FRPIO
import Synchronization

/// Keys and the pointer of whoever looks at the page. Any thread.
public final class PageFeed: Sendable {
  enum Device { case keys, pointer }

  private struct State {
    var isShown = false
    var last = 0
    var listeners: [Int: (device: Device, report: @Sendable (HostReport) -> Void)] = [:]
  }

  private let state = Mutex(State())

  /// Says that there is a page: without one nothing would ever come.
  public func open() { state.withLock { $0.isShown = true } }

  /// A key went down, or came up; `ArrowLeft`, `a`, ` `.
  public func key(_ key: String, isDown: Bool) {
    give(.record(["key": .text(key), "down": .bool(isDown)]), of: .keys)
  }

  /// The pointer is here, in the units of the drawing that it is over.
  public func pointer(x: Double, y: Double, isDown: Bool) {
    guard x.isFinite, y.isFinite else { return }
    give(.record(["x": .number(x), "y": .number(y), "down": .bool(isDown)]), of: .pointer)
  }

  private func give(_ value: FrpValue, of device: Device) {
    let listeners = state.withLock { $0.listeners.values.filter { $0.device == device } }
    for listener in listeners { listener.report(.item(.value(value))) }
  }

  fileprivate func listen(to device: Device) -> HostBegin {
    { report in
      let number = self.state.withLock { state -> Int? in
        guard state.isShown else { return nil }
        state.last += 1
        state.listeners[state.last] = (device, report)
        return state.last
      }
      guard let number else {
        return AtOnce { report(.ended(.failure(FrpError("nobody sees this program's page: run it with `frp serve`")))) }
      }
      return Listening { self.state.withLock { $0.listeners[number] = nil } }
    }
  }
}

private final class Listening: HostUnderway {
  private let end: @Sendable () -> Void
  init(end: @escaping @Sendable () -> Void) { self.end = end }
  func cancel() { end() }
}

extension World {
  var pageModule: HostModule {
    HostModule("Page", help: "What a program shows on its page, and the keys and pointer of who looks at it.") {
      module in
      module.define(Self.drawing)
      module.operation(
        "keys: Source<{key: String, down: Bool}>",
        help:
          "Keys of whoever has the page before them: `ArrowLeft`, `a`, ` `; each when it goes down, and when it comes up."
      ) { _ in self.page.listen(to: .keys) }
      module.operation(
        "pointer: Source<{x: Float, y: Float, down: Bool}>",
        help: "Where the pointer is, in the units of the drawing that it is over."
      ) { _ in self.page.listen(to: .pointer) }
    }
  }

  /// Colours are `ink muted accent good warn bad paper`, which follow light and dark, or those of CSS.
  private static let drawing = """
    /// A point of a drawing; y goes down.
    alias Point = {x: Float, y: Float}
    /// A shape of a drawing. Colours: `ink`, `muted`, `accent`, `good`, `warn`, `bad`, `paper`, or as in CSS.
    type Shape
      = Circle(x: Float, y: Float, r: Float, fill: String)
      | Rect(x: Float, y: Float, width: Float, height: Float, corner: Float, fill: String)
      | Arc(x: Float, y: Float, r: Float, from: Float, to: Float, stroke: String, width: Float)
      | Line(from: Point, to: Point, stroke: String, width: Float)
      | Path(points: List<Point>, stroke: String, width: Float)
      | Polygon(points: List<Point>, fill: String)
      | Label(x: Float, y: Float, text: String, size: Float, anchor: Anchor, fill: String)
      | Group(moved: Point, turned: Float, scaled: Float, opacity: Float, shapes: List<Shape>)
    /// What of a label stands at its x.
    type Anchor = Start | Middle | End
    /// What is shown in a place of the page.
    type View
      = Text(String)
      | Markdown(String)
      | Drawing(width: Float, height: Float, shapes: List<Shape>)
      | Row(List<View>)
      | Column(List<View>)
      | Show(String)
      | Enabled(on: Bool, view: View)
    /// A point.
    point(x: Float, y: Float): Point = {x: x, y: y}
    /// A filled circle around (x, y).
    circle(x: Float, y: Float, r: Float, fill: String): Shape = Circle(x, y, r, fill)
    /// A filled rectangle from its left upper corner.
    rect(x: Float, y: Float, width: Float, height: Float, fill: String): Shape = Rect(x, y, width, height, 0.0, fill)
    /// A filled rectangle whose corners are quarters of circles of this radius.
    rounded(x: Float, y: Float, width: Float, height: Float, corner: Float, fill: String): Shape = Rect(x, y, width, height, corner, fill)
    /// A circle that is not filled.
    ring(x: Float, y: Float, r: Float, stroke: String, width: Float): Shape = Arc(x, y, r, 0.0, 360.0, stroke, width)
    /// A part of a circle: degrees from the top, as the hands of a clock go.
    arc(x: Float, y: Float, r: Float, from: Float, to: Float, stroke: String, width: Float): Shape = Arc(x, y, r, from, to, stroke, width)
    /// A line from one point to another.
    line(from: Point, to: Point, stroke: String, width: Float): Shape = Line(from, to, stroke, width)
    /// Lines from each point to the next.
    path(points: List<Point>, stroke: String, width: Float): Shape = Path(points, stroke, width)
    /// A filled shape with these corners.
    polygon(points: List<Point>, fill: String): Shape = Polygon(points, fill)
    /// Text with its middle at (x, y), so many units high.
    label(x: Float, y: Float, text: String, size: Float, fill: String): Shape = Label(x, y, text, size, Middle, fill)
    /// Text that begins at x; y is the middle of its height.
    labelFrom(x: Float, y: Float, text: String, size: Float, fill: String): Shape = Label(x, y, text, size, Start, fill)
    /// Text that ends at x; y is the middle of its height.
    labelTo(x: Float, y: Float, text: String, size: Float, fill: String): Shape = Label(x, y, text, size, End, fill)
    /// Shapes together.
    group(shapes: List<Shape>): Shape = Group({x: 0.0, y: 0.0}, 0.0, 1.0, 1.0, shapes)
    /// Shapes moved by (x, y).
    moved(x: Float, y: Float, shapes: List<Shape>): Shape = Group({x: x, y: y}, 0.0, 1.0, 1.0, shapes)
    /// Shapes turned around (0, 0), in degrees, as the hands of a clock.
    turned(degrees: Float, shapes: List<Shape>): Shape = Group({x: 0.0, y: 0.0}, degrees, 1.0, 1.0, shapes)
    /// Shapes so many times as large.
    scaled(times: Float, shapes: List<Shape>): Shape = Group({x: 0.0, y: 0.0}, 0.0, times, 1.0, shapes)
    /// Shapes that let through what is behind them: 1 is opaque, 0 not to be seen.
    faded(opacity: Float, shapes: List<Shape>): Shape = Group({x: 0.0, y: 0.0}, 0.0, 1.0, opacity, shapes)
    /// A drawing, so many units wide and high; it is fitted to its place.
    svg(width: Float, height: Float, shapes: List<Shape>): View = Drawing(width, height, shapes)
    /// Text as it is.
    text(text: String): View = Text(text)
    /// Headings, lists, emphasis and code.
    markdown(text: String): View = Markdown(text)
    /// Beside one another.
    row(views: List<View>): View = Row(views)
    /// Below one another.
    column(views: List<View>): View = Column(views)
    /// The control of an input, or the view of an output, by its name.
    show(name: String): View = Show(name)
    /// The view, whose controls can be used only where `on` holds. What comes from elsewhere still has to be checked: `gate`.
    enabled(on: Bool, view: View): View = Enabled(on, view)
    """
}
