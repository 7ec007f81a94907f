import t from 'tap'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'
import { createProtocolHandler } from '../../../../src/runtime/server/index.js'
import { methods } from './calculator.js'

/** A server whose calls end when the test ends them. */
function held(batchCallsAtOnce: number) {
  const open = new Map<JsonValue, () => void>()
  const started: JsonValue[] = []
  const protocol = createProtocolHandler<undefined>({
    methods,
    batchCallsAtOnce,
    call(_method, [value = null]) {
      started.push(value)
      if (typeof value === 'number' && value < 0) return value
      return new Promise((resolve) => open.set(value, () => resolve(value)))
    },
  })
  const post = (values: readonly number[]) => {
    const batch = values.map((value, id) => ({ jsonrpc: '2.0', id, method: 'echo', params: [value] }))
    return protocol.handle(Buffer.from(JSON.stringify(batch)), undefined)
  }
  const end = (value: number) => open.get(value)?.()
  // A slow machine may spread the calls over several turns of the event loop.
  const whenStarted = async (count: number) => {
    while (started.length < count) await new Promise(setImmediate)
    await new Promise(setImmediate)
    return started
  }
  return { post, end, whenStarted }
}

t.test('calls of a batch run concurrently up to the limit, and are answered in order', async (t) => {
  const { post, end, whenStarted } = held(3)
  const answer = post([0, 1, 2, 3, 4, 5])
  t.same(await whenStarted(3), [0, 1, 2], 'three start')
  end(2)
  t.same(await whenStarted(4), [0, 1, 2, 3], 'one ends, one starts')
  end(3)
  end(1)
  t.same(await whenStarted(6), [0, 1, 2, 3, 4, 5])
  end(5)
  end(0)
  end(4)
  const { body } = await answer
  const responses: { id: number; result: number }[] = JSON.parse(String(body))
  t.same(
    responses.map(({ id, result }) => [id, result]),
    [
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
      [5, 5],
    ],
  )
})

t.test('synchronous calls do not wait for others', async (t) => {
  const { post, end, whenStarted } = held(1)
  const answer = post([-1, -2, 0, -3, 1])
  t.same(await whenStarted(3), [-1, -2, 0])
  end(0)
  t.same(await whenStarted(5), [-1, -2, 0, -3, 1])
  end(1)
  const { body } = await answer
  t.equal(JSON.parse(String(body)).length, 5)
})

t.test('long synchronous calls are spread over turns of the event loop', async (t) => {
  const turns = new Set<number>()
  let turn = 0
  let isOver = false
  const nextTurn = () => {
    turn++
    if (!isOver) setImmediate(nextTurn)
  }
  setImmediate(nextTurn)
  const protocol = createProtocolHandler<undefined>({
    methods,
    call(_method, [value = null]) {
      turns.add(turn)
      const end = performance.now() + 11
      while (performance.now() < end);
      return value
    },
  })
  const values = Array.from({ length: 20 }, (_, id) => id)
  const batch = values.map((id) => ({ jsonrpc: '2.0', id, method: 'echo', params: [id] }))
  const { body } = await protocol.handle(JSON.stringify(batch), undefined)
  isOver = true
  const responses: { id: number; result: number }[] = JSON.parse(String(body))
  t.same(
    responses.map(({ id, result }) => [id, result]),
    values.map((id) => [id, id]),
  )
  t.equal(turns.size, 20, 'each in its own turn')
})
