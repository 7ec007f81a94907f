import type { ServerResponse } from 'node:http'
import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import type { NodeCallEvent, Upstream } from '../../../../../src/service/gateway/nodes/index.js'
import {
  type NodeServer,
  type NodeServerRequest,
  sendAnswers,
  startNodeServer,
} from '../../../../support/node-server.js'
import { until } from '../../../../support/until.js'
import { address, balance, unchecked, upstreamOf } from '../../../../support/upstream-of.js'

/** Number of calls in each request. */
const sizes = ({ requests }: NodeServer) => requests.map(({ calls }) => calls.length)

t.test('calls of one event loop turn share a request', async (t) => {
  const node = await startNodeServer()
  const events: NodeCallEvent[] = []
  const upstream = upstreamOf(t, [node], { observe: (event) => events.push(event), settings: unchecked })
  await balance(upstream, 1)
  t.strictSame(sizes(node), [1])
  node.requests.length = 0
  events.length = 0
  const count = 2 * tuning.nodeBatchItems + 11
  const answers = await Promise.all(Array.from({ length: count }, (_, number) => balance(upstream, number)))
  t.strictSame(
    answers.map(({ result }) => result),
    Array.from({ length: count }, (_, number) => `0x${number.toString(16)}`),
  )
  t.strictSame(sizes(node), [tuning.nodeBatchItems, tuning.nodeBatchItems, 11])
  const balances = events.filter(({ method }) => method === 'eth_getBalance')
  t.strictSame(
    [...new Set(balances.map(({ batched }) => batched))].sort((a, b) => a - b),
    [11, tuning.nodeBatchItems],
  )
  t.ok(balances.every(({ outcome, milliseconds }) => outcome === 'result' && milliseconds > 0))
  node.requests.length = 0
  await Promise.all(
    Array.from({ length: 5 }, (_, number) => upstream.call('eth_call', [address(number), 'latest'])),
  )
  t.strictSame(sizes(node), [1, 1, 1, 1, 1], 'calls of unknown cost are sent alone')
})

/** A node that holds requests for balances from the second one on, until the test releases it. */
async function startHeld() {
  const held: (() => void)[] = []
  let isFirst = true
  const node = await startNodeServer({
    fault(request, response) {
      if (request.calls[0]?.method !== 'eth_getBalance') return false
      const isHeld = !isFirst
      isFirst = false
      if (isHeld)
        held.push(() => sendAnswers(request, response, ({ params }) => ({ result: balanceOf(params[0]) })))
      return isHeld
    },
  })
  return { node, held }
}

const balanceOf = (address: unknown) => `0x${Number(`0x${String(address).slice(-4)}`).toString(16)}`

/** Makes calls, each in its own turn, and waits for some turns. */
async function inTurns(upstream: Upstream, numbers: readonly number[]) {
  const answers: Promise<unknown>[] = []
  for (const number of numbers) {
    answers.push(balance(upstream, number))
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }
  return answers
}

t.test('calls that arrive during a fast node’s answer share the next request', async (t) => {
  const { node, held } = await startHeld()
  const upstream = upstreamOf(t, [node], { settings: { ...unchecked, gatherMs: 60_000 } })
  await balance(upstream, 1)
  const first = balance(upstream, 2)
  await until(() => held.length === 1)
  const others = await inTurns(upstream, [3, 4, 5])
  t.strictSame(sizes(node), [1, 1])
  held[0]?.()
  t.strictSame(await first, { result: '0x2' })
  await until(() => held.length === 2)
  held[1]?.()
  t.strictSame(await Promise.all(others), [{ result: '0x3' }, { result: '0x4' }, { result: '0x5' }])
  t.strictSame(sizes(node), [1, 1, 3])
  t.strictSame(
    await Promise.all([balance(upstream, 6), until(() => held.length === 3).then(() => held[2]?.())]).then(
      ([answer]) => answer,
    ),
    { result: '0x6' },
    'an idle node receives calls immediately',
  )
})

t.test('calls do not wait for a slow or hanging node', async (t) => {
  for (const gatherMs of [0, 30]) {
    const { node, held } = await startHeld()
    const upstream = upstreamOf(t, [node], { settings: { ...unchecked, gatherMs } })
    await balance(upstream, 1)
    const first = balance(upstream, 2)
    await until(() => held.length === 1)
    const others = await inTurns(upstream, [3])
    await until(() => held.length === 2)
    held[1]?.()
    t.strictSame(await Promise.all(others), [{ result: '0x3' }], 'the first one still hangs')
    held[0]?.()
    t.strictSame(await first, { result: '0x2' })
  }
})

t.test('calls of a refused, partial or invalid batch are sent again one by one', async (t) => {
  const answersOf = ({ calls }: NodeServerRequest) =>
    calls.map(({ id, params }) => ({
      id,
      result: `0x${Number(`0x${String(params[0]).slice(-4)}`).toString(16)}`,
    }))
  const end = (response: ServerResponse, body: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    return true
  }
  const rows: readonly [
    why: string,
    isRemembered: boolean,
    answer: (request: NodeServerRequest, response: ServerResponse) => boolean,
  ][] = [
    [
      'no batches',
      true,
      (_, response) => end(response, { error: { code: -32600, message: 'no batches' } }, 400),
    ],
    ['one answer', true, (request, response) => end(response, answersOf(request)[0])],
    [
      'too slow as a whole',
      false,
      (_, response) => end(response, { error: { code: -32011, message: 'time' } }),
    ],
    ['a part', false, (request, response) => end(response, answersOf(request).slice(1))],
    ['nothing', false, (_, response) => end(response, [])],
    [
      'without ids',
      true,
      (request, response) =>
        end(
          response,
          answersOf(request)
            .map(({ result }) => ({ result }))
            .reverse(),
        ),
    ],
    [
      'the same id',
      true,
      (request, response) =>
        end(
          response,
          answersOf(request).map(({ result }) => ({ id: request.calls[0]?.id, result })),
        ),
    ],
    [
      'ids of each other',
      true,
      (request, response) =>
        end(
          response,
          answersOf(request).map(({ id, result }) => ({ id: id + 1, result })),
        ),
    ],
    ['in another order', false, (request, response) => end(response, answersOf(request).reverse())],
  ]
  for (const [why, isRemembered, answer] of rows) {
    const node = await startNodeServer({
      fault: (request, response) => request.isBatch && answer(request, response),
    })
    const upstream = upstreamOf(t, [node], { settings: unchecked })
    for (let time = 0; time < 2; time++) {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, number) => balance(upstream, number)))
      t.strictSame(
        answers.map(({ result }) => Number(result)),
        Array.from({ length: 20 }, (_, number) => number),
        why,
      )
    }
    t.equal(node.requests.filter(({ isBatch }) => isBatch).length, isRemembered ? 1 : 2, `${why}: remembered`)
  }
})
