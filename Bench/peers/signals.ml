(* OCaml React: W1 to W5 as events and signals. One line each: name, ns an event, result.
   ocamlfind ocamlopt -O3 -package react -linkpkg signals.ml -o signals *)
open React

let measure name events (send : int -> unit) (result : unit -> int) =
  let next = ref 0 in
  let run count = for i = !next to !next + count - 1 do send i done; next := !next + count in
  run (max 1 (events / 10));
  let best = ref infinity in
  for _ = 1 to 5 do
    let start = Sys.time () in
    run events;
    best := min !best ((Sys.time () -. start) /. float_of_int events *. 1e9)
  done;
  Printf.printf "%s %.2f %d\n%!" name !best (result ())

let () =
  let e, send = E.create () in
  let last = ref 0 in
  let sum = E.fold ( + ) 0 (E.map (fun x -> x * 3) (E.fmap (fun x -> if x mod 2 = 0 then Some x else None) (E.map succ e))) in
  let seen = E.map (fun x -> last := x) sum in
  measure "W1" 200000 (fun i -> send i) (fun () -> !last);
  E.stop seen

let () =
  let e, send = E.create () in
  let last = ref 0 in
  let chain = ref e in
  for _ = 1 to 1000 do chain := E.map succ !chain done;
  let seen = E.map (fun x -> last := x) !chain in
  measure "W2" 2000 (fun i -> send i) (fun () -> !last);
  E.stop seen

let () =
  let x, set = S.create (-1) in
  let last = ref 0 in
  let c = S.l2 ( + ) (S.map (fun x -> x * 2) x) (S.map succ x) in
  let seen = S.map (fun v -> last := v) c in
  measure "W3" 200000 (fun i -> set i) (fun () -> !last);
  S.stop seen

let () =
  let inputs = Array.init 1000 (fun _ -> S.create 0) in
  let last = ref 0 in
  let total = S.merge ( + ) 0 (Array.to_list (Array.map fst inputs)) in
  let seen = S.map (fun v -> last := v) total in
  measure "W4" 5000 (fun i -> (snd inputs.(i mod 1000)) i) (fun () -> !last);
  S.stop seen

let () =
  let e, send = E.create () in
  let count = ref 0 in
  let seen = List.init 1000 (fun j -> E.map (fun x -> count := !count + x) (E.map (fun x -> x + j) e)) in
  measure "W5" 50 (fun i -> send i) (fun () -> !count);
  List.iter E.stop seen
