import { ContractError, type ContractProblem } from '../contract-error.js'
import { isObject, type JsonObject, type JsonValue, member } from '../json.js'
import { pointerTokens } from '../json-pointer.js'
import { declarationProblems } from './extension-declarations.js'
import { kindOf, metaProblems } from './meta-problems.js'
import { defaultsAsDocument, defaultsProblems } from './method-defaults.js'
import { schemaLimitProblems } from './schema-limits.js'

/**
 * Checks a document against OpenRPC's meta-schema and its declared extensions (OpenRPC 1.0 to 1.4).
 * @param document the parsed document
 * @throws ContractError with all violations
 */
export function validateDocument(document: JsonValue): asserts document is JsonObject {
  const problems = documentProblems(document)
  if (problems.length > 0) throw new ContractError(problems)
}

/** Returns true for an object that is meant to be an OpenRPC document, even if it is invalid. */
export function isOpenRpcDocument(document: JsonValue): document is JsonObject {
  return isObject(document) && ['openrpc', 'methods'].some((name) => Object.hasOwn(document, name))
}

/** Finds all violations of OpenRPC's meta-schema and of the declared extensions. */
export function documentProblems(document: JsonValue): readonly ContractProblem[] {
  if (!isObject(document)) {
    const message = `an OpenRPC document is an object with "openrpc", "info" and "methods", not ${kindOf(document)}`
    return [{ pointer: '#', message }]
  }
  const version = versionProblems(document)
  if (!isOpenRpcDocument(document)) return version
  const declarations = declarationProblems(document)
  const { 'x-extensions': declared, ...others } = document
  const judged = {
    ...others,
    ...(version.length > 0 && { openrpc: '1.3.2' }),
    ...(declared !== undefined && declarations.length === 0 && { 'x-extensions': declared }),
  }
  const faults = [...metaFaults(judged), ...defaultsFaults(judged), ...schemaLimitProblems(judged)]
  // Members of an invalid extension declaration would be reported as unknown members.
  const isUnjudged = ({ pointer }: ContractProblem) =>
    declarations.length > 0 && pointerTokens(pointer)?.at(-1)?.startsWith('x-') === true
  return [...version, ...declarations, ...faults.filter((fault) => !isUnjudged(fault))]
}

/** Finds what cannot be a default, and defaults that a method could not have. */
function defaultsFaults(document: JsonObject): readonly ContractProblem[] {
  const method = defaultsAsDocument(document)
  const faults = method === undefined ? [] : metaFaults(method.document)
  const placed = faults.flatMap((fault) => {
    const pointer = method?.placeOf(fault.pointer)
    return pointer === undefined ? [] : [{ ...fault, pointer }]
  })
  return [...defaultsProblems(document), ...placed]
}

function metaFaults(document: JsonObject): readonly ContractProblem[] {
  try {
    return metaProblems(document)
  } catch (cause) {
    return [{ pointer: '#', message: refusal(cause) }]
  }
}

/** Versions that the validator supports by name. It also accepts any 1.4.N. */
const versions = /^1\.(0\.0(-rc[01])?|1\.(\d|1[0-2])|2\.[0-6]|3\.[0-2]|4\.\d+)$/

function versionProblems(document: JsonObject): readonly ContractProblem[] {
  const version = member(document, 'openrpc')
  if (version === undefined) {
    const other = ['openapi', 'swagger', 'asyncapi'].find((name) => Object.hasOwn(document, name))
    const hint = other === undefined ? '' : `. This looks like an "${other}" document`
    const message = `not an OpenRPC document: the member "openrpc" with the version is missing${hint}`
    return [{ pointer: '#', message }]
  }
  if (typeof version === 'string' && versions.test(version)) return []
  const shown = JSON.stringify(version) ?? ''
  const message =
    typeof version === 'string'
      ? `unknown OpenRPC version ${shown}: use 1.0.0 to 1.3.2, or 1.4`
      : `the version must be a string such as "1.3.2", not ${shown}`
  return [{ pointer: '#/openrpc', message }]
}

function refusal(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  const line = text.split('\n').find((part) => part.startsWith('Error:')) ?? text.split('\n')[0] ?? text
  return `the extensions cannot be applied: ${line.replace(/^Error: /, '')}`
}
