import {
  type Contract,
  type DeclaredError,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  objectMember,
  type Param,
} from '../../../contract/index.js'
import { connectionRoles } from '../../connection-roles.js'
import type { Source } from '../../generated-file.js'
import { indentRest, literal, literalKey, quote } from '../../text.js'
import { freeName } from '../../types/identifiers.js'
import { isPlain, type MemberPaths, pathOf } from '../member-paths.js'

/** The names of the members of a client that are not methods of the contract. */
export type ClientMemberNames = Readonly<Record<'batch' | 'request' | 'quota', string>>

/** Returns the names of the client's own members. They differ if a method or a namespace has that name. */
export function clientMemberNames(paths: MemberPaths): ClientMemberNames {
  const taken = new Set([...paths.values()].map(([first = '']) => first))
  const [batch, request, quota] = ['batch', 'request', 'quota'].map((name) => freeName(name, taken))
  return { batch: `${batch}`, request: `${request}`, quota: `${quota}` }
}

/** Returns the runtime table. Members with the default value are left out. */
export function clientTable(source: Source, names: ClientMemberNames): string {
  const { contract } = source
  const { errors, info } = contract
  const others = {
    transient: transientCodes(contract),
    limits: requestLimits(info),
    names: Object.fromEntries(Object.entries(names).filter(([name, used]) => name !== used)),
  }
  return `{
  methods: ${tableBlock(methodEntries(source, connectionRoles(contract).plain))},
  errors: ${tableBlock(errors.map(({ key, code }) => `${literalKey(key)}: ${code}`))},
${Object.entries(others)
  .filter(([, value]) => Object.keys(value).length > 0)
  .map(([name, value]) => `  ${name}: ${literal(value)},\n`)
  .join('')}}`
}

/** Returns the entries of methods in the runtime table. */
export function methodEntries({ contract, paths }: Source, methods: readonly Method[]): readonly string[] {
  const isShared = ({ key, code }: DeclaredError) =>
    contract.errors.some((other) => other.key !== key && other.code === code)
  return methods.map((method) => methodEntry(paths, method, isShared))
}

/** Returns a member of the runtime table: an object with the given entries. */
export function tableBlock(entries: readonly string[]): string {
  if (entries.length === 0) return '{}'
  return `{\n${entries.map((entry) => `    ${indentRest(indentRest(entry))},\n`).join('')}  }`
}

/** Returns the limits of a request that the client respects (`x-limits`). */
function requestLimits(info: JsonObject): JsonObject {
  const limits = objectMember(info, 'x-limits')
  return Object.fromEntries(
    ['batchItems', 'bodyBytes'].flatMap((name) => {
      const value = member(objectMember(limits, name), 'value')
      return typeof value === 'number' ? [[name, value]] : []
    }),
  )
}

/**
 * Returns the codes of the errors that only unavailable services answer: all their failures (`x-failures`)
 * have the HTTP status 502, 503 or 504.
 */
function transientCodes({ info, errors }: Contract): readonly number[] {
  const failures = Object.values(objectMember(info, 'x-failures') ?? {})
  return errors.flatMap(({ key, code }) => {
    const statuses = failures
      .filter((failure) => isObject(failure) && failure['error'] === key)
      .map((failure) => member(failure as JsonObject, 'httpStatus'))
    const isTransient =
      statuses.length > 0 && statuses.every((status) => [502, 503, 504].includes(Number(status)))
    return isTransient ? [code] : []
  })
}

function methodEntry(
  paths: MemberPaths,
  method: Method,
  isShared: (error: DeclaredError) => boolean,
): string {
  const { name, params, paramStructure, result, errors, extensions } = method
  const ambiguous = errors.filter(isShared).map(({ key }) => key)
  const members = [
    ...(isPlain(paths, method) ? [] : [`path: ${literal(pathOf(paths, method))}`]),
    ...(params.length > 0 ? [`params: ${literal(params.map(paramData))}`] : []),
    ...(paramStructure === 'by-position' ? [] : [`paramStructure: ${quote(paramStructure)}`]),
    ...(result ? [] : ['notification: true']),
    ...(ambiguous.length > 0 ? [`errors: ${literal(ambiguous)}`] : []),
    ...(extensions['x-effect'] === 'read' ? [`effect: 'read'`] : []),
    ...(extensions['x-batchable'] === true ? ['batchable: true'] : []),
  ]
  const key = `${literalKey(name)}: `
  if (members.length === 0) return `${key}{}`
  const line = `${key}{ ${members.join(', ')} }`
  if (line.length <= 98 && !line.includes('\n')) return line
  return `${key}{\n${members.map((text) => `  ${indentRest(text)},\n`).join('')}}`
}

function paramData({ name, default: preset }: Param): JsonValue {
  return preset === undefined ? name : [name, preset]
}
