import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JsonValue, MethodDescriptor, RpcError } from '@concordat/rpc'
import { createServer, type Methods } from '@concordat/server'
import fc from 'fast-check'
import { type Contract, isObject, type LocatedSchema } from '../../../../../src/toolkit/contract/index.js'
import { createValues } from '../../../../../src/toolkit/values/index.js'

/** How a client notices that a server has another contract. */
export type Symptom = 'refused' | 'wrong answer' | 'other meaning'

/** A contract with its generated code. */
export interface Generated {
  readonly contract: Contract
  readonly methods: Methods & Readonly<Record<string, MethodDescriptor>>
  readonly createClient: (url: string) => Readonly<Record<string, ClientMethod>>
  readonly isRpcError: (error: unknown, name?: string) => boolean
  /** Absent for a contract without errors. */
  readonly methodErrors?: Readonly<Record<string, Readonly<Record<string, () => RpcError>>>>
}

type ClientMethod = (...params: readonly unknown[]) => Promise<JsonValue | undefined>

/** Loads the modules that were generated into a folder. */
export async function loadGenerated(contract: Contract, folder: string): Promise<Generated> {
  const names = ['methods.ts', 'client.ts', 'errors.ts']
  const modules = await Promise.all(names.map((name) => import(pathToFileURL(join(folder, name)).href)))
  return Object.assign({}, ...modules, { contract })
}

/** Generated values for each schema. The rows add the values that matter. */
const samples = 6

/** Runs the client of one contract against a server of another, and returns what goes wrong. */
export async function symptomsOf(
  client: Generated,
  server: Generated,
  values: readonly JsonValue[],
): Promise<ReadonlySet<Symptom>> {
  const received: { params?: Readonly<Record<string, JsonValue>> } = {}
  let answer: () => JsonValue = () => null
  const handlers = Object.fromEntries(
    Object.keys(server.methods).map((name) => [
      name,
      (params: Readonly<Record<string, JsonValue>>) => {
        received.params = params
        return answer()
      },
    ]),
  )
  const found = new Set<Symptom>()
  const running = await createServer({
    methods: server.methods,
    handlers: handlers as never,
    onError: () => {},
  }).listen({ port: 0, host: '127.0.0.1' })
  try {
    const calls = client.createClient(running.url)
    for (const method of client.contract.methods) {
      const call = calls[method.name] as ClientMethod
      const own = client.methods[method.name] as MethodDescriptor
      const other = server.contract.methods.find(({ name }) => name === method.name)
      const results = other?.result ? valuesOf(server, other.result.schema, values, other.name) : [null]
      const all = paramsOf(client, method.name, values)
      for (let at = 0; at < Math.max(all.length, results.length); at++) {
        const params = all[at % all.length] ?? []
        answer = () => (other?.result ? (results[at % results.length] ?? null) : undefined) as JsonValue
        delete received.params
        try {
          const result = await call(...argumentsOf(own, params))
          if (method.result && own.validateResult(result ?? null).length > 0) found.add('wrong answer')
          if (hasOtherMeaning(own, params, server.methods[method.name], received.params))
            found.add('other meaning')
        } catch (error) {
          found.add(client.isRpcError(error) ? 'refused' : 'wrong answer')
        }
      }
      for (const [name, create] of Object.entries(server.methodErrors?.[method.name] ?? {})) {
        if (!own.errors?.includes(name)) continue
        answer = () => {
          throw create()
        }
        const [params = []] = all
        const error = await call(...argumentsOf(own, params)).catch((cause: unknown) => cause)
        if (!client.isRpcError(error, name)) found.add('wrong answer')
      }
    }
  } finally {
    await running.close()
  }
  return found
}

/** True if a URL that old clients use is no longer in the new contract. */
export function losesServer(old: Contract, next: Contract): boolean {
  return old.servers.some(({ url }) => !next.servers.some((server) => server.url === url))
}

/** Values that a schema allows: generated ones, and those of the row. */
function valuesOf(
  { contract, methods }: Generated,
  schema: LocatedSchema,
  values: readonly JsonValue[],
  method: string,
): readonly JsonValue[] {
  const { validateResult } = methods[method] as MethodDescriptor
  const generated = fc.sample(createValues(contract, { varied: true }).valid([schema]), {
    numRuns: samples,
    seed: 1,
  })
  return [...generated, ...values].filter(
    (value) => validateResult(value).length === 0,
  ) as readonly JsonValue[]
}

/** Lists of parameters that a method allows. `undefined` stands for an omitted parameter. */
function paramsOf(
  { contract, methods }: Generated,
  name: string,
  values: readonly JsonValue[],
): readonly (readonly (JsonValue | undefined)[])[] {
  const { params } = contract.methods.find((method) => method.name === name) ?? { params: [] }
  const { validateParams } = methods[name] as MethodDescriptor
  const { valid } = createValues(contract, { varied: true })
  const columns = params.map(({ schema, required }) => [
    ...(required ? [] : [undefined]),
    ...fc.sample(valid([schema]), { numRuns: samples, seed: 1 }),
    ...values,
  ])
  const length = Math.max(1, ...columns.map((column) => column.length))
  const lists = Array.from({ length }, (_, at) => columns.map((column) => column[at % column.length]))
  const isValid = (list: readonly (JsonValue | undefined)[]) =>
    validateParams(wireParams(methods[name] as MethodDescriptor, list)).length === 0
  return lists.filter(isValid)
}

/** The parameters as sent: by name, or by position without omitted ones at the end. */
function wireParams(
  { params, paramStructure }: MethodDescriptor,
  list: readonly (JsonValue | undefined)[],
): unknown {
  if (paramStructure !== 'by-name')
    return list.slice(0, list.findLastIndex((value) => value !== undefined) + 1)
  return Object.fromEntries(
    params.flatMap(({ name }, at) => (list[at] === undefined ? [] : [[name, list[at]]])),
  )
}

/** The arguments of the generated client: an object for parameters by name. */
function argumentsOf(method: MethodDescriptor, list: readonly (JsonValue | undefined)[]): readonly unknown[] {
  const isObject = method.params.length > 0 && method.paramStructure === 'by-name'
  return isObject ? [wireParams(method, list)] : list
}

/** True if a handler received another value than the client meant, in which defaults count as sent. */
function hasOtherMeaning(
  own: MethodDescriptor,
  list: readonly (JsonValue | undefined)[],
  other: MethodDescriptor | undefined,
  received: Readonly<Record<string, JsonValue>> | undefined,
): boolean {
  if (!other || !received) return false
  return own.params.some((param, at) => {
    const meant = list[at] ?? param.default
    const name = own.paramStructure === 'by-name' ? param.name : other.params[at]?.name
    const got = name === undefined ? undefined : received[name]
    return meant !== undefined && sorted(got) !== sorted(meant)
  })
}

function sorted(value: JsonValue | undefined): string {
  return JSON.stringify(value, (_, inner: JsonValue) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1))) : inner,
  )
}
