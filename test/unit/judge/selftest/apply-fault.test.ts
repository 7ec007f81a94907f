import t from 'tap'
import type { FaultHooks, Forward, HttpReply, HttpRequest } from '../../../../src/judge/index.js'
import { applyFault } from '../../../../src/judge/selftest/apply-fault.js'
import { beginFault } from '../../../../src/judge/selftest/fault.js'

const posted = (body: string): HttpRequest => ({
  verb: 'POST',
  path: '/key',
  headers: ['Content-Type', 'application/json', 'Content-Length', String(body.length)],
  body: Buffer.from(body),
  firstPiece: Buffer.from(body),
})

const reply = (body: string): HttpReply => ({
  status: 200,
  headers: ['content-length', String(body.length)],
  body: Buffer.from(body),
})

const textOf = ({ body }: HttpReply | HttpRequest) => Buffer.from(body).toString()

/** A service that answers each call with its method name and records requests. */
function echo() {
  const seen: HttpRequest[] = []
  const answerTo = (call: { id?: unknown; method?: unknown }) => ({
    jsonrpc: '2.0',
    id: call.id ?? null,
    result: call.method,
  })
  const forward: Forward = async (request) => {
    seen.push(request)
    const message = JSON.parse(textOf(request))
    return reply(JSON.stringify(Array.isArray(message) ? message.map(answerTo) : answerTo(message)))
  }
  return { seen, forward }
}

async function through(hooks: FaultHooks, body: string) {
  const { seen, forward } = echo()
  const request = posted(body)
  const { reply, isChanged } = await applyFault(hooks, request, forward)
  return { request, sent: seen, text: textOf(reply), reply, isChanged }
}

t.test('without hooks request and reply stay the same objects', async (t) => {
  const { request, sent, isChanged } = await through(beginFault(undefined), '{"id":1,"method":"a"}')
  t.equal(sent[0], request)
  t.equal(isChanged, false)
})

t.test('hooks without changes keep the bytes', async (t) => {
  const hooks: FaultHooks = { call: (call) => call, answer: (answer) => answer }
  for (const body of ['{ "id" : 1, "method":"a" }', '[ {"id":1,"method":"a"} , 7 ]']) {
    const { request, sent, isChanged } = await through(hooks, body)
    t.equal(sent[0], request, body)
    t.equal(isChanged, false)
  }
})

t.test('the response to a call is matched with the call as the caller sent it', async (t) => {
  const pairs: unknown[] = []
  const hooks: FaultHooks = {
    call: (call) => ({ ...call, method: 'changed' }),
    answer: (answer, { method }) => {
      pairs.push([method, answer.result])
      return answer
    },
  }
  const { text } = await through(hooks, '[{"id":1,"method":"a"},7,{"id":2,"method":"b"}]')
  t.same(pairs, [
    ['a', 'changed'],
    ['b', 'changed'],
  ])
  t.match(text, '"id":2,"result":"changed"')
})

t.test('responses of a batch are changed in order, except those of invalid items', async (t) => {
  let count = 0
  const hooks: FaultHooks = { answer: async (answer) => ({ ...answer, result: ++count }) }
  const { text, reply } = await through(hooks, '[{"id":1,"method":"a"},{"id":0},{"id":2,"method":"b"}]')
  t.equal(
    text,
    '[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":0},{"jsonrpc":"2.0","id":2,"result":2}]',
  )
  t.same(reply.headers, ['content-length', String(text.length)])
})

t.test('a batch that is refused as a whole stays unchanged', async (t) => {
  const hooks: FaultHooks = { answer: (answer) => ({ ...answer, result: 'changed' }) }
  const refusal = reply('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}')
  const { reply: got } = await applyFault(hooks, posted('[{"id":1,"method":"a"}]'), async () => refusal)
  t.equal(got, refusal)
})

t.test('unreadable messages are not parsed, but the whole reply may be changed', async (t) => {
  const hooks: FaultHooks = {
    call: () => t.fail('there is no call') as never,
    answer: () => t.fail('there is no response') as never,
    reply: (reply) => ({ ...reply, status: 418 }),
  }
  const { reply: got, isChanged } = await applyFault(hooks, posted('{'), async () => reply('{}'))
  t.equal(got.status, 418)
  t.equal(isChanged, true)
})

t.test('a fault can send further requests to the service on the same path', async (t) => {
  const hooks: FaultHooks = {
    answer: async (answer, _call, ask) => ({ ...answer, result: (await ask('more', [1])).result }),
  }
  const { sent, text } = await through(hooks, '{"id":7,"method":"a"}')
  t.equal(text, '{"jsonrpc":"2.0","id":7,"result":"more"}')
  t.equal(sent[1]?.path, '/key')
  t.match(JSON.parse(textOf(sent[1] ?? posted(''))), { method: 'more', params: [1] })
})

t.test('the request may be changed before it is parsed', async (t) => {
  const hooks: FaultHooks = { request: (request) => ({ ...request, path: '/other' }), call: (call) => call }
  const { sent, isChanged } = await through(hooks, '{"id":1,"method":"a"}')
  t.equal(sent[0]?.path, '/other')
  t.equal(isChanged, true)
})
