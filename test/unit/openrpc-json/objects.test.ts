import { readFileSync } from 'node:fs'
import t from 'tap'
import { type Json, judge, type Members, readWrittenOut } from './authored-contract.js'
import { judgeTable } from './judge-table.js'

const contract = readWrittenOut()
const example = (name: string): Members => {
  const pairing = contract.methods
    .flatMap(({ examples }) => examples)
    .find((candidate) => candidate.name === name)
  return pairing?.result?.value as Members
}
const mined = example('eth_getBlockByHash-hashes')
const full = example('eth_getBlockByHash-transactions')
const pending = example('eth_getBlockByNumber-pending')
const transaction = example('eth_getTransactionByHash-mined')
const waiting = example('eth_getTransactionByHash-pending')
const indexed = example('eth_getTransactionByBlockHashAndIndex')
const remasc = example('eth_getTransactionByBlockNumberAndIndex')
const receipt = example('eth_getTransactionReceipt')
const log = (receipt['logs'] as Members[])[0] ?? {}
const without = (value: Members, member: string): Members =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== member))

/** The members that some nodes send. */
const optionalMembers: { [component: string]: readonly string[] } = {
  Block: ['rskPteEdges', 'baseEvent'],
  Transaction: ['blockTimestamp', 'chainId'],
  Log: ['blockTimestamp'],
}

/** Members of the Ethereum API that announce features which the network lacks. */
const hiddenMembers: { [component: string]: readonly string[] } = {
  Block: [
    ...['baseFeePerGas', 'blobGasUsed', 'excessBlobGas', 'withdrawals', 'withdrawalsRoot'],
    ...['parentBeaconBlockRoot', 'requestsHash', 'blockAccessListHash'],
  ],
  Transaction: [
    ...['maxFeePerGas', 'maxPriorityFeePerGas', 'blobVersionedHashes', 'maxFeePerBlobGas'],
    ...['accessList', 'authorizationList', 'yParity'],
  ],
  Receipt: ['blobGasPrice', 'blobGasUsed'],
}

t.test('members of features that the network lacks are not in the contract', async (t) => {
  const decision = readFileSync('docs/decisions/0045-standard-forms-and-texts.md', 'utf8')
  for (const [component, names] of Object.entries(hiddenMembers)) {
    const listed = contract.components.schemas[component]?.['properties'] as Members
    for (const name of names) {
      t.notOk(name in listed, name)
      t.match(decision, `\`${name}\``)
    }
  }
})

const members: { [component: string]: [number, Members] } = {
  Block: [27, mined],
  Transaction: [15, transaction],
  Log: [9, log],
}

for (const [component, [count, value]] of Object.entries(members)) {
  t.test(
    `${component}: all ${count} members are required and typed, and additional ones are allowed`,
    async (t) => {
      const { properties, required } = contract.components.schemas[component] as {
        properties: Members
        required: string[]
      }
      t.equal(required.length, count)
      const optional = Object.keys(properties).filter((member) => !required.includes(member))
      t.same(optional, optionalMembers[component])
      for (const member of required) {
        t.notOk(judge(component, without(value, member)).valid, `without ${member}`)
        t.notOk(judge(component, { ...value, [member]: 7 }).valid, `with a number as ${member}`)
      }
      t.ok(judge(component, { ...value, addedByANode: true }).valid, 'with an additional member')
      for (const other of [null, [], 'text', 1])
        t.notOk(judge(component, other).valid, `not ${JSON.stringify(other)}`)
    },
  )
}

t.test('a block is mined, with all its members, or pending, with the decided nulls', async (t) => {
  const { number, hash, logsBloom } = mined as { number: Json; hash: Json; logsBloom: Json }
  judgeTable(t, 'Block', {
    accepts: {
      mined,
      'mined, with transaction objects': full,
      pending,
      'pending, without a miner': { ...pending, miner: null },
      'without transactions': { ...mined, transactions: [] },
      'with uncles': { ...mined, uncles: [hash] },
      'without merged mining, as the first block': {
        ...mined,
        bitcoinMergedMiningHeader: '0x',
        bitcoinMergedMiningMerkleProof: '0x',
      },
    },
    refuses: {
      'a number without a hash': { ...pending, number },
      'a hash without a number': { ...pending, hash },
      'a pending block with a bloom': { ...pending, logsBloom },
      'a mined block without a number': { ...mined, number: null },
      'a mined block without a hash': { ...mined, hash: null },
      'a mined block without a bloom': { ...mined, logsBloom: null },
      'a mined block without a miner': { ...mined, miner: null },
      'a number that is not a string': { ...mined, number: 1 },
      'a size with a leading zero': { ...mined, size: '0x06b2' },
      'hashes and objects mixed': { ...mined, transactions: [hash, transaction] },
      'transactions that are not a list': { ...mined, transactions: null },
      'a null uncle': { ...mined, uncles: [null] },
      'an upper-case hash': { ...mined, parentHash: `0x${'AB'.repeat(32)}` },
    },
  })
  for (const member of Object.keys(mined)) {
    if (['number', 'hash', 'logsBloom'].includes(member)) continue
    t.notOk(judge('Block', { ...mined, [member]: null }).valid, `mined: ${member} is not null`)
  }
})

t.test('the narrowed blocks contain hashes or objects', async (t) => {
  const empty = { ...mined, transactions: [] }
  judgeTable(t, 'BlockWithHashes', {
    accepts: { hashes: mined, empty, pending },
    refuses: { objects: full, 'an incomplete block': { transactions: [] } },
  })
  judgeTable(t, 'BlockWithTransactions', {
    accepts: { objects: full, empty, pending },
    refuses: { hashes: mined, 'an incomplete block': { transactions: [] } },
  })
})

t.test('a transaction is mined or pending, signed or not, a call or a creation', async (t) => {
  judgeTable(t, 'Transaction', {
    accepts: {
      mined: transaction,
      pending: waiting,
      'a contract creation': { ...transaction, to: null },
      'without a signature, as zeros': remasc,
      'without a signature, as null': { ...remasc, v: null, r: null, s: null },
      'of another type': { ...transaction, type: '0x2' },
      'with `_id`': indexed,
    },
    refuses: {
      'half mined: no number': { ...transaction, blockNumber: null },
      'half mined: no position': { ...transaction, transactionIndex: null },
      'half pending: a number': { ...waiting, blockNumber: '0x1' },
      'half pending: a position': { ...waiting, transactionIndex: '0x0' },
      'without a sender': { ...transaction, from: null },
      'with a type that is a number': { ...transaction, type: 0 },
    },
  })
  judgeTable(t, 'TransactionByIndex', {
    accepts: { 'with `_id`': indexed },
    refuses: {
      'without `_id`': transaction,
      'with an `_id` that is not a string': { ...indexed, _id: 1 },
      'with an empty `_id`': { ...indexed, _id: '' },
      '`_id` alone': { _id: 'x' },
    },
  })
  t.equal(indexed['_id'], `${indexed['blockHash']}-${indexed['transactionIndex']}`, 'the content of `_id`')
})

t.test('a receipt has `status` or `root`, never both', async (t) => {
  const root = `0x${'ab'.repeat(32)}`
  const neither = without(receipt, 'status')
  judgeTable(t, 'Receipt', {
    accepts: {
      success: receipt,
      failure: { ...receipt, status: '0x0' },
      'a root instead': { ...neither, root },
      'a contract creation': { ...receipt, to: null, contractAddress: receipt['from'] ?? null },
      'no logs': { ...receipt, logs: [] },
      'a member more': { ...receipt, addedByANode: null },
    },
    refuses: {
      neither,
      both: { ...receipt, root },
      'both, the root null': { ...receipt, root: null },
      'a status without a prefix': { ...receipt, status: '1' },
      'a status with a leading zero': { ...receipt, status: '0x01' },
      'another status': { ...receipt, status: '0x2' },
      'a status that is a number': { ...receipt, status: 1 },
      'a short root': { ...neither, root: '0x01' },
      'a log without an address': { ...receipt, logs: [without(log, 'address')] },
      'logs that are not a list': { ...receipt, logs: null },
    },
  })
  const { required } = contract.components.schemas['Receipt'] as { required: string[] }
  t.equal(required.length, 13, 'thirteen members besides `status` or `root`')
  for (const member of required)
    t.notOk(judge('Receipt', without(receipt, member)).valid, `without ${member}`)
})

t.test('a log is mined or pending, and has 0 to 4 topics', async (t) => {
  const topic = `0x${'12'.repeat(32)}`
  const nowhere = {
    logIndex: null,
    transactionIndex: null,
    transactionHash: null,
    blockHash: null,
    blockNumber: null,
  }
  judgeTable(t, 'Log', {
    accepts: {
      mined: log,
      pending: { ...log, ...nowhere },
      'no topics': { ...log, topics: [] },
      'four topics': { ...log, topics: [topic, topic, topic, topic] },
      'no data': { ...log, data: '0x' },
      '39 bytes of data': { ...log, data: `0x${'e6'.repeat(39)}` },
    },
    refuses: {
      'half a byte of data': { ...log, data: '0x1' },
      'five topics': { ...log, topics: [topic, topic, topic, topic, topic] },
      'a null topic': { ...log, topics: [null] },
      'an address as topic': { ...log, topics: [log['address'] ?? null] },
      'no address': { ...log, address: null },
    },
  })
  for (const member of Object.keys(nowhere)) {
    t.notOk(judge('Log', { ...log, [member]: null }).valid, `mined: ${member} is not null`)
    t.notOk(judge('Log', { ...log, ...nowhere, [member]: log[member] }).valid, `pending: ${member} is null`)
  }
})

t.test('the data of errors', async (t) => {
  judgeTable(t, 'ParameterProblems', {
    accepts: { none: [], one: [{ path: '/0', rule: 'pattern', message: 'must match' }] },
    refuses: {
      'an object': {},
      'a path alone': [{ path: '/0' }],
      'a number as path': [{ path: 0, rule: 'pattern', message: '' }],
    },
  })
  judgeTable(t, 'LogsRange', {
    accepts: { 'a range': { from: '0x1', to: '0x2', limit: 10000 } },
    refuses: {
      'no end': { from: '0x1', limit: 10000 },
      'a limit as a string': { from: '0x1', to: '0x2', limit: '10000' },
      'a tag': { from: '0x1', to: 'latest', limit: 1 },
    },
  })
  const quota = { limit: 20, used: 20, resetAt: '2030-01-01T00:00:00Z', scope: 'daily' }
  judgeTable(t, 'QuotaState', {
    accepts: { daily: quota, monthly: { ...quota, scope: 'monthly' } },
    refuses: {
      'another scope': { ...quota, scope: 'hourly' },
      'a fraction': { ...quota, used: 0.5 },
      'below zero': { ...quota, used: -1 },
    },
  })
  judgeTable(t, 'FailureReference', {
    accepts: { 'a reference': { reference: 'a1' } },
    refuses: { none: {}, empty: { reference: '' } },
  })
})
