import t from 'tap'
import { AnswerRoom } from '../../../../../src/service/gateway/nodes/index.js'

const never = new Promise<void>(() => undefined)
const long = 60_000

/** Waits for memory, and records the name when it is reserved. */
function waiting(room: AnswerRoom, begun: string[]) {
  return async (userId: string, bytes: number, name = userId) => {
    if (await room.wait(userId, bytes, long, never)) begun.push(name)
  }
}

t.test('a user has a quarter of the room, or one larger answer', async (t) => {
  const room = new AnswerRoom(100)
  t.ok(room.take('a', 60))
  t.notOk(room.take('a', 1))
  t.ok(room.take('b', 20))
  t.ok(room.take('b', 5))
  t.notOk(room.take('b', 1))
  t.notOk(room.take('c', 16), 'the room of all users')
  t.ok(room.take(undefined, 10), 'the service has no share')
  t.ok(room.take(undefined, 5))
})

t.test(
  'answers wait for memory in order, except for those that wait for the share of their user',
  async (t) => {
    const room = new AnswerRoom(100)
    const begun: string[] = []
    const wait = waiting(room, begun)
    for (const [user, bytes] of [
      ['a', 60],
      ['b', 25],
      ['c', 15],
    ] as const)
      t.ok(room.take(user, bytes))
    const all = [wait('a', 30), wait('d', 35), wait('e', 4)]
    room.give('c', 15)
    await new Promise(setImmediate)
    t.same(begun, [], 'the small answer of e does not overtake that of d')
    room.give('b', 25)
    await new Promise(setImmediate)
    t.same(begun, ['d', 'e'], 'though a waits longer')
    room.give('a', 60)
    await Promise.all(all)
    t.same(begun, ['d', 'e', 'a'])
  },
)

t.test('an answer stops waiting when its time is over or its callers have disconnected', async (t) => {
  const room = new AnswerRoom(10)
  t.ok(room.take('a', 10))
  t.notOk(await room.wait('b', 1, long, Promise.resolve()))
  t.notOk(await room.wait('b', 1, 1, never))
  room.give('a', 10)
  t.ok(room.take('b', 10), 'they hold nothing')
})
