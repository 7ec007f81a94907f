import t from 'tap'
import {
  answerOf,
  type Call,
  type CallAnswer,
  callOf,
  encodeItem,
  readMessage,
} from '../../../../src/conformance/selftest/rpc-message.js'

const read = (text: string) => readMessage(Buffer.from(text))

/** Reads one message and writes it again, changed. */
function rewritten(text: string, change: (call: Call) => Call | CallAnswer): string {
  const [item] = read(text)?.items ?? []
  const call = item && callOf(item)
  return item === undefined ? '' : encodeItem(item, call && change(call))
}

t.test('what is no JSON in UTF-8, or nests deeper than calls do, is not read', async (t) => {
  for (const body of [
    '',
    '{',
    '\ufeff{}',
    Buffer.from([0x22, 0xff, 0x22]),
    '['.repeat(40) + ']'.repeat(40),
  ]) {
    t.equal(readMessage(Buffer.from(body as string)), undefined, String(body).slice(0, 10))
  }
})

t.test('a batch and a single are told apart', async (t) => {
  t.same(read('[]'), { isBatch: true, items: [] })
  t.equal(read('7')?.isBatch, false)
  t.equal(read('[1,{"id":1}]')?.items.length, 2)
})

t.test('ids are known as they are written', async (t) => {
  const ids = ['0', '-1', '123456789012345678901234567890', '1.50', '1e2', '"a"', 'null', 'true']
  for (const id of ids) t.equal(read(`{"id":${id},"method":"m"}`)?.items[0]?.idText, id)
  t.same(
    read(`[${ids.map((id) => `{"id":${id}}`).join()},{},7]`)?.items.map(({ idText }) => idText),
    [...ids, undefined, undefined],
  )
})

t.test('an item is a call when its method is text, and an answer when it is an object', async (t) => {
  const [call, other, scalar] = read('[{"method":"m"},{"method":1},7]')?.items ?? []
  if (call === undefined || other === undefined || scalar === undefined) return t.fail('three items')
  t.match(callOf(call), { method: 'm', idText: undefined, params: undefined })
  t.equal(callOf(other), undefined)
  t.equal(callOf(scalar), undefined)
  t.match(answerOf(other), { result: undefined })
  t.equal(answerOf(scalar), undefined)
})

t.test(
  'what is written anew keeps the digits of its id, the order of its members and those that nobody knows',
  async (t) => {
    const text =
      '{"more":{"id":7},"jsonrpc":"2.0","id":123456789012345678901,"method":"m","params":[1],"__proto__":{}}'
    t.equal(
      rewritten(text, (call) => ({ ...call })),
      text,
    )
    t.equal(
      rewritten(text, (call) => ({ ...call, method: 'n', params: undefined })),
      text.replace('"m","params":[1]', '"n"'),
    )
  },
)

t.test('an id may be changed, left out, and put where there was none', async (t) => {
  const text = '{"jsonrpc":"2.0","id":1,"method":"m"}'
  t.equal(
    rewritten(text, (call) => ({ ...call, idText: '1e400' })),
    text.replace('1,', '1e400,'),
  )
  t.equal(
    rewritten(text, (call) => ({ ...call, idText: undefined })),
    text.replace('"id":1,', ''),
  )
  t.equal(
    rewritten('{"jsonrpc":"2.0","method":"m"}', (call) => ({ ...call, idText: '5' })),
    '{"jsonrpc":"2.0","method":"m","id":5}',
  )
})

t.test('without a change an item is as it was', async (t) => {
  const [item] = read('{"id":1.0,"a":[null]}')?.items ?? []
  t.equal(item && encodeItem(item, undefined), '{"id":1.0,"a":[null]}')
  const [scalar] = read('[7]')?.items ?? []
  t.equal(scalar && encodeItem(scalar, { method: 'm' }), '7')
})
