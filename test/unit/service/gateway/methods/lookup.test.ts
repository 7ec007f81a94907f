import t from 'tap'
import type { JsonValue } from '../../../../../src/runtime/rpc/index.js'
import { lookUpInBlock } from '../../../../../src/service/gateway/methods/lookup.js'
import type { NodeAnswer } from '../../../../../src/service/gateway/nodes/index.js'
import { type MethodProfile, profileOf } from '../../../../../src/service/gateway/profiles/index.js'
import {
  callSubject,
  type StatedSubject,
} from '../../../../../src/service/gateway/profiles/method-profile.js'
import { error, hashOf, result, type Script, scriptedNode } from './scripted-node.js'

const block = { number: '0x5', hash: hashOf('05'), transactions: [hashOf('01'), hashOf('02')] }

/** A node with one block. */
const oneBlock: Script = {
  eth_blockNumber: result('0x5'),
  eth_getBlockByNumber: ([selector]) => result(selector === '0x9' ? null : block),
  eth_getBlockByHash: ([hash]) => result(hash === block.hash ? block : null),
}

/** A lookup that the contract lacks. Its parameter names the block by number, hash or tag. */
function lookUp(script: Script, ...params: readonly JsonValue[]) {
  const stated: StatedSubject = { block: '/block', number: '/0/blockNumber', hash: '/0/blockHash' }
  const profile: MethodProfile = {
    ...profileOf('eth_getBlockByNumber'),
    name: 'receiptsOf',
    about: callSubject(stated, ['block'], () => true),
  }
  const { call, asked } = scriptedNode({ ...oneBlock, ...script })
  return { answer: lookUpInBlock(call, profile, params), asked }
}

t.test('a block hash is sent as EIP-1898 where the method also accepts numbers', async (t) => {
  const list = [{ blockHash: block.hash }]
  const { answer, asked } = lookUp({ receiptsOf: result(list) }, block.hash)
  t.strictSame(await answer, list)
  t.strictSame(asked, [['receiptsOf', { blockHash: block.hash }]])
})

t.test('a node without EIP-1898 is asked by number', async (t) => {
  const receiptsOf = ([at]: readonly JsonValue[]): NodeAnswer =>
    at === '0x5' ? result([]) : error(-32602, 'invalid block')
  const { answer, asked } = lookUp({ receiptsOf }, block.hash)
  t.strictSame(await answer, [])
  t.strictSame(asked.at(-1), ['receiptsOf', '0x5'])
})

t.test('a missing object is null, whatever the node returns', async (t) => {
  for (const given of [result(null), error(-32000, 'unknown block'), error(-32602, 'out of range')]) {
    for (const selector of ['0x9', hashOf('99')]) {
      t.equal(
        await lookUp({ receiptsOf: given }, selector).answer,
        null,
        `${selector} ${given.error?.message}`,
      )
    }
  }
})

t.test("an error about an existing block is the service's", async (t) => {
  for (const selector of ['0x5', 'latest', block.hash]) {
    const { answer } = lookUp({ receiptsOf: error(-32000, 'broken') }, selector)
    await t.rejects(answer, { code: -32603, httpStatus: 502 }, selector)
  }
  const { answer } = lookUp({ receiptsOf: error(-32601, 'no such method') }, '0x5')
  await t.rejects(answer, { code: -32603, httpStatus: 200 })
})

t.test('the counts of the pending block are the lengths of its lists', async (t) => {
  const pending = { number: null, hash: null, transactions: [hashOf('01')], uncles: [] }
  for (const [method, count] of [
    ['eth_getBlockTransactionCountByNumber', '0x1'],
    ['eth_getUncleCountByBlockNumber', '0x0'],
  ] as const) {
    /** Rootstock's nodes count the transactions that wait, and their pending block has one more. */
    const { call, methods } = scriptedNode({
      ...oneBlock,
      [method]: ([selector]) => result(selector === 'pending' ? '0x7' : '0x2'),
      eth_getBlockByNumber: ([selector]) => result(selector === 'pending' ? pending : block),
    })
    t.equal(await lookUpInBlock(call, profileOf(method), ['pending']), count, method)
    t.strictSame(methods(), ['eth_getBlockByNumber'], 'one call')
    t.equal(await lookUpInBlock(call, profileOf(method), ['0x5']), '0x2', "the node's count of another block")
  }
})
