/** The server and its transports, from the source: one process loads them for all files of `server/`. */
import { loadParts } from '../support/load-in-test.js'

await loadParts(
  () => import('./server/cancelled-calls.js'),
  () => import('./server/connections.js'),
  () => import('./server/create.js'),
  () => import('./server/http.js'),
  () => import('./server/language.js'),
  () => import('./server/mount.js'),
  () => import('./server/new-connections.js'),
  () => import('./server/plain.js'),
  () => import('./server/recipes.js'),
  () => import('./server/request-reports.js'),
  () => import('./server/service.js'),
  () => import('./server/shared-connections.js'),
  () => import('./server/slow-readers.js'),
  () => import('./server/sockets.js'),
  () => import('./server/stop.js'),
  () => import('./server/streams.js'),
  () => import('./server/subscriptions.js'),
  () => import('./server/transports.js'),
  () => import('./server/unreadable-requests.js'),
)
