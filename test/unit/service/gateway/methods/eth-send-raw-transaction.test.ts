import { type Input, RLP } from '@ethereumjs/rlp'
import { keccak_256 } from '@noble/hashes/sha3.js'
import t from 'tap'
import { extensions } from '../../../../../generated/contract.js'
import { fromBytes, toBytes } from '../../../../../src/service/gateway/ethereum/index.js'
import {
  checkRawTransaction,
  ethSendRawTransaction,
} from '../../../../../src/service/gateway/methods/eth-send-raw-transaction.js'
import type { NodeCall, NodeCallOptions } from '../../../../../src/service/gateway/nodes/index.js'
import { profileOf } from '../../../../../src/service/gateway/profiles/index.js'
import { addressOf, error, hashOf, result, scriptedNode } from './scripted-node.js'

const method = 'eth_sendRawTransaction'
const sendRawTransaction = (call: NodeCall, raw: string) =>
  ethSendRawTransaction(call, profileOf(method), [raw])
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
const legacy = hex(RLP.encode(Array.from({ length: 9 }, (_, index) => index)))
const typed = `0x02${hex(RLP.encode([1, 2, 3])).slice(2)}`

t.test('the bytes are sent to the node once, unchanged', async (t) => {
  const seen: [string, readonly unknown[], NodeCallOptions | undefined][] = []
  const call: NodeCall = async (name, params, options) => {
    seen.push([name, params, options])
    return { result: hashOf('01') }
  }
  for (const raw of [legacy, typed, legacy.toUpperCase().replace('0X', '0x')]) {
    t.equal(await sendRawTransaction(call, raw), hashOf('01'))
    t.strictSame(seen.pop(), [method, [raw], { once: true }])
  }
})

const { test: network } = extensions['x-networks']
const check = (raw: string) => () => checkRawTransaction([raw], network)

/** A legacy transaction of these members, and of valid ones for the rest. */
const legacyOf = (members: Readonly<Record<string, unknown>>) => {
  const names = ['nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'v', 'r', 's']
  const valid: Record<string, unknown> = { to: addressOf('aa'), v: 2 * 31 + 35, ...members }
  return hex(RLP.encode(names.map((name) => (valid[name] ?? 1) as Input)))
}

t.test('bytes that are no transaction are invalid parameters', (t) => {
  for (const raw of [
    '0x',
    '0x00',
    '0x1234',
    '0xc0',
    legacy.slice(0, -2),
    `${legacy}00`,
    '0x02',
    '0x0280',
    '0xb8',
    hex(RLP.encode([1, 2, 3])),
    hex(RLP.encode('text that is long enough')),
    // Rootstock's nodes answer these with an internal error.
    legacyOf({ nonce: `0x${'01'.repeat(33)}` }),
    legacyOf({ to: '0x01' }),
    legacyOf({ to: `0x${'01'.repeat(32)}` }),
    legacyOf({ value: [] }),
    legacyOf({ v: `0x${'01'.repeat(33)}` }),
    legacyOf({ r: `0x${'01'.repeat(33)}` }),
    legacyOf({ v: '0x0061' }),
    // Not signed, with the chain in v (EIP-155) and without.
    legacyOf({ v: 31, r: '0x', s: '0x' }),
    legacyOf({ v: '0x', r: '0x', s: '0x' }),
    legacyOf({ r: 0 }),
    legacyOf({ s: `0x${'00'.repeat(32)}` }),
  ]) {
    t.throws(check(raw), { code: -32602, data: [{ path: '/0', rule: 'send-raw.well-formed' }] }, raw)
  }
  for (const members of [{ to: '0x' }, { to: addressOf('aa'), data: `0x${'01'.repeat(100)}` }])
    t.doesNotThrow(check(legacyOf(members)))
  t.doesNotThrow(check(typed))
  t.end()
})

t.test('a transaction that is signed for another network is refused', (t) => {
  for (const chain of [1n, 30n, 109n, 110n, 137n, 11_155_111n, 2n ** 64n]) {
    for (const v of [2n * chain + 35n, 2n * chain + 36n]) {
      const message = `invalid chain id for signer: have ${chain} want 31`
      t.throws(check(legacyOf({ v })), { code: -32003, httpStatus: 200, message })
    }
  }
  for (const v of [27n, 28n, 2n * 31n + 35n, 2n * 31n + 36n]) t.doesNotThrow(check(legacyOf({ v })), `v ${v}`)
  t.end()
})

t.test("a refusal keeps the node's wording", async (t) => {
  for (const [code, message] of [
    [-32010, 'transaction nonce too low'],
    [-32003, 'Insufficient funds for gas * price + value'],
    [-32602, 'Invalid chainId: 1'],
    [-32000, 'already known'],
  ] as const) {
    const { call } = scriptedNode({ [method]: error(code, message) })
    await t.rejects(sendRawTransaction(call, legacy), { code: -32003, message, httpStatus: 200 })
  }
})

t.test('a transaction that the node cannot return yet has the zero hash', async (t) => {
  for (const answer of [null, hashOf('00')]) {
    const { call } = scriptedNode({ [method]: result(answer) })
    t.equal(await sendRawTransaction(call, legacy), hashOf('00'))
  }
})

t.test('a mined transaction that failed counts as sent, though a node calls that an error', async (t) => {
  const hash = fromBytes(keccak_256(toBytes(legacy)))
  const mined = {
    eth_getTransactionByHash: ([asked]: readonly unknown[]) => result(asked === hash ? { hash } : null),
  }
  const unknown = { eth_getTransactionByHash: result(null) }
  for (const [what, answer] of [
    [
      'Rootstock',
      error(-32015, 'VM Exception while processing transaction: revert no luck today', '0x08c379a0'),
    ],
    ['Rootstock, without a revert', error(-32015, 'VM Exception while processing transaction: out of gas')],
    ['Hardhat', error(-32603, 'Transaction ran out of gas', { message: 'out of gas', txHash: hashOf('AB') })],
    ['ganache', error(-32000, 'VM Exception while processing transaction: revert')],
  ] as const) {
    t.equal(await sendRawTransaction(scriptedNode({ [method]: answer, ...mined }).call, legacy), hash, what)
    const refused = scriptedNode({ [method]: answer, ...unknown })
    const message = answer.error?.message
    await t.rejects(sendRawTransaction(refused.call, legacy), { code: -32003, message }, `${what}: not mined`)
  }
  const tooLow = scriptedNode({ [method]: error(-32010, 'transaction nonce too low'), ...mined })
  await t.rejects(sendRawTransaction(tooLow.call, legacy), { code: -32003 }, 'it is about another send')
})

t.test(
  'an internal error is no refusal, and for a typed transaction the answer says what to do',
  async (t) => {
    const { call } = scriptedNode({ [method]: error(-32603, 'Internal server error') })
    for (const type of ['0x1', '0x2', '0x7f']) {
      const raw = `0x${type.slice(2).padStart(2, '0')}${typed.slice(4)}`
      await t.rejects(sendRawTransaction(call, raw), {
        code: -32003,
        message: `transaction type ${type} is not supported, only legacy transactions (0x0): send gasPrice instead of maxFeePerGas`,
      })
    }
    await t.rejects(sendRawTransaction(call, legacy), { code: -32603, httpStatus: 502 })
  },
)

t.test('a transaction that the node already has from an earlier send counts as sent', async (t) => {
  const hash = fromBytes(keccak_256(toBytes(legacy)))
  const repeated = (message: string) => ({ error: { code: -32000, message }, isRepeated: true })
  for (const message of [
    // geth, reth and others
    'already known',
    // anvil
    'transaction already imported',
    // Rootstock
    'pending transaction with same hash already exists',
    // Erigon
    'ALREADY_EXISTS: already known',
    'existing tx with same hash',
    // Nethermind
    'AlreadyKnown',
    // Besu, Hardhat and older geth
    'Known transaction',
    'Known transaction: 0x01',
    // OpenEthereum
    'Transaction with the same hash was already imported.',
  ]) {
    const { call, methods } = scriptedNode({ [method]: repeated(message) })
    t.equal(await sendRawTransaction(call, legacy), hash, message)
    t.strictSame(methods(), [method])
  }
  const mined = scriptedNode({
    [method]: repeated('nonce too low'),
    eth_getTransactionByHash: ([asked]) => result(asked === hash ? { hash } : null),
  })
  t.equal(await sendRawTransaction(mined.call, legacy), hash, 'the transaction is mined')
  const refused = scriptedNode({
    [method]: repeated('nonce too low'),
    eth_getTransactionByHash: result(null),
  })
  await t.rejects(sendRawTransaction(refused.call, legacy), {
    code: -32003,
    message: 'nonce too low',
  })
})
