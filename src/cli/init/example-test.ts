import { quote } from '../../toolkit/codegen/index.js'
import { arrayMember } from '../../toolkit/contract/index.js'
import type { StandIn } from './stand-ins.js'

/** Maximum number of generated tests. They are examples and will be replaced. */
const testsMost = 5

/**
 * Creates service.test.ts. It does not depend on types of single methods, so that compile errors after a
 * change of the contract appear in the handlers only.
 * @param contract the name of the contract's package
 * @param standIns the stand-ins of all methods
 */
export function exampleTest(contract: string, standIns: readonly StandIn[]): string {
  const callable = standIns.filter(isCallable)
  const shown = callable.filter(isShown).slice(0, testsMost)
  const missing = callable.find((standIn) => standIn.kind === 'missing' && needsNothing(standIn))
  const options = `{ methods, handlers, context${standIns.some(needsScopes) ? ', scopes: () => undefined' : ''} }`
  if (shown.length > 0)
    return testFile(
      contract,
      options,
      exampleCases(contract, shown),
      `import { examples } from '${contract}/examples'\n`,
    )
  return testFile(contract, options, missing ? missingCase(missing) : unknownCase(contract))
}

/** Returns true if the method requires scopes. */
export function needsScopes({ method }: StandIn): boolean {
  return arrayMember(method.extensions, 'x-scopes').length > 0
}

/**
 * Returns false for names such as `constructor` that every object inherits, because clients do not have them.
 */
export function isCallable({ path }: StandIn): boolean {
  return path.every((part) => !(part in {}))
}

/** Returns true if a method can be called without parameters. */
export function needsNothing({ method }: StandIn): boolean {
  return method.params.every(({ required }) => !required)
}

/** Returns true if the stand-in answers a call with the first example. */
export function isShown({ kind, method, examples: [first] }: StandIn): boolean {
  if (kind !== 'example' || !first?.example.result) return false
  // Clients pass list items as arguments, and an object only if parameters are sent by name.
  return Array.isArray(first.params)
    ? method.paramStructure !== 'by-name'
    : method.paramStructure === 'by-name'
}

function exampleCases(contract: string, standIns: readonly StandIn[]): string {
  return `const shown: Readonly<Record<string, readonly { readonly params: unknown; readonly result?: unknown }[]>> = examples

// To do: call methods with \`createClient(server.url)\` from ${contract}/client and check their results.
for (const method of [
${standIns.map(({ method }) => `  ${quote(method.name)},\n`).join('')}]) {
  test(\`\${method} returns the result of its example\`, async () => {
    const [example] = shown[method] ?? []
    assert.ok(example, 'the contract shows a result')
    assert.deepEqual((await call(method, example.params)).result, example.result)
  })
}
`
}

function missingCase({ method }: StandIn): string {
  return `// To do: implement the method, then check its result.
test(${quote(`${method.name} is not implemented yet`)}, async () => {
  assert.match((await call(${quote(method.name)})).error?.message ?? '', /is not implemented yet/)
})
`
}

const unknownCase = (
  contract: string,
) => `// To do: call the methods of the contract with \`createClient(server.url)\` from ${contract}/client.
test('an unknown method is rejected', async () => {
  assert.equal((await call('no such method')).error?.code, -32601)
})
`

function testFile(contract: string, options: string, cases: string, imports = ''): string {
  return `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServer } from '@concordat/server'
${imports}import { methods } from '${contract}/methods'
import { handlers } from './handlers.js'
import type { Caller } from './parts.js'

const context = () => ({ name: 'tester' })
const server = await createServer<Caller>(${options}).listen({ port: 0 })
after(() => server.close())

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function call(method: string, params?: unknown): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return JSON.parse(await (await fetch(server.url, { method: 'POST', headers, body })).text())
}

${cases}`
}
