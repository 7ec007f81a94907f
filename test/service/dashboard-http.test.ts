/** The dashboard over HTTP, without scripts. The parts share one service. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./dashboard/attacks.js'),
  () => import('./dashboard/accounts.js'),
  () => import('./dashboard/second-factor.js'),
  () => import('./dashboard/keys.js'),
  () => import('./dashboard/settings.js'),
  () => import('./dashboard/theme.js'),
)
