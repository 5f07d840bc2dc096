// A row of cost for each built-in and operator of the table, so that a new one has a row from the start; what has none is
// listed with the reason.

import FRPCore

extension CostRow {
  /// Rows that the generator cannot write, by what they are called, with what is measured instead.
  private static let special = [
    "String.repeat": #"String.repeat("ab", n)"#,
    "String.split": #"String.split(String.repeat("ab ", n), " ")"#,
    "String.replace": #"String.replace(String.repeat("ab ", n), "b", "cc")"#,
    "List.windows": "List.windows(1..n, 3)",
    "List.product": "List.product(List.repeat(1, n))",
    "Json.encode": "Json.encode(1..n)",
    "Json.of": "Json.of(1..n)",
    "Json.as": "Json.as(Json.of(1..n)) |> withDefault([0])",
    "Json.at": #"Json.at(Json.of(1..n), ["0"])"#,
    "Json.text": "Json.text(Json.of(1..n))", "Json.int": "Json.int(Json.of(1..n))",
    "Json.float": "Json.float(Json.of(1..n))", "Json.bool": "Json.bool(Json.of(1..n))",
    "Json.list": "Json.list(Json.of(1..n))", "Json.object": "Json.object(Json.of(1..n))",
    "List.quantile": "List.quantile(List.map(1..n, toFloat), 0.3)",
    "Json.decode": "Json.decode(Json.encode(1..n)) |> withDefault([0])",
    "Data.toString": "toString(1..n)",
    "Data.compare": "compare(1..n, 1..n)",
    "Data.identity": "identity(1..n)",
    "Regex.replaceWith": #"Regex.replaceWith(String.repeat("ab ", n), "b", m => m.text)"#,
    "Csv.encode": "Csv.encode(1..n |> List.map(i => {x: i}))",
    "Csv.decode": "Csv.decode(Csv.encode(1..n |> List.map(i => {x: i}))) |> withDefault([{x: 0}])",
    "Random.ints": "Random.ints(1, n, 1, 6)",
    "Random.floats": "Random.floats(1, n)",
    "Random.shuffle": "Random.shuffle(1..n, 1)",
    "Event.perform": "(e |> perform(All, x => Task.after(1.0 + toFloat(x) * 0.01, x))).results |> count",
    "Event.listen": "(e |> listen(All, x => Source.fromList([(1.0 + toFloat(x) * 0.01, x)]))).items |> count",
    "Event.spill": "e |> map(x => [x, x]) |> spill |> count",
    "Event.merge": "merge(e, e, e) |> count",
    "Event.partition": "{ (a, b) = e |> partition(x => x > 5); merge(a, b) |> count }",
    "Event.flatMap": "e |> flatMap(x => after(1h) |> map(_ => x)) |> count",
    "Event.flatMapLatest": "e |> flatMapLatest(x => after(1h) |> map(_ => x)) |> count",
    "Event.switch": "e |> switch(0, x => e |> hold(x))",
    "Event.keyed": "e |> keyed(x => x, (k, es) => es |> delay(1h)) |> count",
    "Event.groupBy": "size(e |> groupBy(x => x, (k, es) => es |> count))",
    "Behavior.integralFrom": "integralFrom(1.0, 0.0, e |> map(toFloat))",
  ]

  /// Operators of which one instant may look at all that is alive, or that no input reaches.
  private static let unmeasured = [
    "Behavior.each": "a change looks at every member of the list",
    "Event.every": "takes no collection and keeps none", "Event.after": "takes no collection and keeps none",
  ]

  /// Containers whose functions take no collection.
  private static let unmeasuredContainers = [
    "Format": "texts of numbers are short", "Date": "texts of dates are short", "Math": "takes numbers",
    "Task": "describes what is to be done: see manyPartsOfATask", "Source": "describes what is to be brought",
  ]

  // MARK: The table

  /// The rows of the table, and those that have none and no reason.
  public static func ofTheTable() -> (rows: [CostRow], missing: [String]) {
    var rows: [CostRow] = []
    var missing: [String] = []
    for builtin in Builtins.all {
      let name = "\(builtin.container).\(builtin.name)"
      if unmeasured[name] != nil || unmeasuredContainers[builtin.container] != nil { continue }
      let signature = CallSignature(builtin.signature)
      if case .data = builtin.operation {
        if let text = special[name] {
          rows.append(CostRow(name: name, text: text, isReactive: false))
        } else if !signature.parameters.isEmpty, signature.takesCollections {
          guard let text = signature.call(name, isReactive: false) else {
            missing.append("\(name) \(builtin.signature)")
            continue
          }
          rows.append(CostRow(name: name, text: text, isReactive: false))
        }
      } else if let text = special[name] {
        rows.append(CostRow(name: name, text: text, isReactive: true))
      } else if !signature.parameters.isEmpty {
        guard let text = signature.call(name, isReactive: true) else {
          missing.append("\(name) \(builtin.signature)")
          continue
        }
        let isEvent = signature.result.name == "Event"
        rows.append(CostRow(name: name, text: isEvent ? text + " |> count" : text, isReactive: true))
      }
    }
    return (rows, missing)
  }
}
