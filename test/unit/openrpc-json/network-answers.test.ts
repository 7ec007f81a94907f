import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { compile, type Json, type Members, readAuthored } from './authored-contract.js'

/** Answers of the real network, kept beside the checkout where there are any: they are not part of this project. */
const folder = new URL('../../../../shared/rootstock/methods/', import.meta.url)
const specification = new URL('../../../../shared/spec/service-specification.md', import.meta.url)
const contract = readAuthored()

interface Sample {
  method: string
  requests: { params: Json[] }[]
  responses: { result?: Json }[]
}

function readSamples(): Sample[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Sample)
}
const samples = readSamples()

/** Excerpts end in dots: what they leave out is left out. */
const whole = (value: Json): Json =>
  JSON.parse(JSON.stringify(value).replaceAll(/(0x(?:[0-9a-f]{2})*)[0-9a-f]?\.\.\./g, '$1')) as Json

/** What the service adds to answers of nodes that lack it. */
function completed(kind: string, value: Json): Json {
  const object = value as Members
  if (kind === 'receipt') return { effectiveGasPrice: '0x387ee40', ...object }
  if (kind === 'transactionByIndex')
    return { _id: `${object['blockHash']}-${object['transactionIndex']}`, ...object }
  return value
}

t.test('the answers of the network follow the contract', async (t) => {
  if (samples.length === 0) return t.comment('no answers of the network beside this checkout')
  t.equal(samples.length, contract.methods.length, 'one file a method')
  for (const sample of samples) {
    const method = contract.methods.find(({ name }) => name === sample.method)
    const validate = compile(method?.result.schema ?? {})
    for (const { result } of sample.responses) {
      if (result === undefined) continue
      const answer = completed(method?.['x-result-kind'] ?? '', whole(result))
      t.ok(validate(answer), `${sample.method}: ${JSON.stringify(validate.errors)}`)
    }
  }
})

t.test(
  'the calls to the network follow the contract, but for the state override that it does not offer',
  async (t) => {
    if (samples.length === 0) return t.comment('no calls to the network beside this checkout')
    for (const { method: name, requests } of samples) {
      const params = contract.methods.find((method) => method.name === name)?.params ?? []
      for (const [index, request] of requests.entries()) {
        if (request.params.length > params.length) {
          t.same([name, request.params.length], ['eth_call', 3], 'one parameter too many')
          continue
        }
        const valid = request.params.map((value, at) => compile(params[at]?.schema ?? {})(value))
        t.notOk(valid.includes(false), `${name}, call ${index + 1}`)
      }
    }
  },
)

t.test('every section that says "not shown" has a decision', async (t) => {
  if (!existsSync(specification)) return t.comment('no specification beside this checkout')
  const decided = contract.info['x-decisions'].map(({ section }) => section)
  let section = ''
  for (const line of readFileSync(specification, 'utf8').split('\n')) {
    section = /^##+ (\d(?:\.\d)?)/.exec(line)?.[1] ?? section
    if (!/not shown|None is shown|No authentication header is shown/i.test(line)) continue
    const item = /^(\d)\. /.exec(line)?.[1]
    const wanted = item && !section.includes('.') ? `${section}.${item}` : section
    t.ok(decided.includes(wanted), `${wanted}: ${line}`)
  }
})

t.test('decisions are unique and said in words', async (t) => {
  const decisions = contract.info['x-decisions']
  t.equal(new Set(decisions.map(({ id }) => id)).size, decisions.length)
  for (const { id, decision } of decisions) t.match(decision, /\.$/, id)
})
