/** Our parts together with OpenRPC tools of other authors. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./interop/client-js.js'),
  () => import('./interop/conform.js'),
  () => import('./interop/generator.js'),
  () => import('./interop/server-js.js'),
)
