import type { JsonObject, JsonValue, MethodDescriptor, ValidationProblem } from '../rpc/index.js'
import type { PositionalParams } from './protocol-options.js'

/** Parameters ready to be called with, or what is wrong with them. */
export type ReadParams =
  | { readonly params: PositionalParams; readonly problems?: undefined }
  | { readonly problems: readonly ValidationProblem[] }

/**
 * Brings a request's parameters into the contract's order, checks them, and fills in the contract's defaults
 * (OpenRPC 1.3, `paramStructure`; JSON-RPC 2.0, section 4.2). An absent list counts as an empty one.
 */
export function readParams(
  method: MethodDescriptor,
  params: readonly JsonValue[] | JsonObject | undefined,
): ReadParams {
  if (params === undefined) return checkList(method, [])
  if (isList(params)) {
    if (method.paramStructure === 'by-name' && params.length > 0) {
      return wrongStructure('parameters are given by name, as an object')
    }
    return checkList(method, params)
  }
  if (method.paramStructure === 'by-position') return wrongStructure('parameters are positional, in a list')
  return checkNamed(method, params)
}

function checkList(method: MethodDescriptor, params: readonly JsonValue[]): ReadParams {
  const problems = method.validateParams(params)
  return problems.length > 0 ? { problems } : { params: withDefaults(method, params) }
}

function checkNamed(method: MethodDescriptor, named: JsonObject): ReadParams {
  const list: (JsonValue | undefined)[] = []
  const leftOut = new Set<number>()
  const known = new Set<string>()
  const problems: ValidationProblem[] = []
  for (const [position, { name, required }] of method.params.entries()) {
    known.add(name)
    if (Object.hasOwn(named, name)) list[position] = named[name]
    else if (required) problems.push({ path: pointer(name), rule: 'required', message: 'is missing' })
    else leftOut.add(position)
  }
  for (const name of Object.keys(named)) {
    if (known.has(name)) continue
    problems.push({ path: pointer(name), rule: 'additionalProperties', message: 'is no parameter' })
  }
  if (problems.length > 0) return { problems }
  const params = withDefaults(method, list)
  const broken = method.validateParams(params).filter(({ path }) => !concernsAny(path, leftOut, params))
  if (broken.length === 0) return { params }
  return { problems: broken.map((problem) => ({ ...problem, path: byName(method, problem.path) })) }
}

function withDefaults(method: MethodDescriptor, params: PositionalParams): PositionalParams {
  let filled: (JsonValue | undefined)[] | undefined
  const declared = method.params
  for (let position = 0; position < declared.length; position++) {
    const preset = declared[position]?.default
    if (preset === undefined || params[position] !== undefined) continue
    filled ??= [...params]
    while (filled.length < position) filled.push(undefined)
    filled[position] = preset
  }
  return filled ?? params
}

/** A schema has no word for a gap in a list, so what it says about one is no problem. */
function concernsAny(path: string, leftOut: ReadonlySet<number>, params: PositionalParams): boolean {
  const position = Number(path.split('/')[1])
  return leftOut.has(position) && params[position] === undefined
}

function byName(method: MethodDescriptor, path: string): string {
  const [, position = '', ...rest] = path.split('/')
  const name = method.params[Number(position)]?.name
  return path === '' || name === undefined ? path : [pointer(name), ...rest].join('/')
}

function pointer(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function wrongStructure(message: string): ReadParams {
  return { problems: [{ path: '', rule: 'paramStructure', message }] }
}

function isList(params: readonly JsonValue[] | JsonObject): params is readonly JsonValue[] {
  return Array.isArray(params)
}
