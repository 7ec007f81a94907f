import { readFile } from 'node:fs/promises'
import t from 'tap'
import { methods } from '../../../../generated/methods.js'
import { scenariosOf } from '../../../../src/judge/index.js'
import { fill } from '../../../../src/judge/scenario/fill.js'
import { exampleGiven, sentParams } from '../../../../src/toolkit/cases/index.js'
import {
  arrayMember,
  type Contract,
  isObject,
  type JsonValue,
  member,
  stringMember,
} from '../../../../src/toolkit/contract/index.js'
import { everyNth } from '../../../support/runs.js'
import { fixtureNames, loadFixture, loadValidators, ownContract } from '../codegen/fixtures.js'
import { conformanceOf, type DerivedScenario, derivedOf } from './derived-scenarios.js'

const own = await ownContract()
const contracts: readonly (readonly [string, Contract])[] = [
  ['the own contract', own],
  ...(await Promise.all(fixtureNames.map(async (name) => [name, await loadFixture(name)] as const))),
]

const none = new Map<string, JsonValue>()
const filled = (value: JsonValue) => fill(value, none)
const isExample = ({ id }: DerivedScenario) => /^derived\/[^/]+\/example/.test(id)
/** Null for an optional parameter counts as absent, so a case with it refuses nothing. */
const isAbsent = ({ id, steps: [{ expect }] }: DerivedScenario) =>
  id.endsWith('-null') && expect?.body !== undefined
const isRefused = ({ steps: [{ expect }] }: DerivedScenario) =>
  JSON.stringify(expect) === '{"error":{"code":-32602}}'

t.test('the loader accepts every case, and ids are unique', async (t) => {
  for (const [name, contract] of everyNth(2, contracts)) {
    const conformance = conformanceOf(contract)
    const loaded = scenariosOf(conformance as unknown as JsonValue, 'conformance.json')
    t.equal(loaded.length, conformance.scenarios.length, name)
    t.ok(
      loaded.every(({ group, origin, builtIn }) => group === 'derived' && origin === 'derived' && !builtIn),
      name,
    )
  }
})

t.test('the validators refuse each invalid request and accept each example', async (t) => {
  // The contract of this repository comes first.
  for (const [name, contract] of everyNth(2, contracts)) {
    const validators = await loadValidators(contract)
    let refused = 0
    for (const scenario of derivedOf(contract)) {
      const [{ call, params }] = scenario.steps
      const problems = validators[String(filled(call))]?.params(filled(params)) ?? []
      if (isExample(scenario) || isAbsent(scenario)) continue
      if (!isRefused(scenario)) t.fail(`${scenario.id} is neither an example nor a refusal`)
      if (problems.length === 0) t.fail(`${scenario.id}: ${JSON.stringify(params)} is valid`)
      refused++
    }
    t.pass(`${name}: ${refused} refusals`)
  }
})

t.test('examples are sent unchanged, whatever they contain, unless the contract refuses them', async (t) => {
  for (const [name, contract] of contracts) {
    const validators = await loadValidators(contract)
    const scenarios = derivedOf(contract).filter(isExample)
    const answered = contract.methods.filter(({ result }) => result)
    const shown = answered.flatMap((method) =>
      method.examples
        .filter((example) => {
          const params = sentParams(method, exampleGiven(method, example))
          return example.error !== undefined || validators[method.name]?.params(params).length === 0
        })
        .map(({ params }) => [method.name, params.map(({ value }) => value)] as const),
    )
    t.same(
      scenarios.map(({ steps: [{ call, params }] }) => [filled(call), Object.values(filled(params) ?? {})]),
      shown,
      name,
    )
  }
})

t.test('names with a special meaning are handled as names', async (t) => {
  const scenarios = derivedOf(await loadFixture('hostile'))
  const methodsTried = new Set(scenarios.map(({ steps: [{ call }] }) => filled(call)))
  for (const name of ['__proto__', 'constructor', 'a/b', `\`$\{x}\``, 'eth call ', '*/', '日本']) {
    t.ok(methodsTried.has(name), name)
  }
  t.ok(
    scenarios.every(({ id }) => /^derived\/[^/\s*?]+\/[^/\s*?]+$/u.test(id)),
    'ids have three parts, without wildcards',
  )
  t.ok(
    scenarios.every(({ scenario }) => !/[\p{Cc}\u2028]/u.test(scenario)),
    'sentences are one line',
  )
})

t.test('every method of the contract is tested with a reasonable number of cases', async (t) => {
  const { scenarios, contract } = conformanceOf(own)
  t.match(contract, { title: own.title, version: own.version, sha256: /^[0-9a-f]{64}$/ })
  t.ok(scenarios.length >= 250 && scenarios.length <= 500, String(scenarios.length))
  const tried = new Set(scenarios.map(({ steps: [{ call }] }) => call))
  t.same([...tried], Object.keys(methods))
  const writing = scenarios.filter(({ effect }) => effect === 'write')
  t.same([...new Set(writing.map(({ steps: [{ call }] }) => call))], ['eth_sendRawTransaction'])
})

t.test('the rules and schemas that the contract ties to cases exist', async (t) => {
  const rules = new Set(
    arrayMember(own.info, 'x-rules').flatMap((rule) => (isObject(rule) ? stringMember(rule, 'id') : [])),
  )
  const used = derivedOf(own).flatMap((scenario) => [scenario['rule'] ?? []].flat())
  t.ok(used.length > 0)
  for (const rule of new Set(used)) t.ok(rules.has(String(rule)), String(rule))
  const keys = new Set(own.schemas.map(({ key }) => key))
  for (const entry of arrayMember(own.info, 'x-derived-rules')) {
    if (!isObject(entry)) throw new TypeError('an entry is an object')
    t.ok(rules.has(stringMember(entry, 'rule')), String(entry['rule']))
    for (const key of arrayMember(entry, 'schemas')) t.ok(keys.has(String(key)), String(key))
    t.ok(used.includes(member(entry, 'rule') ?? null), `${stringMember(entry, 'rule')} is tested`)
  }
})

t.test('every rule of an example belongs to its method or to the whole service', async (t) => {
  const document = JSON.parse(
    await readFile(new URL('../../../../openrpc.json', import.meta.url), 'utf8'),
  ) as {
    info: { 'x-rules': readonly { id: string }[] }
    methods: readonly {
      name: string
      'x-rules': readonly string[]
      examples: readonly Record<string, unknown>[]
    }[]
  }
  const ofMethods = new Set(document.methods.flatMap((method) => method['x-rules']))
  const ofService = document.info['x-rules'].map(({ id }) => id).filter((id) => !ofMethods.has(id))
  for (const method of document.methods) {
    for (const example of method.examples) {
      for (const rule of (example['x-rules'] ?? []) as readonly string[]) {
        t.ok([...ofService, ...method['x-rules']].includes(rule), `${example['name']}: ${rule}`)
      }
    }
  }
})
