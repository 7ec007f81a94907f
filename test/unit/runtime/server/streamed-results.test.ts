import t from 'tap'
import { type JsonSource, RawJsonStream } from '../../../../src/runtime/rpc/index.js'
import {
  createProtocolHandler,
  type ErrorReport,
  type ProtocolOptions,
} from '../../../../src/runtime/server/index.js'
import { isSource, wholeText } from '../../../../src/runtime/server/protocol/encode-answer.js'
import { methods } from './calculator.js'

/** A source of chunks that records its use. With a failure, it fails after the last chunk. */
function pieces(texts: readonly string[], failure?: Error) {
  const left = [...texts]
  const seen = { cancelled: 0 }
  const source: JsonSource = {
    async next() {
      const text = left.shift()
      if (text === undefined && failure !== undefined) throw failure
      return text === undefined ? undefined : Buffer.from(text)
    },
    cancel() {
      seen.cancelled++
    },
  }
  return { source, seen }
}

const request = (id?: number | string) => ({ jsonrpc: '2.0', id, method: 'add', params: [1, 2] })

function protocolOf(sources: readonly JsonSource[], options: Partial<ProtocolOptions<string>> = {}) {
  const told: (number | undefined)[] = []
  const reports: ErrorReport<string>[] = []
  const left = [...sources]
  const protocol = createProtocolHandler<string>({
    methods,
    call: () => {
      const source = left.shift()
      return source === undefined ? 5 : new RawJsonStream(source)
    },
    onResponse: (_method, error) => told.push(error?.code),
    onError: (report) => reports.push(report),
    ...options,
  })
  const handle = (body: unknown) => protocol.handle(Buffer.from(JSON.stringify(body)), 'ada')
  return { handle, told, reports }
}

t.test('a result can be streamed, between the id and the end of the response', async (t) => {
  const { source } = pieces(['[1,', '2]'])
  const { handle, told } = protocolOf([source], { validateResults: true })
  const { status, body } = await handle(request('a'))
  t.equal(status, 200)
  t.ok(isSource(body))
  t.same(told, [], 'the end is reported')
  t.equal(String(await wholeText(body ?? '')), '{"jsonrpc":"2.0","id":"a","result":[1,2]}')
  t.same(told, [undefined])
})

t.test('in a batch a streamed result keeps its place', async (t) => {
  const first = pieces(['"a', 'b"'])
  const second = pieces(['[]'])
  const { handle, told } = protocolOf([first.source, second.source])
  const { body } = await handle([
    request(1),
    request(2),
    request(3),
    { jsonrpc: '2.0', id: 4, method: 'none' },
  ])
  const answers = JSON.parse(String(await wholeText(body ?? '')))
  t.match(answers, [
    { id: 1, result: 'ab' },
    { id: 2, result: [] },
    { id: 3, result: 5 },
    { id: 4, error: {} },
  ])
  t.equal(told.length, 4)
})

t.test('a failing stream is reported once', async (t) => {
  const { source, seen } = pieces(['[1,'], new TypeError('broken'))
  const { handle, told, reports } = protocolOf([source])
  const { body } = await handle(request(1))
  if (body === null || !isSource(body)) throw new TypeError('it is complete')
  await t.rejects(wholeText(body), { message: 'broken' })
  body.cancel()
  t.same(told, [-32603])
  t.match(reports, [{ kind: 'handlerFailed', method: 'add' }])
  t.equal(seen.cancelled, 1)
})

t.test('an unread stream is cancelled and reported once', async (t) => {
  const { source, seen } = pieces(['[1,', '2]'])
  const { handle, told } = protocolOf([source])
  const { body } = await handle(request(1))
  if (body === null || !isSource(body)) throw new TypeError('it is complete')
  await body.next()
  body.cancel()
  body.cancel()
  t.equal(await body.next(), undefined)
  t.same([told.length, seen.cancelled], [1, 1])
})

t.test('a result of a notification is not read', async (t) => {
  const { source, seen } = pieces(['[]'])
  const { handle, told } = protocolOf([source], { envelope: { idRequired: false } })
  t.match(await handle(request()), { status: 204, body: null })
  t.same([told.length, seen.cancelled], [1, 1])
})
