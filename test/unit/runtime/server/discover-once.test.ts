import t from 'tap'
import { createProtocolHandler } from '../../../../src/runtime/server/index.js'
import { methods } from './calculator.js'

const document = { openrpc: '1.3.2', info: { title: 'Calculator', version: '1.0.0' }, methods: [] }
const discover = { jsonrpc: '2.0', method: 'rpc.discover' }

async function answersTo(batch: readonly unknown[]) {
  const protocol = createProtocolHandler<undefined>({ methods, document, call: (_method, [value]) => value })
  const { body } = await protocol.handle(JSON.stringify(batch), undefined)
  return { bytes: String(body).length, answers: JSON.parse(String(body)) }
}

t.test('a batch gets the document once', async (t) => {
  const echo = { jsonrpc: '2.0', id: 1, method: 'echo', params: [7] }
  const { answers } = await answersTo([echo, { ...discover, id: 2 }, { ...discover, id: 'x' }, echo])
  t.match(answers, [
    { id: 1, result: 7 },
    { id: 2, result: document },
    { id: 'x', error: { code: -32600, message: /rpc\.discover is answered once in a batch/ } },
    { id: 1, result: 7 },
  ])
})

t.test('a batch of requests for the document is answered about as briefly as one of them', async (t) => {
  const one = await answersTo([{ ...discover, id: 1 }])
  const many = await answersTo(Array.from({ length: 100 }, (_, id) => ({ ...discover, id })))
  t.equal(many.answers.filter(({ result }: { result?: unknown }) => result !== undefined).length, 1)
  t.ok(many.bytes < one.bytes + 99 * 200)
})
