import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { defaultFailures } from '../../../../src/server/index.js'
import { createWorkGate } from '../../../../src/server/sharing/work-gate.js'

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

/** A gate with a clock of its own. */
function gateOf(queueSeconds = 3_600) {
  let now = 0
  let due: { readonly at: number; run(): void }[] = []
  const gate = createWorkGate({ queueSeconds }, defaultFailures, {
    now: () => now,
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
      now = Math.max(now, next.at)
      next.run()
    }
  }
  return { gate, send, run, passed }
}

t.test('the gate rests for three times the work, and users take turns', async (t) => {
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
  t.same(passed, ['a1 at 0', 'a2 at 80', 'b1 at 160', 'c1 at 240', 'a3 at 320', 'b2 at 400'])
})

t.test('short work passes without a wait until its rests add up', async (t) => {
  const { gate, send, run, passed } = gateOf()
  for (let sent = 1; sent <= 3; sent++) {
    await send('a', 1)
    await run()
  }
  t.same(passed, ['a at 0', 'a at 1', 'a at 2'])
  gate.worked(2)
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
  t.same(passed, ['a1 at 0', 'b1 at 80'])
})

t.test('a body that waits too long is refused', async (t) => {
  const { send } = gateOf(0.01)
  await send('a', 20)
  await t.rejects(send('a', 20), {
    name: 'RpcError',
    httpStatus: 429,
    message: 'The request waited too long',
  })
})
