import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import { isLong, runs } from '../../../support/runs.js'
import { readClient, type Sent } from './reads.js'

/** What the server does with one HTTP request. */
type Reaction =
  | 'answer'
  | 'lose'
  | 'page'
  | 'hang'
  | 'drop item'
  | 'twice'
  | 'foreign'
  | 'gone'
  | 'junk'
  | 'refuse'

/** One call of the test. */
interface Plan {
  readonly method: 'balance' | 'logs' | 'send'
  /** The round of the event loop after which its signal fires. */
  readonly abortAfter: number | undefined
  readonly timeoutMilliseconds: number
  readonly budgetMilliseconds: number | undefined
  readonly isExplicit: boolean
}

const reaction = fc.constantFrom<Reaction>(
  ...([
    'answer',
    'answer',
    'answer',
    'lose',
    'page',
    'hang',
    'drop item',
    'twice',
    'foreign',
    'gone',
  ] as const),
  ...(['junk', 'refuse'] as const),
)

const plan: fc.Arbitrary<Plan> = fc.record({
  method: fc.constantFrom('balance', 'balance', 'logs', 'send'),
  abortAfter: fc.option(fc.nat(8), { nil: undefined }),
  timeoutMilliseconds: fc.integer({ min: 1, max: 15 }),
  budgetMilliseconds: fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined }),
  isExplicit: fc.boolean(),
})

const round = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A `fetch` that reacts as the script says, after some rounds of the event loop. */
function scripted(script: readonly (readonly [Reaction, number])[]) {
  let at = 0
  return async (_: string, { body, signal }: { readonly body: string; readonly signal: AbortSignal }) => {
    const [how, rounds] = script[at++ % script.length] ?? ['answer', 0]
    for (let left = rounds; left > 0; left -= 1) await round()
    if (how === 'hang') {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    if (signal.aborted || how === 'lose') throw new TypeError('fetch failed')
    return respond(JSON.parse(body), how)
  }
}

function respond(sent: Sent | readonly Sent[], how: Reaction): Response {
  const right = ({ id, params }: Sent) => ({ jsonrpc: '2.0', id, result: params[0] })
  const calls: readonly Sent[] = Array.isArray(sent) ? sent : [sent]
  const [first] = calls
  if (how === 'page') return new Response('<html>', { status: 503 })
  if (how === 'refuse' || !first) {
    return Response.json({ jsonrpc: '2.0', id: null, error: { code: 7, message: 'no' } }, { status: 401 })
  }
  const answers = calls.map((call, at): object => {
    if (how === 'gone' && at === 0)
      return { jsonrpc: '2.0', id: call.id, error: { code: 9, message: 'gone' } }
    return how === 'foreign' && at === 0 ? { ...right(call), id: 1e9 } : right(call)
  })
  if (how === 'drop item') answers.shift()
  if (how === 'twice') answers.push(right(first))
  if (how === 'junk') answers.unshift([], { jsonrpc: '2.0' })
  const [only] = answers
  return Response.json(Array.isArray(sent) ? answers : (only ?? null))
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** The timers of this process that are still active. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

t.test('any interleaving settles every call once, with its own answer, and leaks nothing', async (t) => {
  const before = timers()
  let settlements = 0
  const run = async (
    plans: readonly Plan[],
    script: readonly (readonly [Reaction, number])[],
    concurrency: number | undefined,
  ) => {
    const client = readClient('http://127.0.0.1/', {
      fetch: scripted(script),
      concurrency,
      retry: { maxDelayMilliseconds: 2, attempts: 3 },
    })
    const signals: AbortSignal[] = []
    const count = { settled: 0 }
    const settled = (value: unknown, want: unknown) => {
      count.settled += 1
      settlements += 1
      if (value !== want && !(value instanceof Error)) throw new Error(`${String(value)} for ${String(want)}`)
    }
    const sent = plans.map(async ({ method, abortAfter, isExplicit, ...times }, at) => {
      const controller = new AbortController()
      signals.push(controller.signal)
      const options = { ...times, signal: controller.signal }
      const calls = isExplicit
        ? client
            .batch((call) => [call[method](`${at}a`), call.balance(`${at}b`)], options)
            .then((outcomes) => outcomes.map(({ value, reason }) => value ?? reason))
        : client[method](`${at}a`, options).then((value) => [value])
      const outcome = calls.catch((error: unknown): unknown[] => [error])
      if (abortAfter !== undefined) {
        for (let left = abortAfter; left > 0; left -= 1) await round()
        controller.abort(new Error('aborted'))
      }
      for (const [item, value] of (await outcome).entries()) settled(value, `${at}${item === 0 ? 'a' : 'b'}`)
    })
    await Promise.all(sent)
    for (const signal of signals) {
      if (getEventListeners(signal, 'abort').length > 0) throw new Error('a listener is left')
    }
    if (timers() > before) throw new Error(`${timers() - before} timers are left`)
    if (count.settled < plans.length) throw new Error('a call did not settle')
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(reaction, fc.nat(4)), { minLength: 1, maxLength: 8 }),
      fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      run,
    ),
    { numRuns: runs(300) },
  )
  t.ok(settlements > runs(300), `${settlements} calls`)
})

t.test('tens of thousands of calls leave no memory, timer or listener behind', async (t) => {
  const client = readClient('http://127.0.0.1/', { fetch: scripted([['answer', 0]]) })
  const { signal } = new AbortController()
  const calls = async (rounds: number) => {
    for (let left = rounds; left > 0; left -= 1) {
      await Promise.all(Array.from({ length: 32 }, (_, at) => client.balance(at, { signal })))
    }
    // A second collection, because the first one queues the clean-up of signals.
    for (let collections = 0; collections < 2; collections += 1) {
      await round()
      collectGarbage()
    }
    return process.memoryUsage().heapUsed
  }
  const first = await calls(400)
  const rounds = isLong ? 3_125 : 1_000
  const last = await calls(rounds)
  t.comment(`heap: ${((last - first) / 1_048_576).toFixed(1)} MB more after ${32 * rounds} calls`)
  t.equal(getEventListeners(signal, 'abort').length, 0)
  t.ok(last - first < 2 * 1_048_576)
})
