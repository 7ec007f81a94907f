/** Calls of pages without scripts, and counted usage. The parts share one service; the last one stops it. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./dashboard/calls.js'),
  () => import('./dashboard/failures.js'),
  () => import('./dashboard/usage.js'),
)
