import t from 'tap'
import { FairLimiter, Holder } from '../../../../../src/runtime/server/index.js'
import { type Cost, createLoadLimit, noCost } from '../../../../../src/runtime/server/sharing/load-limit.js'

/** Requests in progress of one caller. */
const places = 64

/**
 * A limit with a clock of its own, for callers that each begin and end requests.
 * @param idlePart part of the time in which the event loop is idle; undefined if it is not measured
 */
function limitOf(idlePart: number | undefined) {
  let [now, idle] = [1, 0]
  let part = idlePart
  const due: { readonly at: number; run(): void }[] = []
  const inProgress = new FairLimiter({}, () => new Holder())
  const limit = createLoadLimit(places, inProgress, {
    now: () => now,
    idle: () => (part === undefined ? undefined : idle),
    after: (milliseconds, run) => {
      due.push({ at: now + milliseconds, run })
    },
  })
  const costs = new Map<string, Cost>()
  const costOf = (caller: string): Cost => {
    const cost = costs.get(caller) ?? noCost()
    costs.set(caller, cost)
    return cost
  }
  let refused = 0
  /** Sends a request; true if it starts. */
  const send = (caller: string): boolean => {
    const own = inProgress.of(caller)
    if (!limit.isOverloaded() || !limit.refuses(own.units, costOf(caller))) {
      inProgress.take(own)
      limit.began()
      limit.worked(costOf(caller), 1)
      return true
    }
    limit.refusals.wait(limit.refusals.of(caller), { units: 0 }).then(() => {
      refused += 1
    })
    return false
  }
  const end = (caller: string): void => {
    inProgress.give(inProgress.of(caller))
    limit.ended()
  }
  /** Time passes in turns of the event loop of this length. */
  const pass = async (milliseconds: number, turn = 10): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += turn) {
      now += turn
      idle += turn * (part ?? 0)
      for (const { run } of due.splice(0)) run()
      await undefined
    }
  }
  /** Each of these callers has a request that ends and is followed by another one in each turn. */
  const work = async (callers: readonly string[], milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 10) {
      for (const caller of callers) if (send(caller)) end(caller)
      await pass(10)
    }
  }
  return {
    send,
    end,
    pass,
    work,
    refused: () => refused,
    /** Callers have cost this much processor time, in milliseconds. */
    spend(callers: readonly string[], milliseconds: number) {
      for (const caller of callers) limit.worked(costOf(caller), milliseconds)
    },
    /** Time passes within a turn. */
    turn(milliseconds: number) {
      now += milliseconds
    },
    idle(value: number) {
      part = value
    },
  }
}

const many = Array.from({ length: 80 }, (_, caller) => `caller ${caller}`)

t.test(
  'requests of a busy process are refused after a second, and none while it has idle time',
  async (t) => {
    for (const [idlePart, milliseconds, isRefused] of [
      [0, 990, false],
      [0, 1_100, true],
      [0.2, 10_000, false],
      [undefined, 10_000, false],
    ] as const) {
      const { send, work } = limitOf(idlePart)
      t.ok(many.every(send))
      await work(['busy'], milliseconds)
      t.equal(send('busy'), !isRefused, `${idlePart} idle for ${milliseconds} ms`)
    }
  },
)

t.test('without a measure of idle time, a long turn with many requests is no overload', async (t) => {
  const { send, work, turn } = limitOf(undefined)
  await work(['a'], 1_000)
  for (let own = 0; own < places; own++) t.ok(['a', 'b', 'c', 'd'].every(send))
  turn(10_000)
  t.ok(send('a'))
})

t.test('a pause, and a burst of the requests that four callers may have, are not an overload', async (t) => {
  const { send, pass, work } = limitOf(0.5)
  await work(['a'], 1_000)
  await pass(3_000, 3_000)
  for (let own = 0; own < places; own++) t.ok(['a', 'b', 'c', 'd'].every(send))
})

t.test('a long turn that begins more requests than end in a second is an overload', async (t) => {
  const { send, work, turn } = limitOf(0.5)
  await work(['a'], 1_000)
  for (let own = 0; own < places; own++) t.ok(['a', 'b', 'c', 'd'].every(send))
  turn(49)
  t.ok(send('e'))
  turn(1)
  t.notOk(send('a'))
})

t.test('callers with fewer requests than an even part start, and a single caller always does', async (t) => {
  const { send, work } = limitOf(0)
  for (let own = 0; own < places; own++) send('heavy')
  await work(['heavy'], 2_000)
  t.ok(send('heavy'), 'alone')
  t.ok(send('light'))
  t.notOk(send('heavy'), 'beside another caller')
  t.ok(send('light'))
})

t.test(
  'callers with less than an even part of the cost start while their number follows what ends',
  async (t) => {
    const { send, end, work, pass } = limitOf(0)
    for (const caller of many) send(caller)
    await work(Array(10).fill('busy'), 2_000)
    t.notOk(send('busy'), 'which costs most')
    for (const part of ['first', 'second']) {
      let started = 0
      while (started < 1_000 && send(`${part} ${started}`)) started += 1
      t.ok(started >= 16 && started <= 22, `${started} of callers that cost nothing, in ten milliseconds`)
      for (let at = 0; at < started; at++) end(`${part} ${at}`)
      await pass(10)
    }
    t.notOk(send('busy'))
  },
)

t.test('requests that wait for something else are not an overload', async (t) => {
  const { send, end, work, turn } = limitOf(0)
  t.ok(many.every(send))
  for (let second = 0; second < 5; second++) {
    await work([], 1_000)
    for (let request = 0; request < places - 1; request++) if (send('busy')) end('busy')
  }
  turn(50)
  for (let own = 0; own < 5; own++) t.ok(many.every(send))
})

t.test('the limit is what ends in 20 milliseconds, and at least a quarter of the places', async (t) => {
  for (const [perTurn, most] of [
    [1, 16],
    [100, 200],
  ] as const) {
    const { send, work, spend } = limitOf(0)
    await work(Array(perTurn).fill('busy'), 2_000)
    const callers = Array.from({ length: 1_000 }, (_, at) => `caller ${at}`)
    spend(callers, 1_000)
    let started = 0
    while (started < 1_000 && send(`caller ${started}`)) started += 1
    t.ok(Math.abs(started - most) <= 1, `${perTurn} requests in 10 ms: ${started}`)
  }
})

t.test('two requests are refused in a millisecond, in order', async (t) => {
  const { send, pass, work, refused, spend } = limitOf(0)
  for (const caller of many) send(caller)
  await work(['busy'], 2_000)
  spend(many, 1_000)
  await pass(10)
  const before = refused()
  t.notOk(many.some(send))
  t.equal(refused(), before, 'not at once')
  await pass(10)
  t.equal(refused() - before, 20)
  await pass(100)
  t.equal(refused() - before, many.length)
})

t.test('half a second without a refusal ends the overload', async (t) => {
  const { send, end, work, idle } = limitOf(0)
  for (const caller of many) send(caller)
  await work(['busy'], 2_000)
  t.notOk(send('busy'))
  for (const caller of many) end(caller)
  idle(0.5)
  await work(['busy'], 600)
  t.ok(many.every(send))
})
