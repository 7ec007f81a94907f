/** The dashboard in a browser. The parts share one service with development chains, and one browser. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./dashboard/pages.js'),
  () => import('./dashboard/live.js'),
  () => import('./dashboard/setup.js'),
  () => import('./dashboard/console.js'),
  () => import('./dashboard/networks.js'),
  () => import('./dashboard/metrics-in-browser.js'),
  () => import('./dashboard/journeys.js'),
  () => import('./dashboard/screen-reader.js'),
  () => import('./dashboard/pictures.js'),
)
