/** Calls of pages without scripts, and counted usage. The parts share one service; the last one stops it. */
import './dashboard/calls.js'
import './dashboard/failures.js'
import './dashboard/usage.js'
