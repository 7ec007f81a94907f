import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createServer } from '../../../../../src/runtime/server/index.js'
import { until } from '../../../../support/until.js'
import { method } from '../calculator.js'

const memory = { bodyBytes: 10_000_000, queuedBytes: 10_000_000, answerBytes: 10_000_000 }

/** Callers in the order in which their batches began. */
const begun: string[] = []
let turns = 0
/** The largest number of batches that began in one turn of the event loop. */
let most = 0
let inTurn = { turn: -1, batches: 0 }
let arrived = 0
let release = (): void => undefined
const released = new Promise<void>((resolve) => {
  release = resolve
})

const { url, close } = await createServer({
  methods: { quick: method('quick', []) },
  handlers: {
    quick(_params: unknown, caller: string, { index }: { readonly index: number }) {
      if (index > 0) return 4
      begun.push(caller)
      inTurn =
        inTurn.turn === turns ? { turn: turns, batches: inTurn.batches + 1 } : { turn: turns, batches: 1 }
      most = Math.max(most, inTurn.batches)
      return 4
    },
  },
  limits,
  // The messages of all callers arrive before the first one goes on.
  context: async ({ headers }) => {
    arrived += 1
    await released
    return headers.authorization ?? ''
  },
  sharing: { caller: (caller: string) => caller, memory },
}).listen({ port: 0 })
t.teardown(close)

async function send(caller: string, calls: number) {
  const batch = Array.from({ length: calls }, (_, id) => ({ jsonrpc: '2.0', id, method: 'quick' }))
  const headers = { 'content-type': 'application/json', authorization: caller }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(batch) })
  return ((await response.json()) as readonly { readonly result?: number }[]).filter(
    ({ result }) => result === 4,
  ).length
}

t.test('one batch begins in a turn of the event loop, and callers take turns', async (t) => {
  const heavy = Array.from({ length: 40 }, () => send('heavy', 100))
  await until(() => arrived === heavy.length)
  const light = send('light', 100)
  await until(() => arrived === heavy.length + 1)
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  count()
  release()
  t.equal(await light, 100)
  t.same(new Set(await Promise.all(heavy)), new Set([100]))
  isOver = true
  t.ok(most <= 2, `${most} batches began in a turn`)
  t.ok(begun.indexOf('light') <= 30, `the batch of the other caller was number ${begun.indexOf('light') + 1}`)
})
