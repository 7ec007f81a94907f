import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { defaultLimits } from '../../../../../src/runtime/server/index.js'
import { serverFailures } from '../../../../../src/runtime/server/protocol/failures.js'
import {
  createRequestQueue,
  type QueueLimits,
} from '../../../../../src/runtime/server/sharing/request-queue.js'

const patient: QueueLimits = {
  requestsAtOncePerUser: 1,
  queuedRequestsPerUser: 100,
  queuedBytesPerUser: 10_000,
  queuedRequests: 1_000,
  queuedBytes: 100_000,
  queueSeconds: 3_600,
}
const queueOf = (limits: Partial<QueueLimits> = {}) =>
  createRequestQueue(
    { ...patient, ...limits },
    serverFailures({}, { ...defaultLimits, ...patient, ...limits }),
  )
const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()))
/** Closes a connection as Node.js reports it to the response. */
const disconnect = (response: ServerResponse) => {
  response.destroy()
  response.emit('close')
}
const tooMany = { name: 'RpcError', httpStatus: 429, code: -32005, retryAfterSeconds: 1 }
const full = { name: 'RpcError', httpStatus: 503, code: -32002, retryAfterSeconds: 1 }

/** A queue in which each of these users holds the only place, and a function that queues further requests. */
function takenBy(limits: Partial<QueueLimits>, ...users: readonly string[]) {
  const queue = queueOf(limits)
  const places = users.map((user) => queue.enter(user))
  const started: string[] = []
  /** Releases its place immediately and records its name. */
  const wait = async (user: string, bytes = 1, name = user, response = newResponse()) => {
    const place = await queue.wait(user, bytes, response)
    if (place !== undefined) started.push(name)
    place?.leave()
    return place
  }
  const leave = () => {
    for (const place of places) place?.leave()
  }
  return { queue, wait, started, leave }
}

t.test('the limit of places applies per caller', async (t) => {
  const queue = queueOf({ requestsAtOncePerUser: 3 })
  const places = [queue.enter('user'), queue.enter('user'), queue.enter('user')]
  t.notOk(places.includes(undefined))
  t.equal(queue.enter('user'), undefined)
  t.ok(queue.enter('another'), 'other callers are not affected')
  places[0]?.leave()
  t.ok(queue.enter('user'))
  t.equal(queue.enter('user'), undefined)
})

t.test('only idle callers are forgotten', async (t) => {
  const queue = queueOf()
  const place = queue.enter('busy')
  queue.enter('idle')?.leave()
  const held = queue.enter('waits')
  const later = queue.wait('waits', 1, newResponse())
  held?.leave()
  for (let user = 0; user < 120_000; user++) queue.enter(`user ${user}`)?.leave()
  t.equal(queue.enter('busy'), undefined)
  t.ok(queue.enter('idle'), 'a forgotten caller starts with a new count')
  t.equal(queue.enter('idle'), undefined)
  t.equal(queue.enter('waits'), undefined, 'a waiting request keeps its turn')
  t.ok(await later)
  place?.leave()
  t.ok(queue.enter('busy'))
})

t.test('requests of a user start in arrival order, also when a later one could start at once', async (t) => {
  const { queue, wait, started, leave } = takenBy({}, 'user')
  const waiting = [1, 2, 3].map((n) => wait('user', 1, String(n)))
  leave()
  t.equal(queue.enter('user'), undefined, 'a place is free, and earlier requests wait')
  await Promise.all(waiting)
  t.same(started, ['1', '2', '3'])
  t.ok(queue.enter('user'))
})

t.test('users take turns, however many of their requests wait', async (t) => {
  const { wait, started, leave } = takenBy({}, 'a', 'b', 'c')
  const waiting = [...'aaaaaa', ...'bb', 'c'].map((user) => wait(user))
  leave()
  await Promise.all(waiting)
  t.equal(started.join(''), 'abcabaaaa')
})

t.test('few requests start in one event loop turn, and all start in the end', async (t) => {
  const queue = queueOf({ requestsAtOncePerUser: 100 })
  const users = Array.from({ length: 40 }, (_, n) => `user ${n}`)
  const places = users.flatMap((user) => Array.from({ length: 100 }, () => queue.enter(user)))
  let count = 0
  const waiting = users.map((user) => queue.wait(user, 1, newResponse()).then(() => count++))
  for (const place of places) place?.leave()
  const perTurn: number[] = []
  while (count < users.length) {
    const before = count
    await new Promise(setImmediate)
    perTurn.push(count - before)
  }
  await Promise.all(waiting)
  t.ok(Math.max(...perTurn) <= 16, perTurn.join(' '))
})

t.test(
  'the queue of a user is limited in requests: the limit is accepted, one more is refused',
  async (t) => {
    const { wait, started, leave } = takenBy({ queuedRequestsPerUser: 3 }, 'user', 'other')
    const waiting = [1, 2, 3].map(() => wait('user'))
    await t.rejects(wait('user'), {
      ...tooMany,
      message: 'Too many calls at once: 4 requests would wait, the limit is 3',
    })
    const other = wait('other')
    leave()
    await Promise.all([...waiting, other])
    t.equal(started.length, 4)
  },
)

t.test('the queue of a user is limited in bytes: the limit is accepted, one more is refused', async (t) => {
  const { wait, leave } = takenBy({ queuedBytesPerUser: 10 }, 'user', 'other')
  const waiting = [wait('user', 4), wait('user', 6)]
  await t.rejects(wait('user', 1), {
    ...tooMany,
    message: 'Too many calls at once: 11 bytes would wait, the limit is 10',
  })
  waiting.push(wait('user', 0), wait('other', 10))
  leave()
  t.notOk((await Promise.all(waiting)).includes(undefined))
})

t.test('the queue of all users is limited in requests', async (t) => {
  const { wait, leave } = takenBy({ queuedRequests: 4 }, 'a', 'b')
  const waiting = [...'aabb'].map((user) => wait(user))
  await t.rejects(wait('a'), full)
  await t.rejects(wait('b'), full)
  leave()
  t.notOk((await Promise.all(waiting)).includes(undefined))
})

t.test('the queue of all users is limited in bytes', async (t) => {
  const { wait, leave } = takenBy({ queuedBytes: 10 }, 'a', 'b')
  const waiting = [wait('a', 5), wait('b', 5)]
  await t.rejects(wait('b', 1), full)
  leave()
  t.notOk((await Promise.all(waiting)).includes(undefined))
})

t.test('a request that waits too long is refused, and its room is released', async (t) => {
  const limits = { queueSeconds: 0.05, queuedRequestsPerUser: 1, queuedRequests: 1 }
  const { queue, wait, started, leave } = takenBy(limits, 'user')
  const tooLong = {
    message: 'The request waited for 0.05 seconds and was not started',
    code: -32005,
    httpStatus: 429,
    retryAfterSeconds: 1,
  }
  await t.rejects(wait('user'), tooLong)
  await t.rejects(wait('user'), tooLong, 'the other request waited, too')
  leave()
  t.ok(queue.enter('user'), 'the queue is empty')
  t.same(started, [])
})

t.test('a caller who disconnects leaves the queue, and its room is released', async (t) => {
  const limits = { queuedRequestsPerUser: 2, queuedBytesPerUser: 10, queuedRequests: 2, queuedBytes: 10 }
  const { wait, started, leave } = takenBy(limits, 'user')
  const leaver = newResponse()
  const waiting = [wait('user', 5, 'first', leaver), wait('user', 5, 'second')]
  await t.rejects(wait('user'), tooMany)
  disconnect(leaver)
  t.equal(await waiting[0], undefined)
  waiting.push(wait('user', 5, 'third'))
  leave()
  await Promise.all(waiting)
  t.same(started, ['second', 'third'])
})

t.test('a caller who disconnected before or at its turn gets no place', async (t) => {
  const { queue, wait, leave } = takenBy({}, 'user')
  const gone = newResponse()
  disconnect(gone)
  t.equal(await wait('user', 1, 'gone', gone), undefined)
  const leaving = newResponse()
  const last = wait('user', 1, 'leaving', leaving)
  leave()
  leaving.destroy()
  t.equal(await last, undefined)
  t.ok(queue.enter('user'))
  t.equal(leaving.listenerCount('close'), 0)
})

/** A queue of an overloaded process, in which two callers have too many requests, on a clock of its own. */
function overloaded(limits: Partial<QueueLimits>) {
  let now = 1
  let due: (() => void)[] = []
  const queue = createRequestQueue(
    { ...patient, requestsAtOncePerUser: 8, ...limits },
    serverFailures({}, { ...defaultLimits, ...patient }),
    { now: () => now, idle: () => 0, after: (_milliseconds, run) => due.push(run) },
  )
  const pass = () => {
    now += 10
    for (const run of due.splice(0)) run()
  }
  for (let turn = 0; turn < 200; turn++) {
    for (const user of ['a', 'b']) {
      const place = queue.enter(user)
      place?.worked(1)
      place?.leave()
    }
    pass()
  }
  for (const user of 'aaaabbbb') queue.enter(user)
  due = due.slice(-1)
  return { queue, pass }
}

t.test('refusals of an overloaded process wait within the bounds of the queue', async (t) => {
  for (const [limits, bytes, most] of [
    [{ queuedRequestsPerUser: 3 }, 1, 3],
    [{ queuedBytesPerUser: 10 }, 5, 2],
    [{ queuedRequests: 4 }, 1, 4],
    [{ queuedBytes: 20 }, 5, 4],
  ] as const) {
    const { queue, pass } = overloaded(limits)
    const waiting = Array.from({ length: most }, () => queue.shed('a', bytes, newResponse()))
    t.ok(
      waiting.every((one) => one instanceof Promise),
      JSON.stringify(limits),
    )
    t.match(queue.shed('a', bytes, newResponse()), full, 'one more is refused at once')
    pass()
    for (const refused of waiting) t.match(await refused, full)
    t.ok(queue.shed('a', bytes, newResponse()) instanceof Promise, 'the room is free again')
  }
})

t.test('a caller who disconnects before its refusal frees the room', async (t) => {
  const { queue } = overloaded({ queuedRequestsPerUser: 1 })
  const response = newResponse()
  const refusing = queue.shed('a', 1, response)
  t.match(queue.shed('a', 1, newResponse()), full)
  disconnect(response)
  t.equal(await refusing, undefined)
  t.ok(queue.shed('a', 1, newResponse()) instanceof Promise)
})
