import { quote } from '../../codegen/text.js'
import type { StandIn } from './stand-ins.js'

/** So many tests show how; more would only have to be thrown away. */
const testsMost = 5

/**
 * service.test.ts: calls to a server of its own. Nothing in it depends on generated types of single methods, so that
 * the compiler reports a changed contract in the handlers alone.
 */
export function exampleTest(standIns: readonly StandIn[]): string {
  const callable = standIns.filter(isCallable)
  const shown = callable.filter(isShown).slice(0, testsMost)
  const missing = callable.find((standIn) => standIn.kind === 'missing' && needsNothing(standIn))
  if (shown.length > 0)
    return testFile(exampleCases(shown), "import { examples } from '../generated/examples.js'\n")
  return testFile(missing ? missingCase(missing) : unknownCase)
}

/** Members that every object has are no members of a client. */
export function isCallable({ path }: StandIn): boolean {
  return path.every((part) => !(part in {}))
}

/** A call without parameters is one. */
export function needsNothing({ method }: StandIn): boolean {
  return method.params.every(({ required }) => !required)
}

/** The first example is what a call with its parameters is answered with. */
export function isShown({ kind, method, examples: [first] }: StandIn): boolean {
  if (kind !== 'example' || !first?.example.result) return false
  // A client takes a list's items one by one, and an object where parameters go by name only.
  return Array.isArray(first.params)
    ? method.paramStructure !== 'by-name'
    : method.paramStructure === 'by-name'
}

function exampleCases(standIns: readonly StandIn[]): string {
  return `const shown: Readonly<Record<string, readonly { readonly params: unknown; readonly result?: unknown }[]>> = examples

// To do: call methods through \`createClient(server.url)\` from generated/client.ts, and expect what they should answer.
for (const method of [
${standIns.map(({ method }) => `  ${quote(method.name)},\n`).join('')}]) {
  test(\`\${method} answers as the contract shows\`, async () => {
    const [example] = shown[method] ?? []
    assert.ok(example, 'the contract shows a result')
    assert.deepEqual((await call(method, example.params)).result, example.result)
  })
}
`
}

function missingCase({ method }: StandIn): string {
  return `// To do: write the method, then expect what it should answer.
test(${quote(`${method.name} is not implemented yet`)}, async () => {
  assert.match((await call(${quote(method.name)})).error?.message ?? '', /is not implemented yet/)
})
`
}

const unknownCase = `// To do: call the methods of the contract through \`createClient(server.url)\` from generated/client.ts.
test('a method that the contract does not have is refused', async () => {
  assert.equal((await call('no such method')).error?.code, -32601)
})
`

function testFile(cases: string, imports = ''): string {
  return `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServer } from 'concordat/server'
${imports}import { methods } from '../generated/methods.js'
import { handlers } from '../src/handlers.js'

const server = await createServer({ methods, handlers }).listen({ port: 0 })
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
