import { fileURLToPath } from 'node:url'
import t from 'tap'
import { createAnswerJudge, deviation } from '../../../lab/fuzz/judge-answers.js'
import {
  isObject,
  type JsonObject,
  type JsonValue,
  loadContract,
} from '../../../src/toolkit/contract/index.js'

const contract = await loadContract(fileURLToPath(new URL('../../../openrpc.json', import.meta.url)))
const judge = createAnswerJudge(contract)

/** The first example of a method: its parameters and its result. */
function exampleOf(name: string): { readonly params: readonly JsonValue[]; readonly result: JsonValue } {
  const example = contract.methods.find((method) => method.name === name)?.examples[0]
  return { params: example?.params.map(({ value }) => value) ?? [], result: example?.result?.value ?? null }
}

/** An object without a member, or with another value of it. */
function but(object: JsonValue, member: string, value?: JsonValue): JsonObject {
  const entries = Object.entries(isObject(object) ? object : {}).filter(([name]) => name !== member)
  return Object.fromEntries(value === undefined ? entries : [...entries, [member, value]]) as JsonObject
}

const byIndex = 'eth_getTransactionByBlockNumberAndIndex'
const receipts = 'eth_getTransactionReceipt'
const whole = exampleOf(byIndex).result
/** The transaction as a node sends it. */
const sent = but(whole, '_id')
const receipt = exampleOf(receipts).result
const hashless = but(whole, 'hash')
const sentHashless = but(sent, 'hash')
const [log = null] = exampleOf('eth_getLogs').result as readonly JsonValue[]

type Row = readonly [what: string, method: string, given: JsonValue, sent: JsonValue, isAllowed: boolean]

const rows: readonly Row[] = [
  ['a member that the node omits', byIndex, hashless, sentHashless, true],
  ['a member that the service loses', byIndex, hashless, sent, false],
  ['a member of another type', byIndex, but(whole, 'gas', true), but(sent, 'gas', true), true],
  ['the same, not sent by the node', byIndex, but(whole, 'gas', true), sent, false],
  ['another wrong value than the node sent', byIndex, but(whole, 'gas', 'a'), but(sent, 'gas', 'b'), false],
  ['a wrong value beside one of the node', byIndex, but(hashless, 'gas', 5), sentHashless, false],
  ['a number as a quantity', byIndex, but(hashless, 'gas', '0x5'), but(sentHashless, 'gas', 5), true],
  ['digits in lower case', byIndex, but(hashless, 'input', '0xab'), but(sentHashless, 'input', '0xAB'), true],
  ['an unlisted member, removed', byIndex, hashless, but(sentHashless, 'odd', 1), true],
  ['an unlisted member, passed on', byIndex, but(hashless, 'odd', 1), but(sentHashless, 'odd', 1), false],
  ['a constant for an omitted member', byIndex, but(hashless, 'to', null), but(sentHashless, 'to'), true],
  ['an omitted member without its constant', byIndex, but(hashless, 'to'), but(sentHashless, 'to'), false],
  ['another joined text', byIndex, but(hashless, '_id', 'pending-0x0'), sentHashless, false],
  ['no joined text', byIndex, but(hashless, '_id'), sentHashless, false],
  [
    'a text joined from no text',
    byIndex,
    but(but(hashless, 'blockHash', 5), '_id'),
    but(sentHashless, 'blockHash', 5),
    true,
  ],
  [
    'null for a pending object',
    byIndex,
    but(but(hashless, 'blockNumber', null), 'hash', 5),
    but(sent, 'hash', 5),
    true,
  ],
  ['null elsewhere', byIndex, but(hashless, 'gas', null), sentHashless, false],
  ['an object with none of the members', byIndex, {}, {}, false],
  ['a text instead of an object', byIndex, '0x0', '0x0', false],
  ['a list instead of an object', byIndex, [], [], false],
  ['an entry of a list in the object', receipts, but(receipt, 'logs', [5]), but(receipt, 'logs', [5]), true],
  ['another entry', receipts, but(receipt, 'logs', [5]), but(receipt, 'logs', [6]), false],
  [
    'a wrong member of another call',
    receipts,
    but(receipt, 'effectiveGasPrice', 5),
    but(receipt, 'effectiveGasPrice'),
    false,
  ],
  ['a log with a wrong member', 'eth_getLogs', [log, but(log, 'data', 5)], [but(log, 'data', 5)], true],
  ['a log of no node', 'eth_getLogs', [log, but(log, 'data', 5)], [log], false],
  [
    'logs in another order',
    'eth_getLogs',
    [but(log, 'logIndex', '0x1'), log],
    [but(log, 'logIndex', '0x1'), log],
    false,
  ],
  ['a list with an entry that is no log', 'eth_getLogs', [log, null], [log, null], false],
]

t.test('a result may deviate from its schema only where the node did', async (t) => {
  for (const [what, method, given, ofNode, isAllowed] of rows) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: exampleOf(method).params })
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: given })
    const judged = () =>
      judge.keyed(body, { status: 200, contentType: 'application/json', text }, [{ id: 7, result: ofNode }])
    if (isAllowed) t.equal(judged(), deviation, what)
    else t.throws(judged, { name: 'Finding' }, what)
  }
})
