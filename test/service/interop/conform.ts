import { fileURLToPath } from 'node:url'
import { Server } from '@open-rpc/server-js'
import t from 'tap'
import type { Report } from '../../../src/judge/index.js'
import { ContractRouter, FastifyTransport } from '../../../src/runtime/server/server-js/index.js'
import { runConcordat } from '../../support/service.js'
import { startServices } from './interop-harness.js'
import { shopFile, shopHandlers, shopMethods, shopText } from './shop.js'

const scenarios = fileURLToPath(new URL('../../fixtures/interop/scenarios', import.meta.url))

async function conform(url: string) {
  const suite = ['--contract', shopFile, '--scenarios', scenarios, '--allow', 'write']
  const { code, out, err } = await runConcordat(['conform', url, ...suite, '--report', 'json=-'])
  const { cases }: Report = JSON.parse(out)
  /** The cases with this verdict, each with its first finding. */
  const those = (verdict: string) =>
    Object.fromEntries(
      cases
        .filter((each) => each.verdict === verdict)
        .map(({ id, findings: [first] }) => [
          id,
          first && `${first.where}: ${first.expected}, got ${first.got}`,
        ]),
    )
  return { code, err, cases, those }
}

t.test('@open-rpc/mock-server as a foreign service: exactly its true deviations are reported', async (t) => {
  const services = await startServices(new URL('./mock-server-process.ts', import.meta.url), shopFile)
  t.teardown(() => services.stop())
  const { code, cases, those } = await conform(`http://127.0.0.1:${services.ports['mock']}/`)
  t.equal(code, 1)
  t.match(those('fail'), {
    'batch/empty': /^\/id: null, got an empty list/,
    'batch/whatever': /^\/items\/0: must have the member "id", got .*The method undefined does not exist/,
    'envelope/id-digits': /^\/id: 12345678901234567890123, as it was sent, got 1\.2345678901234568e\+22/,
    'envelope/no-json':
      /^body: a JSON-RPC answer, got HTTP 400 with a body that is not JSON: "<!DOCTYPE html>/,
    'envelope/notification': /^body: nothing, got \{"jsonrpc":"2\.0","result"/,
    'envelope/version': /^\/error: error with code -32600, got result/,
    'json-rpc/parse-error':
      /^body: a JSON-RPC answer, got HTTP 400 with a body that is not JSON: "<!DOCTYPE html>/,
    'json-rpc/parse-error-in-a-batch': /^body: a JSON-RPC answer, got HTTP 400 with a body that is not JSON/,
    'json-rpc/no-object': /^body: a JSON-RPC answer, got HTTP 400 with a body that is not JSON/,
    'json-rpc/notification': /^body: nothing, got .*-32601/,
    'json-rpc/batch-empty': /^\/id: null, got an empty list/,
    'json-rpc/batch-of-invalid': /^body\/0\/id: null, got no id member/,
    'json-rpc/batch-apart': /^body\/1\/id: null, got no id member/,
    'json-rpc/batch-with-notification': /^body\/0: no further item, got .*-32601/,
    'json-rpc/batch-of-notifications': /^body: nothing, got a list of 2/,
    // It ignores examples with an error.
    'derived/order/example-sold-out': /^body: one of .*, got .*6969,"message":"unknown error"/,
  })
  t.same(Object.keys(those('fail')).length, 16, 'no other deviation')
  t.same(Object.keys(those('tolerated')), [
    'json-rpc/method-no-text',
    'json-rpc/params-no-structure',
    'json-rpc/version',
    'json-rpc/id-large',
    'derived/findProduct/one-more',
    'derived/total/one-more',
    'derived/order/one-more',
  ])
  const isGreen = cases.filter(({ verdict }) => verdict === 'pass').map(({ group }) => group)
  t.match(new Set(isGreen), new Set(['batch', 'derived', 'envelope', 'json-rpc']))
  t.equal(isGreen.length, cases.length - 23, 'no deviation is missing')
  t.ok(services.isRunning())
})

t.test(
  'the same contract passes on a server of @open-rpc/server-js with our router and transport',
  async (t) => {
    const server = new Server({ openrpcDocument: JSON.parse(shopText) })
    const transport = new FastifyTransport({ port: 0 })
    server.addTransport(transport)
    transport.addRouter(
      new ContractRouter({ methods: await shopMethods(), handlers: shopHandlers(), document: shopText }),
    )
    await server.start()
    t.teardown(() => server.stop())
    const { code, cases, err } = await conform(transport.url)
    const others = cases
      // Our router takes null for an optional parameter as absent; the contract of the shop does not say.
      .filter(({ id, verdict }) => verdict !== (id === 'derived/total/currency-null' ? 'tolerated' : 'pass'))
      .map(({ id, reason }) => `${id}: ${reason}`)
    t.same({ code, others }, { code: 0, others: [] }, err)
  },
)
