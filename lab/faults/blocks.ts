import type { JsonObject, JsonValue } from '@concordat/rpc'
import {
  answered,
  type Fault,
  type FaultHooks,
  isList,
  isObject,
  onAnswer,
  onMember,
  onObject,
  onParams,
  onResult,
} from 'concordat/conformance'
import { blockMethods, countMethods, selectorMethods, uncleMethods } from './methods.js'
import { isQuantity, moved } from './quantities.js'

/** Changes mined blocks. The pending block passes unchanged. */
const onMined = (change: (block: JsonObject) => JsonValue): FaultHooks =>
  onObject(blockMethods, (block) => (block['hash'] === null ? block : change(block)))

const transactionsOf = (block: JsonObject) => (isList(block['transactions']) ? block['transactions'] : [])

/** Replaces a block tag with another tag or number. */
function tagMeans(tag: (word: string) => boolean, meaning: string): FaultHooks {
  return {
    call(call) {
      const place = selectorMethods[call.method]
      const params = isList(call.params) ? call.params : []
      const word = place === undefined ? undefined : params[place]
      if (place === undefined || typeof word !== 'string' || !tag(word)) return call
      return { ...call, params: params.with(place, meaning) }
    },
  }
}

/** Faults in blocks and block tags (specification 2.1 and 2.4). */
export const blockFaults: readonly Fault[] = [
  {
    name: 'head-missing-beside-other-calls',
    rule: 'block.tag-latest',
    description: 'The block `latest` is null while other requests are answered.',
    begin: () => {
      let waiting = 0
      let isCrowded = false
      return {
        request(request) {
          waiting++
          isCrowded = waiting > 2
          return request
        },
        answer: (answer, { method, params }) =>
          isCrowded && method === 'eth_getBlockByNumber' && isList(params) && params[0] === 'latest'
            ? answered(answer, null)
            : answer,
        reply(reply) {
          waiting--
          return reply
        },
      }
    },
  },
  {
    name: 'timestamps-are-zero',
    rule: 'block.timestamp',
    description: 'The timestamp of every block is 0x0.',
    begin: () => onMember(blockMethods, 'timestamp', () => '0x0'),
  },
  {
    name: 'timestamps-in-milliseconds',
    rule: 'block.timestamp',
    description: 'The timestamp of a block is in milliseconds.',
    begin: () =>
      onMember(blockMethods, 'timestamp', (seconds) =>
        isQuantity(seconds) ? `0x${(BigInt(seconds) * 1000n).toString(16)}` : '0x0',
      ),
  },
  {
    name: 'block-member-missing',
    rule: 'block.members',
    description: 'Blocks lack minimumGasPrice.',
    begin: () => onMember(blockMethods, 'minimumGasPrice', () => undefined),
  },
  {
    name: 'block-without-mix-hash',
    rule: 'block.members',
    description: 'Blocks lack mixHash, which decoders of Ethereum require.',
    begin: () => onMember(blockMethods, 'mixHash', () => undefined),
  },
  {
    name: 'pending-block-has-a-hash',
    rule: 'block.pending-nulls',
    description: 'The pending block has number and hash like a mined one.',
    begin: () =>
      onObject(blockMethods, (block) =>
        block['hash'] === null
          ? { ...block, number: '0x1', hash: block['parentHash'], logsBloom: `0x${'0'.repeat(512)}` }
          : block,
      ),
  },
  {
    name: 'mined-block-with-null-bloom',
    rule: 'block.mined-complete',
    description: 'logsBloom of a mined block without logs is null.',
    begin: () =>
      onMined((block) => (/^0x0*$/.test(String(block['logsBloom'])) ? { ...block, logsBloom: null } : block)),
  },
  {
    name: 'objects-where-hashes-were-asked-for',
    rule: 'block.hashes-or-objects',
    description: 'Blocks always have transaction objects.',
    begin: () => onParams(blockMethods, (params) => (params.length > 0 ? [params[0] ?? null, true] : params)),
  },
  {
    name: 'hashes-where-objects-were-asked-for',
    rule: 'block.hashes-or-objects',
    description: 'Blocks always have transaction hashes.',
    begin: () =>
      onParams(blockMethods, (params) => (params[1] === true ? [params[0] ?? null, false] : params)),
  },
  {
    name: 'stale-head',
    rule: 'block.number-is-latest',
    description: 'eth_blockNumber is one block behind the block `latest`.',
    begin: () => onResult(['eth_blockNumber'], (number) => moved(number, -1)),
  },
  {
    name: 'head-goes-back',
    rule: 'block.head-never-back',
    description: 'A node that is two blocks behind answers every second eth_blockNumber.',
    begin: () => {
      let asked = 0
      return onResult(['eth_blockNumber'], (number) => (asked++ % 2 === 1 ? moved(number, -2) : number))
    },
  },
  {
    name: 'latest-is-the-block-before',
    rule: 'block.tag-latest',
    description: 'The block `latest` is the parent of the most recent block.',
    begin: () =>
      onObject(['eth_getBlockByNumber'], async (block, { params, ask }) => {
        if (params[0] !== 'latest') return block
        const { result } = await ask('eth_getBlockByNumber', [
          moved(block['number'], -1) ?? null,
          ...params.slice(1),
        ])
        return result ?? block
      }),
  },
  {
    name: 'earliest-is-block-one',
    rule: 'block.tag-earliest',
    description: 'The block `earliest` is number 1.',
    begin: () => tagMeans((word) => word === 'earliest', '0x1'),
  },
  {
    name: 'pending-is-latest',
    rule: 'block.tag-pending',
    description: 'The block `pending` is the block `latest`.',
    begin: () => tagMeans((word) => word === 'pending', 'latest'),
  },
  {
    name: 'other-tags-mean-latest',
    rule: 'block.other-tags-refused',
    description: 'Tags such as `safe` and `finalized` are treated as `latest`.',
    begin: () =>
      tagMeans(
        (word) => /^[a-z]+$/i.test(word) && !['latest', 'earliest', 'pending'].includes(word),
        'latest',
      ),
  },
  {
    name: 'block-is-its-own-parent',
    rule: 'block.parent',
    description: 'parentHash is the hash of the block itself.',
    begin: () => onMined((block) => ({ ...block, parentHash: block['hash'] })),
  },
  {
    name: 'gas-used-of-the-first-transaction',
    rule: 'block.gas-used',
    description: 'gasUsed of a block is too low by the gas of a transfer.',
    begin: () => onMined((block) => ({ ...block, gasUsed: moved(block['gasUsed'], -21_000) })),
  },
  {
    name: 'paid-fees-are-zero',
    rule: 'block.paid-fees',
    description: 'paidFees of a block with transactions is zero.',
    begin: () => onMined((block) => ({ ...block, paidFees: '0x0' })),
  },
  {
    name: 'number-zero-is-null',
    rule: 'block.genesis',
    description: 'The number of the first block is null, because zero is treated as missing.',
    begin: () => onMined((block) => (block['number'] === '0x0' ? { ...block, number: null } : block)),
  },
  {
    name: 'block-by-hash-differs',
    rule: 'block.same-by-hash-and-number',
    description: 'A block by its hash has another size than by its number.',
    begin: () => onMember(['eth_getBlockByHash'], 'size', (size) => moved(size, 1)),
  },
  {
    name: 'transaction-count-off-by-one',
    rule: 'block.transaction-count',
    description: 'The transaction count of a block is one too high.',
    begin: () => onResult(countMethods, (count) => moved(count, 1)),
  },
  {
    name: 'uncle-count-off-by-one',
    rule: 'uncle.count',
    description: 'The uncle count of a block is one too high.',
    begin: () => onResult(uncleMethods, (count) => moved(count, 1)),
  },
  {
    name: 'quantity-with-leading-zero',
    rule: 'defaults.hex-result',
    description: 'Quantities have an even number of digits, with a leading zero.',
    begin: () =>
      onResult(['eth_blockNumber', 'eth_gasPrice', ...countMethods], (quantity) =>
        isQuantity(quantity) && quantity.length % 2 === 1 ? `0x0${quantity.slice(2)}` : quantity,
      ),
  },
  {
    name: 'hexadecimal-in-upper-case',
    rule: 'defaults.hex-result',
    description: 'Hashes in blocks are written in upper case.',
    begin: () =>
      onMined((block) => ({
        ...block,
        hash: upperCase(block['hash']),
        parentHash: upperCase(block['parentHash']),
        transactions: transactionsOf(block).map((of) => (isObject(of) ? of : (upperCase(of) ?? null))),
      })),
  },
  {
    name: 'bloom-of-a-block-is-empty',
    rule: 'block.mined-complete',
    description: 'logsBloom of a block with logs has no bit set.',
    begin: () => onMined((block) => ({ ...block, logsBloom: `0x${'0'.repeat(512)}` })),
  },
  {
    name: 'latest-in-lookups-is-the-block-before',
    rule: 'block.tag-latest',
    description: 'A transaction by position in `latest` is from the parent of the most recent block.',
    begin: () =>
      onAnswer(['eth_getTransactionByBlockNumberAndIndex'], async (answer, { params: [tag, index], ask }) => {
        if (tag !== 'latest') return answer
        const { result: head } = await ask('eth_blockNumber', [])
        const { result } = await ask('eth_getTransactionByBlockNumberAndIndex', [
          moved(head, -1) ?? null,
          index ?? null,
        ])
        return { ...answer, result }
      }),
  },
]

const upperCase = (hex: JsonValue | undefined) =>
  typeof hex === 'string' ? `0x${hex.slice(2).toUpperCase()}` : hex
