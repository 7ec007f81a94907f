import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import type { JsonValue } from '../../../src/runtime/rpc/index.js'
import { completeResult } from '../../../src/service/gateway/methods/answers.js'
import { type NodeCall, normaliseResult } from '../../../src/service/gateway/nodes/index.js'
import { compile, type Json, readAuthored } from './authored-contract.js'
import { type NetworkSample, networkSamples } from './network-samples.js'

/** Recorded answers of the real network, beside the checkout where present. They are not part of this project. */
const folder = new URL('../../../../shared/rootstock/methods/', import.meta.url)
const specification = new URL('../../../../shared/spec/service-specification.md', import.meta.url)
const decisions = new URL(
  '../../../docs/decisions/0055-what-the-specification-leaves-open.md',
  import.meta.url,
)
const contract = readAuthored()

function samplesBeside(): NetworkSample[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as NetworkSample,
  )
}

/** One sample for each method: hand-made ones in the network's form, and recorded ones where present. */
const sources = Object.entries({ 'made by hand': networkSamples, 'of the network': samplesBeside() }).filter(
  ([from, samples]) => from === 'made by hand' || samples.length > 0,
)

/** Excerpts end in dots and are skipped. */
const whole = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replaceAll(/(0x(?:[0-9a-f]{2})*)[0-9a-f]?\.\.\./g, '$1')) as Json

/** Answers the extra request that the service sends for missing members: the price of a transaction. */
const priced: NodeCall = async () => ({ result: { gasPrice: '0x387ee40' } })

for (const [from, samples] of sources) {
  t.test(`answers of the network match the contract: ${from}`, async (t) => {
    t.equal(samples.length, contract.methods.length, 'one for each method')
    for (const sample of samples) {
      const method = contract.methods.find(({ name }) => name === sample.method)
      const validate = compile(method?.result.schema ?? {})
      for (const { result } of sample.responses) {
        if (result === undefined) continue
        const { method: name } = sample
        const normal = normaliseResult(name, [], whole(result) as JsonValue) ?? null
        const answer = await completeResult(priced, name, [], normal)
        t.ok(validate(answer), `${sample.method}: ${JSON.stringify(validate.errors)}`)
      }
    }
  })

  t.test(
    `calls to the network match the contract, except for the state override that it lacks: ${from}`,
    async (t) => {
      for (const { method: name, requests } of samples) {
        const params = contract.methods.find((method) => method.name === name)?.params ?? []
        for (const [index, request] of requests.entries()) {
          if (request.params.length > params.length) {
            t.same([name, request.params.length], ['eth_call', 3], 'a surplus parameter')
            continue
          }
          const valid = request.params.map((value, at) => compile(params[at]?.schema ?? {})(value))
          t.notOk(valid.includes(false), `${name}, call ${index + 1}`)
        }
      }
    },
  )
}

/** Sections of the specification that say "not shown", with the number of the item where they have one. */
const openSections = ['1', '2.5', '3', '5.1', '5.5', '5.6', '6', '7.4', '7.5', '8', '9']

t.test('every section that says "not shown" has a decision', async (t) => {
  const table = readFileSync(decisions, 'utf8').matchAll(/^\| (\d[\d.]*) \| ([^|]+) \| ([^|]+) \|$/gm)
  const rows = [...table]
  const decided = rows.map(([, section]) => section)
  t.equal(new Set(rows.map(([, , question]) => question)).size, rows.length, 'each question once')
  for (const [row, , , decision] of rows) t.match(decision, /\.$/, row)
  for (const section of openSections) t.ok(decided.includes(section), section)
  if (!existsSync(specification)) return t.comment('no specification beside this checkout to compare with')
  const found = new Set<string>()
  let section = ''
  for (const line of readFileSync(specification, 'utf8').split('\n')) {
    section = /^##+ (\d(?:\.\d)?)/.exec(line)?.[1] ?? section
    if (!/not shown|None is shown|No authentication header is shown/i.test(line)) continue
    const item = /^(\d)\. /.exec(line)?.[1]
    found.add(item && !section.includes('.') ? `${section}.${item}` : section)
  }
  t.same([...found], openSections)
})
