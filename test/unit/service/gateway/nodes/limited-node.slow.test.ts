import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import { startNodeServer } from '../../../../support/node-server.js'
import { until } from '../../../../support/until.js'
import { balance, settings, upstreamOf } from '../../../../support/upstream-of.js'

/** The share of requests, of a hundred, that a node refuses with 429. */
async function limitedNode(share: number, retryAfter?: string) {
  let requests = 0
  const node = await startNodeServer({
    fault: (_, response) => {
      requests += 1
      if ((requests * 7_919) % 100 >= share) return false
      const told = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
      response.writeHead(429, { 'content-type': 'application/json', ...told })
      response.end('{"jsonrpc":"2.0","error":{"code":-32005,"message":"rate limited"},"id":null}')
      return true
    },
  })
  return { node, requests: () => requests }
}

for (const share of [5, 30, 60])
  t.test(`the only node refuses ${share} % of the calls, and each is answered`, async (t) => {
    const { node } = await limitedNode(share, '0')
    const upstream = upstreamOf(t, [node], {
      timeoutMs: 30_000,
      tuning: { ...tuning, nodeStaleSeconds: 0, nodeBatchItems: 1 },
    })
    await until(() => upstream.head() !== undefined)
    const answers = await Promise.all(Array.from({ length: 150 }, (_, number) => balance(upstream, number)))
    t.strictSame(
      answers.map(({ result }) => Number(result)),
      answers.map((_, number) => number),
    )
    const [{ state } = { state: '' }] = upstream.status()
    t.equal(state, 'limited')
    t.equal(await upstream.ready(), 'limited')
  })

t.test('a transaction is sent again after 429, since the node has not read it', async (t) => {
  let sent = 0
  const node = await startNodeServer({
    fault: ({ calls }, response) => {
      if (calls[0]?.method !== 'eth_sendRawTransaction') return false
      sent += 1
      if (sent === 1) response.writeHead(429, { 'retry-after': '0' }).end()
      else response.end(JSON.stringify({ jsonrpc: '2.0', id: calls[0].id, result: `0x${'01'.repeat(32)}` }))
      return true
    },
  })
  const upstream = upstreamOf(t, [node])
  await until(() => upstream.head() !== undefined)
  const answer = await upstream.call('eth_sendRawTransaction', ['0x00'], { once: true })
  t.strictSame(answer, { result: `0x${'01'.repeat(32)}` })
  t.equal(sent, 2)
})

t.test('a node that asks for more time than a call has refuses it at once, and is not asked', async (t) => {
  const { node, requests } = await limitedNode(0)
  // A node is left alone for a minute at most, so a call with less time cannot wait for it.
  const upstream = upstreamOf(t, [node], {
    settings: { ...settings, checkEveryMs: 60_000 },
    timeoutMs: 20_000,
  })
  await until(() => upstream.head() !== undefined)
  node.fault = (_, response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end()
    return true
  }
  await t.rejects(balance(upstream, 1), { code: -32002 })
  node.fault = () => t.fail('the node is left alone')
  await t.rejects(balance(upstream, 2), { code: -32002 })
  t.ok(requests() > 0)
})

t.test('another node has the calls of one that is limited from the start', async (t) => {
  const { node } = await limitedNode(100, '3600')
  const other = await startNodeServer()
  const upstream = upstreamOf(t, [other, node])
  await until(() => upstream.head() !== undefined)
  for (let number = 0; number < 20; number += 1)
    t.equal(Number((await balance(upstream, number)).result), number)
})
