import { createRequire } from 'node:module'
import t from 'tap'
import { at, contractText, type Json, objectsIn, readAuthored, readWrittenOut } from './authored-contract.js'

// The package is CommonJS, and its types declare no default export that Node.js finds.
const { validateOpenRPCDocument } = createRequire(import.meta.url)('@open-rpc/schema-utils-js') as {
  validateOpenRPCDocument: (document: unknown) => true | { message: string }
}
const contract = readWrittenOut()
const specified = [
  'eth_accounts',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_protocolVersion',
  'eth_sendRawTransaction',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
]

t.test('the contract is a valid OpenRPC 1.3.2 document', async (t) => {
  t.equal(contract.openrpc, '1.3.2')
  const verdict = validateOpenRPCDocument(readAuthored())
  t.equal(verdict === true ? 'valid' : verdict.message, 'valid')
})

t.test('every reference leads to a place inside the document', async (t) => {
  for (const [pointer, object] of objectsIn(readAuthored() as unknown as Json)) {
    const reference = object['$ref']
    if (typeof reference !== 'string') continue
    if (!reference.startsWith('#/') || at(reference) === undefined) t.fail(`${pointer}: ${reference}`)
  }
  t.pass('no reference dangles')
})

t.test('every component is used in another part of the document', async (t) => {
  const used = new Set<string>()
  for (const [pointer, object] of objectsIn(readAuthored() as unknown as Json)) {
    const reference = object['$ref']
    if (typeof reference !== 'string' || pointer.startsWith(`${reference}/`)) continue
    used.add(reference)
  }
  for (const [kind, components] of Object.entries(contract.components)) {
    for (const key of Object.keys(components)) t.ok(used.has(`#/components/${kind}/${key}`), `${kind}/${key}`)
  }
})

t.test('the methods are the 26 of the specification', async (t) => {
  t.same(contract.methods.map(({ name }) => name).sort(), [...specified].sort())
})

t.test('every method is described completely', async (t) => {
  for (const method of contract.methods) {
    t.equal(method.paramStructure, 'by-position', `${method.name}: positional`)
    t.match(method.summary, /\.$/, `${method.name}: a summary`)
    t.match(method.description, /\.$/, `${method.name}: a description`)
    t.ok(method.tags.length > 0, `${method.name}: a tag`)
    for (const { name, required } of method.params)
      t.type(required, 'boolean', `${method.name}: ${name} states whether it is required`)
    for (const descriptor of [...method.params, method.result]) {
      t.match(descriptor.description, /\.$/, `${method.name}: ${descriptor.name} is described`)
    }
  }
})

t.test('parameters have unique names, required ones first, optional ones with a default', async (t) => {
  for (const { name, params } of contract.methods) {
    t.equal(new Set(params.map((param) => param.name)).size, params.length, `${name}: names`)
    const required = params.map((param) => param.required)
    t.same(
      required,
      [...required].sort((a, b) => Number(b) - Number(a)),
      `${name}: required first`,
    )
    for (const param of params) {
      t.equal('default' in param.schema, !param.required, `${name}: ${param.name} has a default if optional`)
    }
  }
})

t.test('required blocks and defaults match the specification', async (t) => {
  const second = (name: string) => {
    const method = contract.methods.find((candidate) => candidate.name === name)
    const param = method?.params.at(name === 'eth_getStorageAt' ? 2 : 1)
    return param && [param.required, param.schema['default']]
  }
  t.same(second('eth_call'), [true, undefined])
  t.same(second('eth_getCode'), [true, undefined])
  t.same(second('eth_getStorageAt'), [true, undefined])
  t.same(second('eth_getBalance'), [false, 'latest'])
  t.same(second('eth_getTransactionCount'), [false, 'latest'])
  t.same(second('eth_estimateGas'), [false, 'latest'])
  t.same(second('eth_getBlockByHash'), [false, false])
  t.same(second('eth_getBlockByNumber'), [false, false])
})

t.test('a method lists its errors by reference, each code once', async (t) => {
  for (const { name, errors } of contract.methods) {
    const codes = errors.map(
      ({ $ref }) => contract.components.errors[$ref.slice('#/components/errors/'.length)]?.code,
    )
    t.notOk(codes.includes(undefined), `${name}: known errors`)
    t.equal(new Set(codes).size, codes.length, `${name}: each code once`)
  }
})

t.test('a component schema has its key as title, and a description', async (t) => {
  for (const [key, schema] of Object.entries(contract.components.schemas)) {
    t.equal(schema['title'], key)
    t.match(schema['description'], /\.$/, `${key} is described`)
  }
})

t.test('links lead from a method to parameters of another', async (t) => {
  for (const { name, links = [] } of contract.methods) {
    for (const link of links) {
      const target = contract.methods.find((method) => method.name === link.method)
      const names = target?.params.map((param) => param.name) ?? []
      t.ok(
        Object.keys(link.params).every((param) => names.includes(param)),
        `${name}: ${link.name}`,
      )
    }
  }
})

t.test('servers: both networks, each also in the /v2/ form, with a key of the decided form', async (t) => {
  t.same(
    contract.servers.map(({ name, url }) => [name, url]),
    [
      ['test', `https://\${host}/\${apiKey}`],
      ['main', `https://\${host}/\${apiKey}`],
      ['test-v2', `https://\${host}/v2/\${apiKey}`],
      ['main-v2', `https://\${host}/v2/\${apiKey}`],
    ],
  )
  for (const { name, variables } of contract.servers) {
    const suffix = contract.info['x-networks'][name.replace('-v2', '')]?.keySuffix
    t.match(
      variables['apiKey']?.default,
      new RegExp(`^[A-Za-z0-9]{30}-${suffix}$`),
      `${name}: a key of its network`,
    )
  }
})

t.test('the text is readable on a screen: only long hexadecimal values exceed 160 columns', async (t) => {
  for (const [index, line] of contractText.split('\n').entries()) {
    if (line.length > 160) t.match(line, /"0x[0-9a-f]{100,}"/, `line ${index + 1}`)
    if (/[ \t]$/.test(line)) t.fail(`line ${index + 1} has no trailing spaces`)
  }
  t.ok(contractText.endsWith('}\n'), 'the file ends with one line break')
})
