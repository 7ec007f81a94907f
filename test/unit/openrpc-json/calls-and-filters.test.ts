import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { judgeTable } from './judge-table.js'

const to = `0x${'ab'.repeat(20)}`
const hash = `0x${'cd'.repeat(32)}`
const list = (length: number, item: string) => Array.from({ length }, () => item)

/** Members that both kinds of call accept, and their invalid forms. */
const optional = {
  accepts: {
    'every member': { from: to, to, gas: '0x5208', gasPrice: '0x1', value: '0x0', data: '0x' },
    'an address in both cases': { to: `0x${'aB'.repeat(20)}` },
    'a quantity in upper case': { to, gas: '0xFF' },
    'null for every optional member': {
      from: null,
      to,
      gas: null,
      gasPrice: null,
      value: null,
      data: null,
      input: null,
    },
    'data under its other name': { to, input: '0x1234' },
    'data under both names': { to, data: '0x12', input: '0x12' },
    'the members of newer transaction types': {
      to,
      nonce: '0x1',
      type: '0x4',
      accessList: [{ address: to, storageKeys: [hash] }],
      maxFeePerGas: '0x1',
      maxPriorityFeePerGas: '0x1',
      maxFeePerBlobGas: '0x1',
      blobVersionedHashes: [hash],
      authorizationList: [{ chainId: '0x0', address: to, nonce: '0x0', yParity: '0x1', r: '0x1', s: '0x1' }],
    },
    'null for each of them': {
      to,
      nonce: null,
      type: null,
      accessList: null,
      maxFeePerGas: null,
      maxPriorityFeePerGas: null,
      maxFeePerBlobGas: null,
      blobVersionedHashes: null,
      authorizationList: null,
    },
    'members that name the network, with any value': {
      to,
      chain: 'mainnet',
      chainId: 31,
      common: {},
      hardfork: null,
      networkId: [],
    },
  },
  refuses: {
    null: null,
    'a member that is not listed': { to, gasLimit: '0x5208' },
    'a listed name in another case': { to, To: to },
    'a listed name in capitals': { to, DATA: '0x' },
    'an ignored name in another case': { to, chainID: '0x1f' },
    'an access list with another member': {
      to,
      accessList: [{ address: to, storageKeys: [], Address: to }],
    },
    'an access list without keys': { to, accessList: [{ address: to }] },
    'a nonce as a number': { to, nonce: 1 },
    'a type by name': { to, type: 'legacy' },
    'a string': to,
    'a list': [to],
    'a short address': { to: '0x01' },
    'a bad sender': { from: 'me', to },
    'gas as a number': { to, gas: 21000 },
    'gas with a leading zero': { to, gas: '0x05208' },
    'a price without digits': { to, gasPrice: '0x' },
    'a negative value': { to, value: '-0x1' },
    'half a byte of data': { to, data: '0x1' },
    'half a byte of input': { to, input: '0x1' },
  },
}

t.test('a call has `to`, or data for a contract creation', async (t) => {
  judgeTable(t, 'CallObject', {
    accepts: {
      ...optional.accepts,
      'an address alone': { to },
      'data alone': { data: '0x600a' },
      'input alone': { input: '0x600a' },
      'null as address, with data': { to: null, data: '0x600a' },
      'null as data, with input': { data: null, input: '0x600a' },
      'empty data': { data: '0x' },
    },
    refuses: {
      ...optional.refuses,
      nothing: {},
      'a sender alone': { from: to },
      'null everywhere': { to: null, data: null, input: null },
    },
  })
})

t.test('a filter has `blockHash` or a range, never both; null counts as absent', async (t) => {
  judgeTable(t, 'LogFilter', {
    accepts: {
      'no member': {},
      'null everywhere': { blockHash: null, address: null, fromBlock: null, toBlock: null, topics: null },
      'a hash': { blockHash: hash },
      'a hash in upper case': { blockHash: `0x${'AB'.repeat(32)}` },
      'a hash, address and topics': { blockHash: hash, address: to, topics: [hash] },
      'a hash, with null bounds': { blockHash: hash, fromBlock: null, toBlock: null },
      'a range, with null as hash': { blockHash: null, fromBlock: '0x1', toBlock: 'latest' },
      'one bound': { fromBlock: 'earliest' },
      'the other bound': { toBlock: 'pending' },
      'a range that ends before it starts, which a rule refuses': { fromBlock: '0x2', toBlock: '0x1' },
      'members that name the network': { chain: 1, chainId: '0x1f', hardfork: null, networkId: {} },
    },
    refuses: {
      null: null,
      'a member that is not listed': { limit: 1 },
      'a listed name in another case': { address: to, Address: to },
      'a listed name in another case, by Unicode rules': { address: to, addreſs: to },
      'a string': 'latest',
      'a list': [],
      'a hash and a first block': { blockHash: hash, fromBlock: '0x1' },
      'a hash and a last block': { blockHash: hash, toBlock: 'latest' },
      'a hash and both': { blockHash: hash, fromBlock: '0x1', toBlock: '0x1' },
      'a hash, null and a last block': { blockHash: hash, fromBlock: null, toBlock: '0x1' },
      'a short hash': { blockHash: '0x01' },
      'a tag as hash': { blockHash: 'latest' },
      'a hash as bound': { fromBlock: hash },
      'a number as bound': { fromBlock: 1 },
      'a bound with a leading zero': { toBlock: '0x01' },
      'another tag': { toBlock: 'safe' },
    },
  })
})

t.test('an address filter is one address or a list up to the limit', async (t) => {
  const most = limits.addressesPerFilter
  judgeTable(t, 'AddressFilter', {
    accepts: { one: to, 'a list': [to, to], 'an empty list': [], null: null, 'as many': list(most, to) },
    refuses: {
      'one more': list(most + 1, to),
      'a hash': hash,
      'null in the list': [null],
      'a list in the list': [[to]],
      'a number': 1,
    },
  })
})

t.test('topics: up to 4 positions, each null, one topic or a list up to the limit', async (t) => {
  const most = limits.topicsPerPosition
  judgeTable(t, 'TopicFilter', {
    accepts: {
      one: hash,
      'a list': [hash, hash],
      'an empty list': [],
      null: null,
      'as many': list(most, hash),
    },
    refuses: {
      'one more': list(most + 1, hash),
      'an address': to,
      'null in the list': [null],
      'a list in the list': [[hash]],
    },
  })
  judgeTable(t, 'LogFilter', {
    accepts: {
      'no positions': { topics: [] },
      'four positions': { topics: [hash, null, [hash], hash] },
      'four free positions': { topics: [null, null, null, null] },
    },
    refuses: {
      'five positions': { topics: [null, null, null, null, null] },
      'a topic outside a list': { topics: hash },
      'a short topic': { topics: ['0x01'] },
    },
  })
})
