/** The client with `createNodeFetch` in place of the global `fetch`, beside every answer and fault of a server. */
import { createNodeFetch } from '../../../../../src/runtime/client/node/index.js'

Object.assign(globalThis, { fetch: createNodeFetch() })

await import('../answers.test.js')
await import('../automatic-batch-answers.test.js')
await import('../batch.test.js')
await import('../calls.test.js')
await import('../plain-client.test.js')
await import('../redirects.test.js')
await import('../secrets.test.js')
await import('../time-and-abort.slow.test.js')
await import('../tolerances.test.js')
