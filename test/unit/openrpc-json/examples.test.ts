import { keccak_256 } from '@noble/hashes/sha3.js'
import t from 'tap'
import {
  compile,
  type Json,
  type Members,
  type Method,
  type Pairing,
  readWrittenOut,
} from './authored-contract.js'

const contract = readWrittenOut()
/** The names of examples that several methods refer to. */
const shared = new Set(Object.values(contract.components.examplePairings).map(({ name }) => name))
const pairings = contract.methods.flatMap((method) => method.examples.map((pairing) => ({ method, pairing })))
const one = (name: string): Pairing => {
  const found = pairings.find(({ pairing }) => pairing.name === name)?.pairing
  if (found) return found
  throw new TypeError(`the contract has no example ${name}`)
}
const members = (value: Json | undefined): Members => (value ?? {}) as Members

t.test(
  'every method has at least two examples: a success, and another outcome where it has one',
  async (t) => {
    for (const { name, examples, params, 'x-lookup': lookup } of contract.methods) {
      t.ok(examples.length >= 2, `${name}: two`)
      t.ok(
        examples.some(({ result }) => result && result.value !== null),
        `${name}: a success`,
      )
      if (lookup)
        t.ok(
          examples.some(({ result }) => result?.value === null),
          `${name}: a null lookup`,
        )
      else if (params.length > 0)
        t.ok(
          examples.some(({ error }) => error),
          `${name}: an error`,
        )
    }
    t.ok(one('eth_getLogs-unknown-block').result?.value, 'an empty list for eth_getLogs')
  },
)

t.test('names are unique, and every example has a description and one outcome', async (t) => {
  const own = pairings.filter(({ pairing }) => !shared.has(pairing.name))
  t.equal(new Set(own.map(({ pairing }) => pairing.name)).size, own.length)
  for (const { method, pairing } of own) t.ok(pairing.name.startsWith(method.name), pairing.name)
  for (const { pairing } of pairings) {
    t.match(pairing.description, /\.$/, `${pairing.name}: a sentence`)
    t.equal(Number('result' in pairing) + Number('error' in pairing), 1, `${pairing.name}: result or error`)
  }
})

t.test('an example of one network names a served network', async (t) => {
  for (const { pairing } of pairings) {
    if (pairing['x-network'])
      t.ok(pairing['x-network'] in contract.info['x-networks'], `${pairing.name}: network`)
  }
})

t.test('null lookups are exact, and network-specific examples name their network', async (t) => {
  for (const { method, pairing } of pairings) {
    if (pairing.result?.value === null) t.equal(pairing['x-replay'], 'exact', pairing.name)
    const volatile = method['x-volatile'].includes('') && method.name !== 'eth_estimateGas'
    if (volatile && pairing.result) t.equal(pairing['x-replay'], undefined, pairing.name)
  }
  for (const [network, { chainId, netVersion }] of Object.entries(contract.info['x-networks'])) {
    t.match(one(`eth_chainId-${network}`), {
      'x-network': network,
      'x-replay': 'exact',
      result: { value: chainId },
    })
    t.match(one(`net_version-${network}`), {
      'x-network': network,
      'x-replay': 'exact',
      result: { value: netVersion },
    })
    t.equal(Number(chainId), Number(netVersion), `${network}: one number in two notations`)
  }
})

t.test('every result is valid for its method', async (t) => {
  for (const { method, pairing } of pairings) {
    if (!pairing.result) continue
    const validate = compile(method.result.schema)
    t.ok(validate(pairing.result.value), `${pairing.name}: ${JSON.stringify(validate.errors)}`)
  }
})

t.test('parameters are in the order of their method, with its names', async (t) => {
  for (const { method, pairing } of pairings) {
    const names = method.params.map(({ name }) => name)
    const given = pairing.params.map(({ name }) => name)
    if (given.length <= names.length) t.same(given, names.slice(0, given.length), pairing.name)
  }
})

/** Validates the parameters of an example against the schemas of its method. */
function followsSchemas(method: Method, pairing: Pairing): boolean {
  const required = method.params.filter((param) => param.required).length
  if (pairing.params.length < required || pairing.params.length > method.params.length) return false
  return pairing.params.every(({ value }, index) => compile(method.params[index]?.schema ?? {})(value))
}

/** Examples of -32602 by a rule that no schema can express. */
const byRule = ['eth_call-data-and-input', 'eth_getLogs-reversed', 'eth_getLogs-over-limit']

t.test('parameters are valid, except in examples that show a refusal', async (t) => {
  for (const { method, pairing } of pairings) {
    const broken = pairing.error?.value.code === -32602 && !byRule.includes(pairing.name)
    t.equal(followsSchemas(method, pairing), !broken, pairing.name)
  }
})

t.test('every error is declared by its method, and its data is valid', async (t) => {
  for (const { method, pairing } of pairings) {
    if (!pairing.error) continue
    const { name, value } = pairing.error
    const component = contract.components.errors[name]
    t.equal(value.code, component?.code, `${pairing.name}: the code of ${name}`)
    t.ok(
      method.errors.some(({ $ref }) => $ref.endsWith(`/${name}`)),
      `${pairing.name}: declared`,
    )
    if (value.data === undefined) continue
    t.ok(compile(component?.['x-data-schema'] ?? {})(value.data), `${pairing.name}: data`)
  }
})

t.test('the hashes of web3_sha3 and of the sent transaction are Keccak-256', async (t) => {
  for (const name of ['web3_sha3-empty', 'web3_sha3-text', 'eth_sendRawTransaction']) {
    const { params, result } = one(name)
    const bytes = Buffer.from(String(params[0]?.value).slice(2), 'hex')
    t.equal(result?.value, `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`, name)
  }
  t.equal(
    one('web3_sha3-empty').result?.value,
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
})

t.test('the known estimate: 41 non-zero bytes cost 0x5498', async (t) => {
  const { params, result } = one('eth_estimateGas-no-balance')
  const data = String(members(params[0]?.value)['data'])
  t.match(data, /^0x(?!.*00)[0-9a-f]{82}$/)
  t.equal(Number(result?.value), 21000 + 41 * 16)
})

t.test('the examples are consistent: block, transaction, receipt and logs agree', async (t) => {
  const block = members(one('eth_getBlockByHash-hashes').result?.value)
  const full = members(one('eth_getBlockByHash-transactions').result?.value)
  const transaction = members(one('eth_getTransactionByHash-mined').result?.value)
  const receipt = members(one('eth_getTransactionReceipt').result?.value)
  const { transactions, ...header } = full
  const { transactions: hashes, ...same } = block
  t.same(header, same, 'a block with hashes equals the block with objects')
  t.same(
    (transactions as Members[]).map(({ hash }) => hash),
    hashes,
    'and so do its transactions',
  )
  t.same((transactions as Members[])[0], transaction)
  for (const member of ['blockHash', 'blockNumber', 'transactionIndex', 'from', 'to']) {
    t.equal(receipt[member], transaction[member], member)
  }
  t.same(receipt['logs'], one('eth_getLogs-block').result?.value)
  t.equal(receipt['effectiveGasPrice'], transaction['gasPrice'])
  const paid = BigInt(String(receipt['gasUsed'])) * BigInt(String(transaction['gasPrice']))
  t.equal(BigInt(String(block['paidFees'])), paid)
  t.equal(
    one('eth_getBlockTransactionCountByHash').result?.value,
    `0x${(hashes as Json[]).length.toString(16)}`,
  )
})
