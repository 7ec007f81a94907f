/** Pages in a browser that need no chain. The parts share one service without chains, and one browser. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./dashboard/docs.js'),
  () => import('./dashboard/console-services.js'),
  () => import('./dashboard/settings-in-browser.js'),
  () => import('./dashboard/accounts-in-browser.js'),
)
