import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { limits } from '../../../../generated/contract.js'
import { contractFailures } from '../../../../src/gateway/request/contract-failures.js'
import { createMemoryBudget } from '../../../../src/gateway/request/memory-budget.js'
import { readBody, reserveBody } from '../../../../src/gateway/request/read-body.js'
import type { RpcError } from '../../../../src/rpc/index.js'
import { registerDirectRpc, rpcServerOptions } from '../../../../src/server/fastify/index.js'
import { errorAnswer, resultAnswer, singleAnswer } from '../../../../src/server/index.js'

const bodyBytes = 134_217_728

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A server that reserves memory for bodies, reads them, and answers each when it may. */
async function serve(t: Test) {
  const budget = createMemoryBudget(bodyBytes)
  const state = { entered: 0, waiting: new Set<() => void>() }
  const app = Fastify(rpcServerOptions({ limits, failures: contractFailures }))
  t.teardown(() => app.close())
  registerDirectRpc(
    app,
    {
      paths: ['/:key'],
      alone: true,
      limits,
      failures: contractFailures,
      async handle(request) {
        try {
          const { key: userId } = request.params as { readonly key: string }
          const reservation = reserveBody(budget, userId, request)
          state.entered++
          const body = await readBody(request, reservation)
          if (String(body) === 'wait') await new Promise<void>((resolve) => state.waiting.add(resolve))
          return singleAnswer(resultAnswer('1', '"read"'))
        } catch (error) {
          return singleAnswer(errorAnswer('null', error as RpcError))
        }
      },
    },
    { paramsOf: (url) => ({ key: url.slice(1) }), addressOf: () => '127.0.0.1' },
  )
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
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
  for (const socket of arriving) socket.write('x'.repeat(20_000))
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
  const small = open('other', 4)
  small.write('four')
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
  chunked.write('4\r\nwait\r\n0\r\n\r\n')
  while (state.waiting.size === 0) await turn()
  const next = await accepted('other')
  next.write('4\r\nfour\r\n0\r\n\r\n')
  t.match((await once(next, 'data'))[0], answered)
  for (const resolve of state.waiting) resolve()
  t.match((await once(chunked, 'data'))[0], answered)
})
