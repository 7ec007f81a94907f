import { Ajv } from 'ajv'
import t from 'tap'
import { type Json, type Members, objectsIn, readWrittenOut } from './authored-contract.js'

const contract = readWrittenOut()
const declared = new Map(contract['x-extensions'].map((extension) => [extension.name, extension]))

/** The kind of OpenRPC object at a pointer, where extensions are allowed. */
const kinds: [RegExp, string][] = [
  [/^#\/info$/, 'infoObject'],
  [/^#\/methods\/\d+$/, 'methodObject'],
  [/^#\/(?:methods\/\d+\/examples\/\d+|components\/examplePairings\/\w+)$/, 'examplePairingObject'],
  [/^#\/components\/errors\/\w+$/, 'errorObject'],
]

/** Every member that begins with `x-`, with the kind of its object and its value. */
function used(): [string, string, Json][] {
  const found: [string, string, Json][] = []
  const { 'x-extensions': _, ...rest } = contract
  for (const [pointer, object] of objectsIn(rest as unknown as Json)) {
    // The validator does not check schemas; loading the contract does.
    if (pointer.startsWith('#/info/') || /^#\/components\/schemas\/|\/schema(\/|$)/.test(pointer)) continue
    const kind = kinds.find(([pattern]) => pattern.test(pointer))?.[1] ?? pointer
    for (const [member, value] of Object.entries(object)) {
      if (member.startsWith('x-')) found.push([kind, member, value])
    }
  }
  return found
}

t.test('every extension is declared once, with a schema and a description', async (t) => {
  t.equal(declared.size, contract['x-extensions'].length)
  for (const declaration of declared.values()) {
    const { name, version, restricted, summary, description } = declaration
    t.match(name, /^x-[a-z-]+$/)
    t.match(version, /^\d+\.\d+\.\d+$/, `${name}: a version`)
    const kinds = [...restricted, ...(declaration['x-restricted'] ?? [])]
    t.ok(kinds.length > 0, `${name}: its objects`)
    t.match(summary, /\.$/, `${name}: a summary`)
    t.match(description, /\.$/, `${name}: a description`)
  }
})

t.test('no schema of an extension refers to a component', async (t) => {
  t.notMatch(JSON.stringify(contract['x-extensions']), /"\$ref"/)
})

t.test('every x- member is declared for its object and is valid', async (t) => {
  const ajv = new Ajv({
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    keywords: ['x-refers-to'],
  })
  const validators = new Map([...declared].map(([name, { schema }]) => [name, ajv.compile(schema)]))
  for (const [kind, name, value] of used()) {
    if (!declared.get(name)?.restricted.includes(kind)) t.fail(`${name} is not declared for ${kind}`)
    const validate = validators.get(name)
    if (!validate?.(value)) t.fail(`${name}: ${ajv.errorsText(validate?.errors)}`)
  }
  t.pass('all of them')
})

t.test('every declared extension is used, on each kind of object for which it is declared', async (t) => {
  const seen = new Set(used().map(([kind, name]) => `${name} ${kind}`))
  for (const { name, restricted } of declared.values()) {
    for (const kind of restricted) t.ok(seen.has(`${name} ${kind}`), `${name} on ${kind}`)
  }
})

t.test('only eth_sendRawTransaction writes', async (t) => {
  const writing = contract.methods.filter((method) => method['x-effect'] === 'write')
  t.same(
    writing.map(({ name }) => name),
    ['eth_sendRawTransaction'],
  )
})

t.test('methods that the service answers itself never reach a node', async (t) => {
  const told = contract.methods.filter((method) => typeof method['x-answer'] === 'object')
  t.same(
    told.map(({ name }) => name),
    ['eth_accounts', 'eth_chainId', 'net_version'],
  )
})

t.test('only these methods need code', async (t) => {
  const code = contract.methods.filter((method) => method['x-answer'] === 'code').map(({ name }) => name)
  t.same(code, ['eth_call', 'eth_estimateGas', 'eth_getLogs', 'eth_sendRawTransaction', 'web3_sha3'])
})

t.test('a call about a block states the meaning of a missing block', async (t) => {
  for (const method of contract.methods) {
    if (method['x-about']['block'] === undefined || method['x-answer'] !== 'node') continue
    const isError = method.errors.some(({ $ref }) => $ref.endsWith('/blockNotFound'))
    t.not(method['x-lookup'], isError, `${method.name}: null, or an error`)
    t.equal(method['x-empty'] === undefined, method['x-lookup'], `${method.name}: the other meaning of null`)
  }
})

t.test('a call without a block that can become final is not cached permanently', async (t) => {
  for (const { name, 'x-about': about, 'x-cache': cache } of contract.methods) {
    if (cache === 'final') t.ok('block' in about || 'transaction' in about, name)
  }
})

t.test('a method is a lookup if and only if its result may be null', async (t) => {
  for (const method of contract.methods) {
    const nullable = JSON.stringify(method.result.schema).includes('"null"')
    t.equal(method['x-lookup'], nullable, method.name)
  }
})

t.test('calls without a cost limit are never batched', async (t) => {
  const alone = contract.methods.filter((method) => !method['x-batchable']).map(({ name }) => name)
  for (const name of ['eth_call', 'eth_estimateGas', 'eth_getLogs', 'eth_sendRawTransaction']) {
    t.ok(alone.includes(name), name)
  }
})

t.test('the boolean of the block methods narrows their result', async (t) => {
  for (const name of ['eth_getBlockByHash', 'eth_getBlockByNumber']) {
    const method = contract.methods.find((candidate) => candidate.name === name)
    const entries = method?.['x-result-when']?.filter(({ param }) => param === 'fullTransactions')
    const narrowed = entries?.map(({ param, value, schema }) => [param, value, schema.$ref])
    t.same(narrowed, [
      ['fullTransactions', false, '#/components/schemas/BlockWithHashes'],
      ['fullTransactions', true, '#/components/schemas/BlockWithTransactions'],
    ])
  }
})

t.test('the selector of a block decides whether the result is mined or pending', async (t) => {
  for (const [name, result] of [
    ['eth_getBlockByNumber', 'Block'],
    ['eth_getTransactionByBlockNumberAndIndex', 'TransactionByIndex'],
  ] as const) {
    const method = contract.methods.find((candidate) => candidate.name === name)
    const entries = method?.['x-result-when']?.filter(({ param }) => param === 'blockSelector')
    t.same(
      entries?.map(({ value, matches, schema }) => [value ?? matches?.$ref, schema.$ref]),
      [
        ['#/components/schemas/MinedBlockSelector', `#/components/schemas/Mined${result}`],
        ['pending', `#/components/schemas/Pending${result}`],
      ],
      name,
    )
  }
})

t.test('an unsupported declaration is detected', async (t) => {
  const schema = declared.get('x-replay')?.schema as Members
  t.notOk(new Ajv().compile(schema)('sometimes'))
})
