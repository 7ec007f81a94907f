import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { serviceEndpoint } from '../../../../../src/runtime/server/http/protocol-endpoint.js'
import { createService, type NodeRequest, serveHttp } from '../../../../../src/runtime/server/index.js'
import { method } from '../calculator.js'

const bodyBytes = 134_217_728

const turn = () => new Promise((resolve) => setImmediate(resolve))

const methods = { four: method('four', []), wait: method('wait', []) }

/** A call of the method in a body of at least this size. */
const bodyOf = (name: 'four' | 'wait', length = 0) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: name }).padEnd(length)

/** The only chunk of a body, and its end. */
const chunkOf = (name: 'four' | 'wait') => {
  const body = bodyOf(name)
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

/** A server whose callers share memory for bodies. Its method `wait` returns when the test lets it. */
async function serve(t: Test) {
  const state = { entered: 0, waiting: new Set<() => void>() }
  const service = createService<string>({
    methods,
    handlers: {
      four: () => 4,
      wait: () => new Promise((resolve) => state.waiting.add(() => resolve(4))),
    },
    limits,
    sharing: {
      caller: (user) => user,
      memory: { bodyBytes, queuedBytes: bodyBytes, answerBytes: bodyBytes },
    },
  })
  const context = ({ url = '' }: { readonly url?: string | undefined }) => url
  const endpoint = serviceEndpoint({ service, context }, ({ raw }: NodeRequest) => raw)
  const { url, close } = await serveHttp(
    {
      ...endpoint,
      paths: ['/:key'],
      handle(request, problem) {
        const answer = endpoint.handle(request, problem)
        if (answer instanceof Promise) state.entered++
        return answer
      },
    },
    { port: 0 },
  )
  const { port } = new URL(url)
  t.teardown(close)
  const open = (key: string, length: number | 'chunked'): Socket => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    t.teardown(() => socket.destroy())
    const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`
    socket.write(`POST /${key} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${size}\r\n\r\n`)
    return socket
  }
  return { state, open }
}

const answered = /^HTTP\/1.1 200 /
const fullForAll = /^HTTP\/1.1 503 [\s\S]*Too many requests are waiting/

t.test('more large bodies of a user may arrive concurrently than requests are worked on', async (t) => {
  const { state, open } = await serve(t)
  const arriving = Array.from({ length: 2 * limits.requestsAtOncePerUser }, () => open('own', 20_000))
  while (state.entered < arriving.length) await turn()
  const answers = arriving.map((socket) => once(socket, 'data'))
  for (const socket of arriving) socket.write(bodyOf('four', 20_000))
  for (const answer of answers) t.match((await answer)[0], answered)
})

t.test('large bodies of all users have a memory limit, and free their memory', async (t) => {
  const { state, open } = await serve(t)
  const most = Math.floor(bodyBytes / limits.bodyBytes)
  const ofOne = Math.floor(most / 4)
  const arriving: Socket[] = []
  while (arriving.length < most) {
    arriving.push(open(`user${Math.floor(arriving.length / ofOne)}`, limits.bodyBytes))
    while (state.entered < arriving.length) await turn()
    if (arriving.length !== ofOne) continue
    const [refused] = await once(open('user0', limits.bodyBytes), 'data')
    t.match(refused, 'Too many large', 'the share of one user')
  }
  t.match((await once(open('other', limits.bodyBytes), 'data'))[0], fullForAll)
  const small = open('other', 100)
  small.write(bodyOf('four', 100))
  t.match((await once(small, 'data'))[0], answered, 'small bodies are accepted')
  arriving[0]?.destroy()

  // There is room for one again. A body of unknown size reserves the limit while it arrives, and its size after that.
  const accepted = async (key: string): Promise<Socket> => {
    for (;;) {
      const before = state.entered
      const socket = open(key, 'chunked')
      const refused = once(socket, 'data').then(() => true)
      while (state.entered === before) if (await Promise.race([refused, turn().then(() => false)])) break
      if (state.entered > before) return socket
    }
  }
  const chunked = await accepted('other')
  t.match((await once(open('other', 'chunked'), 'data'))[0], fullForAll)
  chunked.write(chunkOf('wait'))
  while (state.waiting.size === 0) await turn()
  const next = await accepted('other')
  next.write(chunkOf('four'))
  t.match((await once(next, 'data'))[0], answered)
  for (const resolve of state.waiting) resolve()
  t.match((await once(chunked, 'data'))[0], answered)
})
