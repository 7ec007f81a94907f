import t from 'tap'
import type { Call, CallAnswer } from '../../../../src/judge/index.js'
import { answerOf, callOf, encodeItem, readMessage } from '../../../../src/judge/selftest/rpc-message.js'

const read = (text: string) => readMessage(Buffer.from(text))

/** Reads a message, changes it and writes it. */
function rewritten(text: string, change: (call: Call) => Call | CallAnswer): string {
  const [item] = read(text)?.items ?? []
  const call = item && callOf(item)
  return item === undefined ? '' : encodeItem(item, call && change(call))
}

t.test('invalid UTF-8 JSON, and JSON nested deeper than calls, is not read', async (t) => {
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

t.test('batches and single messages are distinguished', async (t) => {
  t.same(read('[]'), { isBatch: true, items: [] })
  t.equal(read('7')?.isBatch, false)
  t.equal(read('[1,{"id":1}]')?.items.length, 2)
})

t.test('ids keep their notation', async (t) => {
  const ids = ['0', '-1', '123456789012345678901234567890', '1.50', '1e2', '"a"', 'null', 'true']
  for (const id of ids) t.equal(read(`{"id":${id},"method":"m"}`)?.items[0]?.idText, id)
  t.same(
    read(`[${ids.map((id) => `{"id":${id}}`).join()},{},7]`)?.items.map(({ idText }) => idText),
    [...ids, undefined, undefined],
  )
})

t.test('an item with a string method is a call, and an object is a response', async (t) => {
  const [call, other, scalar] = read('[{"method":"m"},{"method":1},7]')?.items ?? []
  if (call === undefined || other === undefined || scalar === undefined) return t.fail('three items')
  t.match(callOf(call), { method: 'm', idText: undefined, params: undefined })
  t.equal(callOf(other), undefined)
  t.equal(callOf(scalar), undefined)
  t.match(answerOf(other), { result: undefined })
  t.equal(answerOf(scalar), undefined)
})

t.test(
  'a rewritten message keeps the digits of its id, the order of its members and unknown members',
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

t.test('an id may be changed, removed or added', async (t) => {
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

t.test('an unchanged item keeps its text', async (t) => {
  const [item] = read('{"id":1.0,"a":[null]}')?.items ?? []
  t.equal(item && encodeItem(item, undefined), '{"id":1.0,"a":[null]}')
  const [scalar] = read('[7]')?.items ?? []
  t.equal(scalar && encodeItem(scalar, { method: 'm' }), '7')
})
