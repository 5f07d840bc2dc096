// The executable `frp`. Everything is in FRPCommands.

import FRPCommands
import Glibc

exit(CommandLineInterface.main())
