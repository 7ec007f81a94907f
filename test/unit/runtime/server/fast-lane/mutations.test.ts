import { connect } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { readRequestHead } from '../../../../../src/runtime/server/fast-lane/request-head.js'
import { call, post, postHead, startKeyed } from '../../../../service/server/server-harness.js'
import { httpMutations, mutate } from '../../../../support/mutations.js'
import { isLong } from '../../../../support/runs.js'

/** Mutations that are sent to both parsers. */
const mutationCount = isLong ? 20_000 : 1_000
const connectionsAtOnce = 16
const seed = Number(process.env['FC_SEED'] ?? 20261123)

const add = call('add', [1, 2], 3)
const chunk = `${add.length.toString(16)}\r\n${add}\r\n0\r\n\r\n`

/** Requests as clients send them, in the forms that either parser reads. */
const requests: readonly string[] = [
  post('/good', add),
  post('/v2/good?a=b', add, { 'user-agent': 'a client/1.0', accept: '*/*', connection: 'keep-alive' }),
  post('/good', `[${add},${call('subtract', [5, 1], '"é"')},${call('none', [], null)}]`),
  post('/unknown', add),
  post('/', add),
  post('/broken', add),
  post('/good', 'no JSON'),
  post('/good', ''),
  post('/good', add, { 'content-type': 'text/plain' }),
  post('/good', add, { 'content-encoding': 'gzip' }),
  post('/good', add, { origin: 'https://a.example' }),
  post('/good', add, { connection: 'close' }),
  post('/good', add).replace('HTTP/1.1', 'HTTP/1.0'),
  `${postHead('/good', { 'transfer-encoding': 'chunked' })}${chunk}`,
  `${postHead('/good', { expect: '100-continue', 'content-length': add.length })}${add}`,
  'GET /good HTTP/1.1\r\nHost: a\r\n\r\n',
  'OPTIONS /good HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\n\r\n',
]

/** Up to three requests of one connection, the first one changed, and sent in one piece or in two. */
const sent = fc
  .record({
    request: fc.constantFrom(...requests),
    changes: fc.array(httpMutations, { minLength: 1, maxLength: 3 }),
    before: fc.boolean(),
    after: fc.boolean(),
  })
  .map(({ request, changes, before, after }) => {
    const changed = mutate(request, changes)
    return `${before ? post('/good', call('add', [0, 1], 1)) : ''}${changed}${after ? post('/good', call('add', [0, 9], 9)) : ''}`
  })

/** Everything that a server sends on a connection that sends some bytes and ends. */
function receive(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1' })
    socket.setEncoding('latin1')
    socket.on('data', (piece) => {
      text += piece
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
    socket.end(bytes, 'latin1')
  })
}

/** The answers of a connection without the time and the random references of errors: a status, headers in the order of their names, and a body. */
function answersIn(text: string): readonly (readonly string[])[] {
  const answers: (readonly string[])[] = []
  for (let rest = text.replaceAll(/"reference":"\w{10}"/g, '"reference":"0123456789"'); rest !== ''; ) {
    const [head = ''] = rest.split('\r\n\r\n', 1)
    const [status = '', ...lines] = head.split('\r\n')
    const headers = lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort()
    const length = Number(/^content-length: (\d+)$/m.exec(headers.join('\n'))?.[1] ?? 0)
    const bodyAt = head.length + 4
    answers.push([
      status,
      ...headers.filter((line) => !line.startsWith('date:')),
      rest.slice(bodyAt, bodyAt + length),
    ])
    rest = rest.slice(bodyAt + length)
  }
  return answers
}

t.test("changed requests get the same answers from the fast lane and from Node's parser", async (t) => {
  t.comment(`FC_SEED=${seed}, ${mutationCount} mutations`)
  const fast = await startKeyed({}, true, true)
  const node = await startKeyed({}, true, false)
  t.teardown(() => Promise.all([fast.app.close(), node.app.close()]))
  const mutations = fc.sample(sent, { seed, numRuns: mutationCount })
  const accepted = mutations.filter((bytes) => readRequestHead(bytes) !== undefined).length
  let answered = 0
  const queue = mutations.values()
  const worker = async (): Promise<void> => {
    for (const bytes of queue) {
      const [ours, theirs] = await Promise.all([receive(fast.port, bytes), receive(node.port, bytes)])
      const answers = answersIn(ours)
      answered += answers.length
      if (!isDeepStrictEqual(answers, answersIn(theirs))) t.equal(ours, theirs, JSON.stringify(bytes))
    }
  }
  await Promise.all(Array.from({ length: connectionsAtOnce }, worker))
  t.ok(
    accepted > mutationCount / 4,
    `${accepted} of ${mutationCount} begin with a head that the fast lane accepts`,
  )
  t.ok(answered > mutationCount, `${answered} answers were compared`)
})
