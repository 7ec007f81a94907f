import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { BodyPace } from '../../../../../src/runtime/server/http/body-pace.js'
import { createDropBody, type DropLimits } from '../../../../../src/runtime/server/http/drop-body.js'

/** Bytes of a turn. */
const turnBytes = 100_000
/** Node and the socket may have read this much more of a paused body. */
const readAhead = 3 * 65_536
const bodyBytes = 1_500_000

/** A server that refuses all bodies and drops them at a pace that the test controls. */
async function refusing(
  t: Test,
  { atOnce, ...limits }: Partial<DropLimits> & { readonly atOnce?: number } = {},
) {
  let turns: (() => void)[] = []
  const pace = new BodyPace(turnBytes * 100, (turn) => turns.push(turn))
  const drop = createDropBody(pace, atOnce)
  const requests: IncomingMessage[] = []
  let finished = 0
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    requests.push(request)
    response.writeHead(429, { 'content-length': '2' })
    response.write('no')
    const address = String(request.headers['x-from'] ?? '')
    drop(request, { address, ...limits }, () => {
      finished += 1
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** Sends a whole request, and counts what comes back. */
  const send = (bytes = bodyBytes, lines = '') => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    let text = ''
    let error: Error | undefined
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
    })
    socket.on('error', (reason) => {
      error = reason
    })
    const answered = once(socket, 'data')
    const closed = once(socket, 'close').then(() => ({ text, error }))
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${lines}content-length: ${bytes}\r\n\r\n`)
    socket.write(Buffer.alloc(bytes, ' '))
    return { socket, answered, closed }
  }
  return {
    send,
    requests,
    finished: () => finished,
    taken: () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0),
    turn() {
      const due = turns
      turns = []
      for (const run of due) run()
      return due.length
    },
  }
}

/** Lets everything that has arrived be read: what is sent between two local sockets arrives within these turns. */
async function settled(value: () => number): Promise<number> {
  for (let same = 0, before = -1; same < 50; ) {
    await new Promise(setImmediate)
    same = value() === before ? same + 1 : 0
    before = value()
  }
  return value()
}

t.test('a refused body is answered at once and taken in turns', async (t) => {
  const server = await refusing(t)
  const { answered, socket } = server.send()
  t.match((await answered)[0], /^HTTP\/1.1 429/)
  let before = await settled(server.taken)
  t.ok(before <= turnBytes + readAhead, `${before} bytes without a turn`)
  let turns = 0
  while (server.finished() === 0) {
    // There is no timer while nothing has arrived.
    const timers = server.turn()
    t.ok(timers <= 1, `${timers} timers`)
    const after = await settled(server.taken)
    t.ok(after - before <= turnBytes + readAhead, `${after - before} bytes in a turn`)
    before = after
    turns += timers
  }
  t.ok(turns >= (bodyBytes - readAhead) / (turnBytes + 65_536) - 2, `${turns} turns`)
  // The last turn may find nothing, because a chunk can end exactly at the end of a turn.
  while (server.turn() > 0);
  t.notOk(socket.destroyed, 'the connection stays open')
})

t.test('the bodies of all connections share one pace', async (t) => {
  const server = await refusing(t)
  const sent = Array.from({ length: 8 }, () => server.send())
  for (const { answered } of sent) await answered
  const first = await settled(server.taken)
  t.ok(first <= turnBytes + sent.length * readAhead, `${first} bytes without a turn`)
  for (let turn = 0, before = first; turn < 20; turn++) {
    server.turn()
    const after = await settled(server.taken)
    t.ok(after - before <= turnBytes + readAhead, `${after - before} bytes in a turn`)
    before = after
  }
  const each = server.requests.map(({ socket }) => socket.bytesRead)
  t.ok(Math.max(...each) - Math.min(...each) <= turnBytes + readAhead, `they take turns: ${each}`)
})

t.test('a caller that closes its connection after the answer is not reset', async (t) => {
  const server = await refusing(t)
  const { closed } = server.send(bodyBytes, 'connection: close\r\n')
  let end: Awaited<typeof closed> | undefined
  void closed.then((outcome) => {
    end = outcome
  })
  while (end === undefined) {
    server.turn()
    await new Promise(setImmediate)
  }
  t.match(end.text, /^HTTP\/1.1 429[\s\S]*no$/)
  t.equal(end.error, undefined)
})

t.test('beyond the bound the oldest connection of the busiest address closes', async (t) => {
  const server = await refusing(t, { atOnce: 2 })
  const [first, second] = [server.send(), server.send()]
  await Promise.all([first.answered, second.answered])
  t.equal(server.finished(), 0)
  await server.send().answered
  t.equal(server.finished(), 1)
  const open = server.requests.map(({ socket }) => !socket.destroyed && !socket.writableEnded)
  t.same(open, [false, true, true])
})

t.test('a body over its limit ends', async (t) => {
  const server = await refusing(t, { bytes: 1_000 })
  await server.send(2_000).answered
  t.equal(await settled(server.finished), 1)
})
