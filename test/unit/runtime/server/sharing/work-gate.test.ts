import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { serverFailures } from '../../../../../src/runtime/server/protocol/failures.js'
import { createWorkGate } from '../../../../../src/runtime/server/sharing/work-gate.js'

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

/**
 * A gate with a clock of its own.
 * @param idleShare part of the time in which the event loop is idle while the gate is closed
 */
function gateOf({ queueSeconds = 3_600, idleShare = 1 } = {}) {
  let [now, idle] = [0, 0]
  let due: { readonly at: number; run(): void }[] = []
  const gate = createWorkGate({ queueSeconds }, serverFailures(), {
    now: () => now,
    idle: () => idle,
    after: (milliseconds, run) => due.push({ at: now + milliseconds, run }),
  })
  const passed: string[] = []
  /** Sends a body whose work takes so long, and records its name. */
  const send = async (user: string, work: number, name = user, response = newResponse()) => {
    const isPassed = await gate.pass(user, response)
    if (isPassed) {
      passed.push(`${name} at ${now}`)
      now += work
      gate.worked(work)
    }
    return isPassed
  }
  /** Advances the clock until nothing waits. */
  const run = async () => {
    for (;;) {
      await new Promise(setImmediate)
      const [next] = due.sort((one, other) => one.at - other.at)
      if (next === undefined) return
      due = due.filter((other) => other !== next)
      const waited = Math.max(0, next.at - now)
      now += waited
      idle += waited * idleShare
      next.run()
    }
  }
  return { gate, send, run, passed }
}

t.test('the gate rests until the loop was idle for twice the work, and users take turns', async (t) => {
  const { send, run, passed } = gateOf()
  const all = [
    send('a', 20, 'a1'),
    send('a', 20, 'a2'),
    send('a', 20, 'a3'),
    send('b', 20, 'b1'),
    send('c', 20, 'c1'),
    send('b', 20, 'b2'),
  ]
  await run()
  t.same(await Promise.all(all), Array(all.length).fill(true))
  t.same(passed, ['a1 at 0', 'a2 at 60', 'b1 at 120', 'c1 at 180', 'a3 at 240', 'b2 at 300'])
})

t.test('the rest is longer in a busy loop, and at most fifteen times the work', async (t) => {
  for (const [idleShare, second] of [
    [0.5, 80],
    [0, 320],
  ] as const) {
    const { send, run, passed } = gateOf({ idleShare })
    const all = [send('a', 20, 'a1'), send('a', 20, 'a2')]
    await run()
    await Promise.all(all)
    t.same(passed, ['a1 at 0', `a2 at ${second}`], `idle for ${idleShare} of the time`)
  }
})

t.test('short work passes without a wait until its rests add up', async (t) => {
  const { gate, send, run, passed } = gateOf()
  for (let sent = 1; sent <= 3; sent++) {
    await send('a', 1)
    await run()
  }
  t.same(passed, ['a at 0', 'a at 1', 'a at 2'])
  gate.worked(3)
  t.not(gate.pass('b', newResponse()), true, 'the gate is closed')
  await run()
  t.equal(gate.pass('b', newResponse()), true, 'the gate is open again')
})

t.test('a caller who disconnects leaves', async (t) => {
  const { send, run, passed } = gateOf()
  const left = newResponse()
  const all = [send('a', 20, 'a1'), send('a', 20, 'a2', left), send('b', 20, 'b1')]
  left.destroy()
  left.emit('close')
  await run()
  t.same(await Promise.all(all), [true, false, true])
  t.same(passed, ['a1 at 0', 'b1 at 60'])
})

t.test('a body that waits too long is refused', async (t) => {
  const { send } = gateOf({ queueSeconds: 0.01 })
  await send('a', 20)
  await t.rejects(send('a', 20), {
    name: 'RpcError',
    httpStatus: 429,
    message: 'The request waited for 20 seconds and was not started',
  })
})
