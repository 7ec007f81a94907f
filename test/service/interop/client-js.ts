import { Client, HTTPTransport, JSONRPCError, RequestManager } from '@open-rpc/client-js'
import t, { type Test } from 'tap'
import { createServer } from '../../../src/runtime/server/index.js'
import { startService } from '../../support/service.js'
import { lamp, shopHandlers, shopMethods, shopText } from './shop.js'

function clientOf(t: Test, url: string): Client {
  const client = new Client(new RequestManager([new HTTPTransport(url)]))
  // Without a listener the package reports "Bad response format" for an error without a request.
  client.onError(() => undefined)
  t.teardown(() => client.close())
  return client
}

/** Sends requests in one body; returns the outcome of each. */
async function batch(client: Client, requests: readonly { method: string; params: object }[]) {
  client.startBatch()
  const sent = requests.map((request) => client.request(request))
  // A request joins the batch when its transport is connected.
  await client.requestManager.connectPromise
  client.stopBatch()
  const settled = await Promise.allSettled(sent)
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))
}

t.test('@open-rpc/client-js calls a server of a generated contract', async (t) => {
  const visits: string[] = []
  const server = await createServer({
    methods: await shopMethods(),
    handlers: shopHandlers(visits),
    document: shopText,
  }).listen({ port: 0 })
  t.teardown(() => server.close())
  const client = clientOf(t, server.url)

  t.test('by name, by position, and a null result', async (t) => {
    t.same(await client.request({ method: 'findProduct', params: { id: 7 } }), lamp)
    t.equal(await client.request({ method: 'total', params: [[1, 2]] }), 3)
    t.equal(await client.request({ method: 'findProduct', params: { id: 8 } }), null)
    t.match(await client.request({ method: 'rpc.discover' }), { info: { title: 'Shop' } })
  })

  t.test('errors have code, message and data, whatever the HTTP status', async (t) => {
    const soldOut = client.request({ method: 'order', params: [8, 1] })
    await t.rejects(soldOut, new JSONRPCError('Sold out', 11, { until: 'Monday' }))
    const wrong = client.request({ method: 'total', params: ['all'] })
    await t.rejects(wrong, { code: -32602, data: [{ path: '/0', rule: 'type' }] })
    await t.rejects(client.request({ method: 'refund' }), { code: -32601 })
  })

  t.test('in a batch, an error affects only its own request', async (t) => {
    const answers = await batch(client, [
      { method: 'total', params: [[1]] },
      { method: 'order', params: [8, 1] },
      { method: 'findProduct', params: { id: 7 } },
    ])
    t.match(answers, [1, { code: 11, data: { until: 'Monday' } }, lamp])
  })

  t.test('a notification', async (t) => {
    t.equal(await client.notify({ method: 'visited', params: { page: 'lamps' } }), undefined)
    t.same(visits, ['lamps'])
  })
})

t.test('@open-rpc/client-js calls the node access service with a key', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  const { url, chainId } = service.networks.test
  const client = clientOf(t, url)
  t.equal(await client.request({ method: 'eth_chainId', params: [] }), chainId)
  const answers = await batch(client, [
    { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    { method: 'eth_getBlockByNumber', params: ['first', false] },
    { method: 'net_version', params: [] },
  ])
  t.match(answers, [{ number: '0x0', transactions: [] }, { code: -32602 }, String(Number(chainId))])
  await t.rejects(client.request({ method: 'eth_getLogs', params: [{ fromBlock: '0x0' }] }), {
    code: -32602,
    data: Object,
  })
  const stranger = clientOf(t, url.replace(/[A-Za-z0-9]{5}-T$/, 'aaaaa-T'))
  await t.rejects(stranger.request({ method: 'eth_chainId', params: [] }), { code: -32016 })
})
