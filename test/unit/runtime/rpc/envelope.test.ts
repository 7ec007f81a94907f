import t from 'tap'
import {
  createReadRequest,
  type EnvelopeRules,
  idTextOf,
  parseMessage,
} from '../../../../src/runtime/rpc/index.js'

const strict: EnvelopeRules = { idRequired: true, idPattern: '-?(0|[1-9][0-9]*)' }
const anchored: EnvelopeRules = { idRequired: true, idPattern: '^-?(0|[1-9][0-9]*)$' }
const standard: EnvelopeRules = { idRequired: false }

/** Reads one request from its text. Returns `ok`, `notification` or `refused`, and the id of the answer. */
function read(text: string, rules: EnvelopeRules): string {
  const message = parseMessage(text, 64)
  if (typeof message === 'string') return message
  const request = createReadRequest(rules)(message.value, message.rawIds?.[0])
  if ('problem' in request) return `refused ${request.idText}`
  return request.idText === undefined ? 'notification' : `ok ${idTextOf(request)}`
}

const withId = (id: string): string => `{"jsonrpc":"2.0","method":"m","id":${id}}`
/** An id in its own notation, not in that of `JSON.stringify`. */
const LONG_ID = `"${'\\u0061'.repeat(1_001)}"`
const DIGITS = '1234567890'.repeat(1_000)

t.test('ids, with a contract that requires them and by JSON-RPC 2.0', async (t) => {
  const cases: { id: string; strict: string; standard: string }[] = [
    { id: '1', strict: 'ok 1', standard: 'ok 1' },
    { id: '0', strict: 'ok 0', standard: 'ok 0' },
    { id: '-7', strict: 'ok -7', standard: 'ok -7' },
    { id: '-0', strict: 'ok -0', standard: 'ok -0' },
    { id: '9007199254740993', strict: 'ok 9007199254740993', standard: 'ok 9007199254740993' },
    { id: DIGITS, strict: `ok ${DIGITS}`, standard: `ok ${DIGITS}` },
    { id: '"a"', strict: 'ok "a"', standard: 'ok "a"' },
    { id: '""', strict: 'ok ""', standard: 'ok ""' },
    { id: '"1.5"', strict: 'ok "1.5"', standard: 'ok "1.5"' },
    { id: '"\\ud800"', strict: 'ok "\\ud800"', standard: 'ok "\\ud800"' },
    { id: '"\\ud83d\\ude00"', strict: 'ok "😀"', standard: 'ok "😀"' },
    { id: '"\\u0000\\""', strict: 'ok "\\u0000\\""', standard: 'ok "\\u0000\\""' },
    { id: LONG_ID, strict: `ok ${LONG_ID}`, standard: `ok ${LONG_ID}` },
    { id: '1.5', strict: 'refused null', standard: 'ok 1.5' },
    { id: '1.0', strict: 'refused null', standard: 'ok 1.0' },
    { id: '1e2', strict: 'refused null', standard: 'ok 1e2' },
    { id: '1E999', strict: 'refused null', standard: 'ok 1E999' },
    { id: 'null', strict: 'refused null', standard: 'ok null' },
    { id: 'true', strict: 'refused null', standard: 'refused null' },
    { id: '[1]', strict: 'refused null', standard: 'refused null' },
    { id: '{"id":1}', strict: 'refused null', standard: 'refused null' },
  ]
  for (const want of cases) {
    const name = want.id.slice(0, 30)
    t.equal(read(withId(want.id), strict), want.strict, `${name}, required`)
    t.equal(read(withId(want.id), anchored), want.strict, `${name}, required, pattern with anchors`)
    t.equal(read(withId(want.id), standard), want.standard, `${name}, standard`)
  }
})

t.test('a refusal names the allowed ids', async (t) => {
  const rows: readonly [EnvelopeRules, string][] = [
    [standard, 'the id must be a number or a string or null'],
    [strict, 'the id must be a number that matches -?(0|[1-9][0-9]*) or a string'],
    [{ idRequired: true, stringIds: false }, 'the id must be a number'],
    [{ idRequired: false, stringIds: false }, 'the id must be a number or null'],
  ]
  for (const [rules, problem] of rows) {
    t.same(createReadRequest(rules)({ jsonrpc: '2.0', method: 'm', id: true }, undefined), {
      idText: 'null',
      problem,
    })
    for (const params of [null, 'x', 7]) {
      t.match(createReadRequest(rules)({ jsonrpc: '2.0', method: 'm', id: 1, params }, undefined), {
        problem: 'params must be a list or an object, as the method requires',
      })
    }
  }
})

t.test('envelopes', async (t) => {
  const cases: { text: string; strict: string; standard?: string }[] = [
    { text: '{"jsonrpc":"2.0","method":"m"}', strict: 'refused null', standard: 'notification' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"params":[]}', strict: 'ok 1' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"params":{}}', strict: 'ok 1' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"params":null}', strict: 'refused 1' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"params":"x"}', strict: 'refused 1' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"params":7}', strict: 'refused 1' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"params":false}', strict: 'refused 1' },
    { text: '{"jsonrpc":"2.0","method":7,"id":1}', strict: 'refused 1' },
    { text: '{"jsonrpc":"2.0","method":null,"id":"a"}', strict: 'refused "a"' },
    { text: '{"jsonrpc":"2.0","id":1}', strict: 'refused 1' },
    { text: '{"method":"m","id":12345678901234567890}', strict: 'refused 12345678901234567890' },
    { text: '{"jsonrpc":"1.0","method":"m","id":1}', strict: 'refused 1' },
    { text: '{"jsonrpc":2.0,"method":"m","id":1}', strict: 'refused 1' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"jsonrpc":"1.0"}', strict: 'refused 1' },
    { text: '{"jsonrpc":"1.0","method":"m","id":1,"jsonrpc":"2.0"}', strict: 'ok 1' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"id":2}', strict: 'ok 2' },
    { text: '{"jsonrpc":"2.0","method":"m","id":1,"extra":{"deep":[1]}}', strict: 'ok 1' },
    {
      text: '{"jsonrpc":"2.0","method":"m","__proto__":{"id":1}}',
      strict: 'refused null',
      standard: 'notification',
    },
    { text: '{"__proto__":{"jsonrpc":"2.0","method":"m","id":1}}', strict: 'refused null' },
    { text: '{"constructor":1,"jsonrpc":"2.0","method":"m","id":1}', strict: 'ok 1' },
    { text: '{}', strict: 'refused null' },
    { text: '7', strict: 'refused null' },
    { text: '"x"', strict: 'refused null' },
    { text: 'null', strict: 'refused null' },
    { text: 'true', strict: 'refused null' },
  ]
  for (const want of cases) {
    t.equal(read(want.text, strict), want.strict, want.text)
    t.equal(read(want.text, standard), want.standard ?? want.strict, `${want.text}, standard`)
  }
})
