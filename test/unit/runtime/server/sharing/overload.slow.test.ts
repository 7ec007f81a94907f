import { setTimeout, setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createServer } from '../../../../../src/runtime/server/index.js'
import { method } from '../calculator.js'

/** Processor time of a call, in milliseconds. */
const callMilliseconds = 2
const heavyCallers = 4
/** Calls that a heavy caller always has in progress: fewer than it may have. */
const callsAtOnce = 10
const retryAfterSeconds = 1
/** Calls of the light caller after which no refusal is expected any more: a busy machine needs hundreds. */
const mostCalls = 5_000
const memory = { bodyBytes: 10_000_000, queuedBytes: 10_000_000, answerBytes: 10_000_000 }

const { url, close } = await createServer({
  methods: { burn: method('burn', []) },
  handlers: {
    async burn() {
      await turn()
      const until = performance.now() + callMilliseconds
      while (performance.now() < until);
      return 4
    },
  },
  limits,
  context: ({ headers }) => headers.authorization ?? '',
  sharing: { caller: (caller: string) => caller, memory },
}).listen({ port: 0 })
t.teardown(close)

async function burn(caller: string, id: number) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: caller },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'burn' }),
  })
  const { status, headers } = response
  return { status, retryAfter: headers.get('retry-after'), json: await response.json() }
}

t.test('a busy process refuses a part of the calls of heavy callers, and then none', async (t) => {
  let [isOver, refused] = [false, 0]
  async function send(caller: string): Promise<void> {
    while (!isOver) {
      const answer = await burn(caller, 7)
      if (answer.status === 200) continue
      refused += 1
      t.match(answer, {
        status: 503,
        retryAfter: `${retryAfterSeconds}`,
        json: { id: 7, error: { code: -32002, message: 'Too many requests are waiting' } },
      })
    }
  }
  const callers = Array.from(
    { length: heavyCallers * callsAtOnce },
    (_, call) => `heavy-${call % heavyCallers}`,
  )
  // Node 20 accepts one connection in a turn of the event loop.
  t.equal((await burn('light', 1)).status, 200, 'opens its connection')
  const sending = callers.map(send)
  const light = new Set<number>()
  for (let call = 0; call < mostCalls && refused < callsAtOnce; call++)
    light.add((await burn('light', 1)).status)
  t.ok(refused >= callsAtOnce)
  t.same(light, new Set([200]), 'a caller with one call at a time is not refused')
  isOver = true
  await Promise.all(sending)
  await setTimeout(retryAfterSeconds * 1_000)
  const answers = await Promise.all(callers.map((caller) => burn(caller, 1)))
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]), 'after the time of Retry-After')
})
