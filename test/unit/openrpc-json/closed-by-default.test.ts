import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { generateCommand } from '../../../src/cli/generate/generate.js'
import { lintContract } from '../../../src/toolkit/lint/index.js'
import { inFolder } from '../toolkit/codegen/fixtures.js'
import { type Json, type Members, readAuthored } from './authored-contract.js'

const contract = readAuthored()
const required = contract['x-extensions'].filter((declaration) => declaration.required)
const defaults = Object.keys(contract.info['x-method-defaults'])
/** The extensions that eth_getBalance states: those without a default, and one that has none where an address is taken. */
const forMethods = required
  .map(({ name }) => name)
  .filter((name) => !defaults.includes(name) || name === 'x-contract-addresses')
const balance = contract.methods.find(({ name }) => name === 'eth_getBalance') as unknown as Members

/** The findings of `lint` and `generate` for the contract with additional variants of eth_getBalance. */
function outcomeWith(methods: readonly Members[]) {
  return inFolder(async (folder) => {
    const file = join(folder, 'openrpc.json')
    const added = methods.map((parts) => ({ ...balance, ...parts }))
    const document = { ...contract, methods: [...contract.methods, ...added] }
    await writeFile(file, JSON.stringify(document, undefined, 2))
    const err: string[] = []
    const io = { out: () => undefined, err: (line: string) => void err.push(line), env: {} }
    const findings = (await lintContract(file)).filter(({ severity }) => severity === 'error')
    const code = findings.length > 0 ? await generateCommand([file], io) : 0
    const lines = findings.map(
      ({ line, column, pointer, message }) => `  ${file}:${line}:${column}  ${pointer}: ${message}`,
    )
    return { code, err: err.join('\n'), findings, lines, files: await readdir(folder) }
  })
}

/** The places of the additions. */
const at = (index: number) => `#/methods/${contract.methods.length + index}`
const absent = undefined as unknown as Json

t.test('the contract declares the extensions that the service needs as required', async (t) => {
  const names = required.map(({ name }) => name)
  for (const name of ['x-effect', 'x-cost', 'x-contract-addresses']) t.ok(names.includes(name), name)
  for (const name of ['x-effect', 'x-answer', 'x-cache'])
    t.notOk(defaults.includes(name), `${name} has no default`)
})

t.test('a method without a required extension is refused by lint and generate', async (t) => {
  const { code, err, findings, lines, files } = await outcomeWith(
    forMethods.map((name, index) => ({ name: `eth_new${index}`, [name]: absent })),
  )
  t.same(
    findings.map(({ rule, pointer }) => [rule, pointer]),
    forMethods.map((_, index) => ['missing-extension', at(index)]),
  )
  const lacks = new Map(forMethods.map((name, index) => [name, `eth_new${index} lacks ${name}`]))
  for (const [index, name] of forMethods.entries()) {
    t.match(findings[index]?.message, new RegExp(`^${lacks.get(name)} \\(.+\\)\\. Add "${name}": .+`))
  }
  const messages = findings.map(({ message }) => message)
  for (const [name, text] of [
    ['x-effect', '(the effect of a call). Add "x-effect": "read" or "x-effect": "write".'],
  ] as const) {
    t.ok(messages.includes(`${lacks.get(name)} ${text}`), text)
  }
  t.equal(code, 1)
  t.same(err.split('\n').slice(1).sort(), [...lines].sort(), 'the same findings, with file, line and column')
  t.same(files, ['openrpc.json'], 'no files are written')
})

t.test('a method that takes an address or a transaction states its contract addresses', async (t) => {
  const param = (schema: Members) => [{ name: 'value', required: true, schema }]
  const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })
  const taking = (name: string, schema: Members) => ({
    ...{ name, params: param(schema), examples: [], 'x-about': {}, 'x-contract-addresses': absent },
  })
  const { findings } = await outcomeWith([
    taking('eth_one', ref('AddressInput')),
    taking('eth_inCall', ref('CallObject')),
    taking('eth_inList', { type: 'array', items: { anyOf: [ref('AddressInput'), { type: 'null' }] } }),
    taking('eth_raw', ref('RawTransactionInput')),
    taking('eth_hash', ref('HashInput')),
    taking('eth_flag', { type: 'boolean' }),
  ])
  t.same(
    findings.map(({ rule, pointer }) => [rule, pointer]),
    [0, 1, 2, 3].map((index) => ['missing-extension', at(index)]),
  )
})

t.test('an extension with a dangling reference is refused by lint and generate', async (t) => {
  const { code, err, findings, lines } = await outcomeWith([
    { name: 'eth_right' },
    { name: 'eth_parameter', 'x-contract-addresses': ['/addres'] },
    { name: 'eth_receiver', 'x-contract-addresses': [{ receiverOf: '/transaction' }] },
    { name: 'eth_result', 'x-volatile': ['/balance'] },
    { name: 'eth_order', 'x-result-order': [{ list: '/logs', by: ['logIndex'] }] },
    { name: 'eth_rule', 'x-rules': ['state.no-such-rule'] },
    { name: 'eth_about', 'x-about': { block: '/blockSelector', number: '/number' } },
    { name: 'eth_answer', 'x-answer': { network: 'genesis' } },
  ])
  t.same(
    findings.map(({ pointer }) => pointer),
    [
      `${at(1)}/x-contract-addresses/0`,
      `${at(2)}/x-contract-addresses/0/receiverOf`,
      `${at(3)}/x-volatile/0`,
      `${at(4)}/x-result-order/0/list`,
      `${at(4)}/x-result-order/0/by/0`,
      `${at(5)}/x-rules/0`,
      `${at(6)}/x-about/number`,
      `${at(7)}/x-answer/network`,
    ],
  )
  for (const { rule } of findings) t.equal(rule, 'unknown-extension-target')
  t.equal(code, 1)
  t.same(err.split('\n').slice(1).sort(), [...lines].sort())
})
