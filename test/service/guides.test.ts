/** The examples of the guides run as shown, with one service. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./guides/conformance.js'),
  () => import('./guides/integrator.js'),
  () => import('./guides/reference.js'),
  () => import('./guides/users.js'),
)
