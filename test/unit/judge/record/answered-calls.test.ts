import t from 'tap'
import { answeredCalls } from '../../../../src/judge/record/answered-calls.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'

const call = (method: string, id?: JsonValue) => ({ method, ...(id === undefined ? {} : { id }) })
const answer = (id: JsonValue, result = '') => ({ id, result })

t.test('answers are found by id, in any order', async (t) => {
  const [one, two, three] = [call('a', 1), call('b', '1'), call('c', 2)] as const
  const rows: readonly [JsonValue, JsonValue, readonly (JsonValue | undefined)[]][] = [
    [one, answer(1), [one]],
    [one, answer(2), [undefined]],
    [
      [one, two, three],
      [answer(2), answer('1'), answer(1)],
      [three, two, one],
    ],
    // The notification is not answered.
    [
      [one, call('n'), three],
      [answer(2), answer(1)],
      [three, one],
    ],
    // Items that are no requests, in order.
    [
      [5, one, 'x'],
      [answer(null), answer(1), answer(null)],
      [5, one, 'x'],
    ],
    [
      [one, { ...three, id: 1 }],
      [answer(1), answer(1), answer(1)],
      [one, { ...three, id: 1 }, undefined],
    ],
    [[one, three], answer(null), [undefined]],
    [7, answer(null), [7]],
  ]
  for (const [sent, received, calls] of rows) {
    const found = answeredCalls(sent, received)
    t.same(
      found.map(([, call]) => call),
      calls,
      JSON.stringify([sent, received]),
    )
    t.same(
      found.map(([one]) => one),
      [received].flat(),
    )
  }
})
