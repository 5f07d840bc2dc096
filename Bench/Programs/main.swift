// FRPBench: how fast programs of the language run, beside loops written by hand. Options.swift says what it can be asked.
// Results are checked: a wrong one is shown as such and ends the bench with 1.

import Glibc

exit(Bench.main(Array(CommandLine.arguments.dropFirst())))
