import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { methods } from '../../../generated/methods.js'
import { generateCommand } from '../../../src/cli/generate.js'
import { lintContract } from '../../../src/contract/index.js'
import type { JsonObject, JsonValue } from '../../../src/rpc/index.js'
import { inFolder } from '../codegen/fixtures.js'
import { readAuthored } from './authored-contract.js'

/** Where calls name contracts (`x-contract-addresses`): a key's list of contracts is checked against it. */
const contract = readAuthored()

/** Every method with its places, and parameters that it takes, from its first example that shows a result. */
const rows = Object.values(methods).flatMap((method) => {
  const authored = contract.methods.find(({ name }) => name === method.name)
  const params = authored?.examples.find((example) => example.result)?.params.map(({ value }) => value)
  return method.extensions['x-contract-addresses'].map((place) => {
    const [name, ...members] = (typeof place === 'string' ? place : place.receiverOf).slice(1).split('/')
    const position = method.params.findIndex((param) => param.name === name)
    return { method, position, members, params: (params ?? []) as readonly JsonValue[] }
  })
})

t.test(
  'each place is a parameter, or a member of one, that takes nothing but addresses or transactions',
  async (t) => {
    t.ok(rows.length > 0)
    for (const { method, position, members, params } of rows) {
      const sent = (value: JsonValue) => {
        const [member] = members
        const put = member === undefined ? value : { ...(params[position] as JsonObject), [member]: value }
        return params.map((given, at) => (at === position ? put : given))
      }
      const path = `/${[position, ...members].join('/')}`
      t.ok(position >= 0 && members.length <= 1, `${method.name}: it leads to a parameter`)
      t.same(method.validateParams(params), [], `${method.name}: the example is taken`)
      t.match(method.validateParams(sent('latest')), [{ path }], `${method.name}: other text is refused`)
      t.match(method.validateParams(sent({})), [{ path }], `${method.name}: an object is refused`)
    }
  },
)

t.test('an object in which a place stands has no other members than the contract lists', async (t) => {
  for (const { method, position, members, params } of rows.filter(({ members }) => members.length > 0)) {
    const more = { ...(params[position] as JsonObject), [String(members[0]).toUpperCase()]: '0x' }
    const problems = method.validateParams(params.map((given, at) => (at === position ? more : given)))
    t.match(problems, [{ path: `/${position}`, rule: 'additionalProperties' }], method.name)
  }
})

t.test('a method that does not say where it names contracts is refused by lint and generate', async (t) => {
  const {
    name: _,
    'x-contract-addresses': places,
    ...gasPrice
  } = contract.methods.find(({ name }) => name === 'eth_gasPrice') as unknown as JsonObject
  t.same(places, [])
  const outcome = (method: JsonObject) =>
    inFolder(async (folder) => {
      const file = join(folder, 'openrpc.json')
      const document = { ...readAuthored(), methods: [...contract.methods, method] }
      await writeFile(file, JSON.stringify(document, undefined, 2))
      const io = { out: () => undefined, err: () => undefined, env: {} }
      const generated = await generateCommand([file], io).catch((error: Error) => error.message)
      const found = await lintContract(file)
      return { generated, found: found.filter(({ severity }) => severity === 'error') }
    })
  const missing = 'has no "x-contract-addresses", which "x-extensions" declares as required: add it'
  const pointer = `#/methods/${contract.methods.length}`
  const refused = await outcome({ name: 'eth_newMethod', ...gasPrice })
  t.match(refused.generated, `${pointer}: ${missing}`)
  t.match(refused.found, [{ rule: 'missing-extension', pointer }])
  t.match(refused.found[0]?.message, missing)
  t.ok((refused.found[0]?.line ?? 0) > 1, 'with its line')
  t.same(await outcome({ name: 'eth_newMethod', ...gasPrice, 'x-contract-addresses': [] }), {
    generated: 0,
    found: [],
  })
  const badForm = await outcome({ name: 'eth_newMethod', ...gasPrice, 'x-contract-addresses': ['call.to'] })
  t.match(badForm.generated, `${pointer}/x-contract-addresses`)
})
