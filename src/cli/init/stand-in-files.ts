import type { GeneratedFile } from '../../toolkit/codegen/index.js'
import { indentRest, literalKey, quote } from '../../toolkit/codegen/index.js'
import type { StandIn } from './stand-ins.js'

/**
 * Creates handlers.ts and the files that its stand-ins need. It compiles and runs.
 * @param contract the name of the contract's package
 */
export function standInFiles(contract: string, standIns: readonly StandIn[]): readonly GeneratedFile[] {
  const has = (kind: StandIn['kind']) => standIns.some((standIn) => standIn.kind === kind)
  const imports = [
    `import type { Handlers } from '${contract}/service'\n`,
    ...(has('example') ? ["import { fromExamples } from './from-examples.js'\n"] : []),
    ...(has('subscription') ? ["import { itemsFromExamples } from './items-from-examples.js'\n"] : []),
    ...(has('missing') ? ["import { notImplemented } from './not-implemented.js'\n"] : []),
  ]
  const body = branch(standIns.map((standIn) => ({ standIn, path: standIn.path })))
  const handlers = `${imports.join('')}
/**
 * The implementation of the contract. Parameters are validated, passed by name, and include defaults.
 * Results are validated before they are sent. To return an error of the contract, throw it:
 * \`throw methodErrors.someMethod.someError()\` from ${contract}/errors.
 *
 * To do: replace each line with the implementation of the method.
 */
export const handlers: Handlers = ${body}
`
  return [
    { path: 'service/src/handlers.ts', content: handlers },
    ...(has('example')
      ? [{ path: 'service/src/from-examples.ts', content: fromExamplesText(contract) }]
      : []),
    ...(has('subscription')
      ? [{ path: 'service/src/items-from-examples.ts', content: itemsFromExamplesText(contract) }]
      : []),
    ...(has('missing') ? [{ path: 'service/src/not-implemented.ts', content: notImplementedText }] : []),
  ]
}

interface Placed {
  readonly standIn: StandIn
  readonly path: readonly string[]
}

/** Formats an object with a function for each method and an object for each namespace. */
function branch(placed: readonly Placed[]): string {
  const byKey = new Map<string, Placed[]>()
  for (const { standIn, path } of placed) {
    const [key = '', ...rest] = path
    byKey.set(key, [...(byKey.get(key) ?? []), { standIn, path: rest }])
  }
  if (byKey.size === 0) return '{}'
  const members = [...byKey].map(([key, inside]) => {
    const [first] = inside
    const value = first?.path.length === 0 ? handler(first.standIn) : branch(inside)
    return `  ${literalKey(key)}: ${indentRest(value)},\n`
  })
  return `{\n${members.join('')}}`
}

function handler({ kind, method, notification }: StandIn): string {
  const name = quote(method.name)
  if (kind === 'subscription' && notification !== undefined)
    return `itemsFromExamples(${quote(notification.name)})`
  if (kind === 'example') return `fromExamples(${name})`
  return kind === 'missing' ? `() => notImplemented(${name})` : '() => {}'
}

const fromExamplesText = (contract: string) => `import { isDeepStrictEqual } from 'node:util'
import { type JsonValue, type MethodDescriptor, RpcError } from '@concordat/rpc'
import { examples } from '${contract}/examples'
import { methods } from '${contract}/methods'

interface Example {
  readonly params: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonValue }
}

/**
 * Examples by method. Types of single methods are not used, so that this compiles after the contract changes.
 */
const examplesOf: Readonly<Record<string, readonly Example[]>> = examples
const methodsOf: Readonly<Record<string, MethodDescriptor>> = methods

/**
 * Stands in for a method until it is implemented: returns the example with these parameters, or the first
 * with a result.
 */
export function fromExamples<Result>(method: string): (params: object) => Result {
  return (params) => {
    const shown = examplesOf[method] ?? []
    const same = shown.find((example) => isDeepStrictEqual(named(method, example.params), { ...params }))
    const found = same ?? shown.find(({ error }) => error === undefined) ?? shown[0]
    if (!found) throw new TypeError(\`the contract no longer has an example of \${method}\`)
    if (found.error) throw new RpcError(found.error)
    return found.result as Result
  }
}

/** Converts parameters to the form that handlers receive: by name and with defaults. */
function named(method: string, sent: unknown): object {
  const declared = methodsOf[method]?.params ?? []
  const members: Readonly<Record<string, unknown>> = { ...(sent as object) }
  return Object.fromEntries(
    declared.flatMap(({ name, default: preset }, at) => {
      const key = Array.isArray(sent) ? String(at) : name
      const value = Object.hasOwn(members, key) ? members[key] : preset
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
`

const itemsFromExamplesText = (contract: string) => `import { examples } from '${contract}/examples'
import { methods } from '${contract}/methods'

/**
 * Examples and parameters by method. Types of single methods are not used, so that this compiles after the contract
 * changes.
 */
const examplesOf: Readonly<Record<string, readonly { readonly params: unknown }[]>> = examples
const methodsOf: Readonly<Record<string, { readonly params: readonly { readonly name: string }[] }>> = methods

/**
 * Stands in for a subscription until it is implemented: sends the items of the notification's examples, then ends.
 * @param notification the method whose second parameter is the item
 */
export function itemsFromExamples<Item>(notification: string): () => AsyncIterable<Item> {
  const item = methodsOf[notification]?.params[1]?.name ?? ''
  return async function* () {
    for (const { params } of examplesOf[notification] ?? []) {
      yield (Array.isArray(params) ? params[1] : (params as Readonly<Record<string, unknown>>)[item]) as Item
    }
  }
}
`

const notImplementedText = `import { RpcError } from '@concordat/rpc'

/** JSON-RPC 2.0, section 5.1: the code of an internal error. */
const internalError = -32603

/** Stands in for a method until it is implemented. */
export function notImplemented(method: string): never {
  throw new RpcError({ code: internalError, message: \`\${method} is not implemented yet\` })
}
`
