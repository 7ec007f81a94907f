import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { conformCommand } from '../../../../src/cli/conform/conform.js'
import { mockBanner } from '../../../../src/cli/mock/mock-banner.js'
import {
  type Contract,
  ContractError,
  createSchemaChecker,
  type JsonObject,
  type JsonValue,
  loadContract,
  type Method,
} from '../../../../src/toolkit/contract/index.js'
import { createValues, NoValueError, seededValue } from '../../../../src/toolkit/values/index.js'
import { copyPublicDocuments } from '../../../support/public-documents.js'
import { everyNth, isLong } from '../../../support/runs.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { fixtureNames, fixturePath } from '../codegen/fixtures.js'
import { startMock } from './start-mock.js'

const { installed, beside } = await copyPublicDocuments(await temporaryFolder(t))
const fixtures = fixtureNames.map(fixturePath)

/** Unsatisfiable schemas of the fixtures that exist for them. */
const impossible = new Set(['boolean-schemas', 'constructs', 'contradictions'])
const seeds = isLong ? ['one', 'two', 'three', 'four'] : ['one', 'two']

/** Loads a document; undefined when it has dangling references. */
async function contractAt(path: string): Promise<Contract | undefined> {
  try {
    return await loadContract(path)
  } catch (error) {
    if (error instanceof ContractError) return undefined
    throw error
  }
}

/** Valid calls of a contract, with and without optional parameters. */
function callsOf(contract: Contract): readonly { readonly method: Method; readonly params: JsonValue }[] {
  const { valid } = createValues(contract)
  return contract.methods
    .filter(({ result }) => result !== undefined)
    .flatMap((method) => seeds.flatMap((seed) => callOf(method, seed) ?? []))

  function callOf(method: Method, seed: string) {
    const isShort = seed === seeds[0]
    const given = isShort ? method.params.filter(({ required }) => required) : method.params
    try {
      const values = given.map(
        ({ name, schema }) => [name, seededValue(valid([schema]), seed + name)] as const,
      )
      const isNamed =
        method.paramStructure === 'by-name' || given.some((param, at) => param !== method.params[at])
      if (isNamed && method.paramStructure === 'by-position') return undefined
      return {
        method,
        params: isNamed ? (Object.fromEntries(values) as JsonObject) : values.map(([, value]) => value),
      }
    } catch (error) {
      // No valid call exists.
      if (error instanceof NoValueError) return undefined
      throw error
    }
  }
}

let answeredInAll = 0

/** Documents of other authors, which may be unusable or have unsatisfiable schemas. */
const foreign = new Set(beside)

for (const path of [...fixtures, ...installed, ...beside]) {
  const name = path.replace(/^.*\/|\.\w+$/g, '')
  t.test(`${name}: answers to valid calls are valid`, async (t) => {
    const contract = await contractAt(path)
    if (contract === undefined)
      return void t.ok(foreign.has(path), 'another document has a dangling reference')
    const fits = createSchemaChecker(contract)
    const { ask, mock, url, reports } = await startMock(t, contract)
    const { result } = await ask('rpc.discover', [])
    t.same(result, contract.published())
    t.notMatch(JSON.stringify(result), /"\$ref":"[^#]/, 'one document')
    t.notMatch(
      mockBanner(contract, mock, url, 'seed'),
      /[^\n\x20-\x7e\u00a0-\uffff]/,
      'no terminal control characters',
    )
    let answered = 0
    for (const { method, params } of callsOf(contract)) {
      const { result, error } = await ask(method.name, params)
      const said = `${method.name} ${JSON.stringify(params)}: ${JSON.stringify(error ?? result)}`.slice(
        0,
        500,
      )
      if (isShown(method, { result, error })) continue
      if (error === undefined) {
        answered += 1
        const problems = method.result ? fits(method.result.schema, result ?? null) : []
        if (problems.length > 0) t.same(problems, [], said)
      } else {
        // Public documents and one fixture have unsatisfiable schemas.
        if (!foreign.has(path) && !impossible.has(name)) t.fail(said)
        t.match(error, { code: -32603, message: /^No value could be generated for the schema at #\// }, said)
      }
    }
    t.same(reports, [])
    answeredInAll += answered
  })
}

t.test('most calls are answered with a value', async (t) => {
  t.ok(answeredInAll >= 50 * seeds.length, `${answeredInAll} answers`)
})

/** True for the answer of an example, which is returned unchanged. */
function isShown(
  method: Method,
  { result, error }: { result?: JsonValue | undefined; error?: JsonValue | undefined },
): boolean {
  return method.examples.some((example) =>
    error === undefined
      ? isDeepStrictEqual(example.result?.value, result)
      : isDeepStrictEqual(example.error, error),
  )
}

const judged = everyNth(6, fixtures)

t.test('the independent conformance runner finds no deviation in a mock of a fixture', async (t) => {
  for (const path of judged) {
    const contract = await contractAt(path)
    if (contract === undefined) return void t.fail(path)
    const { code, out } = await conform(t, contract, path)
    t.equal(code, 0, `${path}\n${out}`)
  }
})

async function conform(t: Test, contract: Contract, path: string) {
  const { url } = await startMock(t, contract)
  const lines: string[] = []
  const write = (text: string) => void lines.push(text)
  const args = [url, '--contract', path, '--assume-read', '*', '--allow', 'write']
  const code = await conformCommand(args, { out: write, err: write, env: {} })
  return { code, out: lines.join('\n') }
}
