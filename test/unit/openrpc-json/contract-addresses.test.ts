import t from 'tap'
import { methods } from '../../../generated/methods.js'
import type { JsonObject, JsonValue } from '../../../src/runtime/rpc/index.js'
import { readWrittenOut } from './authored-contract.js'

/** The places where calls name contracts (`x-contract-addresses`). A key's allow-list is checked against them. */
const contract = readWrittenOut()

/** Every method with its places, and the parameters of its first example with a result. */
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
  'each place is a parameter, or a member of one, that accepts only addresses or transactions',
  async (t) => {
    t.ok(rows.length > 0)
    for (const { method, position, members, params } of rows) {
      const sent = (value: JsonValue) => {
        const [member] = members
        const put = member === undefined ? value : { ...(params[position] as JsonObject), [member]: value }
        return params.map((given, at) => (at === position ? put : given))
      }
      const path = `/${[position, ...members].join('/')}`
      t.ok(position >= 0 && members.length <= 1, `${method.name}: the place leads to a parameter`)
      t.same(method.validateParams(params), [], `${method.name}: the example is accepted`)
      t.match(method.validateParams(sent('latest')), [{ path }], `${method.name}: other text is refused`)
      t.match(method.validateParams(sent({})), [{ path }], `${method.name}: an object is refused`)
    }
  },
)

t.test('an object with such a place has only the members that the contract lists', async (t) => {
  for (const { method, position, members, params } of rows.filter(({ members }) => members.length > 0)) {
    const more = { ...(params[position] as JsonObject), [String(members[0]).toUpperCase()]: '0x' }
    const problems = method.validateParams(params.map((given, at) => (at === position ? more : given)))
    t.match(problems, [{ path: `/${position}`, rule: 'additionalProperties' }], method.name)
  }
})
