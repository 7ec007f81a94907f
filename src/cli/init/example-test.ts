import { access, quote } from '../../codegen/text.js'
import type { StandIn } from './stand-ins.js'

/** So many tests show how; more would only have to be thrown away. */
const testsMost = 5

/** service.test.ts: calls through the typed client to a server of its own. */
export function exampleTest(standIns: readonly StandIn[]): string {
  const callable = standIns.filter(isCallable)
  const shown = callable.filter(isShown).slice(0, testsMost)
  const missing = callable.filter((standIn) => standIn.kind === 'missing' && needsNothing(standIn))
  if (shown.length > 0) return testFile(shown.map(exampleCase), 'examples')
  if (missing.length > 0) return testFile(missing.slice(0, 1).map(missingCase), 'client')
  return testFile([unknownCase], 'neither')
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

function exampleCase({ method, path }: StandIn): string {
  const params = method.paramStructure === 'by-name' ? 'example.params' : '...example.params'
  return `// To do: call it with parameters of your own, and expect what you want.
test(${quote(`${method.name} answers as the contract shows`)}, async () => {
  const example = examples${access(method.name)}[0]
  assert.deepEqual(await client${path.map(access).join('')}(${params}), example.result)
})
`
}

function missingCase({ method, path }: StandIn): string {
  return `// To do: write the method, then expect what it should answer.
test(${quote(`${method.name} is not implemented yet`)}, async () => {
  await assert.rejects(client${path.map(access).join('')}(), /is not implemented yet/)
})
`
}

const unknownCase = `// To do: call the methods of the contract through \`createClient(server.url)\` from generated/client.ts.
test('a method that the contract does not have is refused', async () => {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'no such method' }),
  })
  assert.equal(JSON.parse(await response.text()).error.code, -32601)
})
`

function testFile(tests: readonly string[], needs: 'examples' | 'client' | 'neither'): string {
  const imports = [
    ...(needs === 'neither' ? [] : ["import { createClient } from '../generated/client.js'\n"]),
    ...(needs === 'examples' ? ["import { examples } from '../generated/examples.js'\n"] : []),
  ]
  const client = needs === 'neither' ? '' : 'const client = createClient(server.url)\n'
  return `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServer } from 'concordat/server'
${imports.join('')}import { methods } from '../generated/methods.js'
import { handlers } from '../src/handlers.js'

const server = await createServer({ methods, handlers }).listen({ port: 0 })
${client}after(() => server.close())

${tests.join('\n')}`
}
