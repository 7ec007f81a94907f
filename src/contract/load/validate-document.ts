import { validateOpenRPCDocument } from '@open-rpc/schema-utils-js'
import { ContractError, type ContractProblem } from '../contract-error.js'
import { isObject, type JsonObject, type JsonValue, member } from '../json.js'
import { joinPointer, pointerTokens } from '../json-pointer.js'
import { extensionProblems } from './extension-problems.js'
import { kindOf, type MetaFault, metaMessage, metaProblems } from './meta-problems.js'

type MetaDocument = Parameters<typeof validateOpenRPCDocument>[0]

/** An error as the meta-schema's validator reports it: `dataPath` is a JavaScript property path. */
interface MetaError extends MetaFault {
  readonly dataPath: string
}

/**
 * Checks a document against OpenRPC's meta-schema and the extensions that it declares (OpenRPC 1.0 to 1.4).
 * @throws ContractError naming the places that break it
 */
export function validateDocument(document: JsonValue): asserts document is JsonObject {
  const problems = documentProblems(document)
  if (problems.length > 0) throw new ContractError(problems)
}

/** True for an object that is meant to be an OpenRPC document, whatever is wrong with it. */
export function isOpenRpcDocument(document: JsonValue): document is JsonObject {
  return isObject(document) && ['openrpc', 'methods'].some((name) => Object.hasOwn(document, name))
}

/** Every place in which a document breaks OpenRPC's meta-schema or the extensions that it declares. */
export function documentProblems(document: JsonValue): readonly ContractProblem[] {
  if (!isObject(document)) {
    const message = `an OpenRPC document is an object with "openrpc", "info" and "methods"; this is ${kindOf(document)}`
    return [{ pointer: '#', message }]
  }
  const version = versionProblems(document)
  if (!isOpenRpcDocument(document)) return version
  const declarations = extensionProblems(document)
  const { 'x-extensions': declared, ...others } = document
  const faults = metaFaults({
    ...others,
    ...(version.length > 0 && { openrpc: '1.3.2' }),
    ...(declared !== undefined && declarations.length === 0 && { 'x-extensions': declared }),
  })
  // Extensions whose declarations cannot be applied look like unknown members.
  const isUnjudged = ({ pointer }: ContractProblem) =>
    declarations.length > 0 && pointerTokens(pointer)?.at(-1)?.startsWith('x-') === true
  return [...version, ...declarations, ...faults.filter((fault) => !isUnjudged(fault))]
}

function metaFaults(document: JsonObject): readonly ContractProblem[] {
  let verdict: ReturnType<typeof validateOpenRPCDocument>
  try {
    verdict = validateOpenRPCDocument(document as unknown as MetaDocument)
  } catch (cause) {
    return [{ pointer: '#', message: refusal(cause) }]
  }
  if (verdict === true) return []
  const all = metaProblems(document)
  return all.length > 0 ? all : reportedProblems(verdict.message)
}

/** The versions that the validator knows by name; it takes any 1.4.N beside them. */
const versions = /^1\.(0\.0(-rc[01])?|1\.(\d|1[0-2])|2\.[0-6]|3\.[0-2]|4\.\d+)$/

function versionProblems(document: JsonObject): readonly ContractProblem[] {
  const version = member(document, 'openrpc')
  if (version === undefined) {
    const other = ['openapi', 'swagger', 'asyncapi'].find((name) => Object.hasOwn(document, name))
    const hint = other === undefined ? '' : `; "${other}" makes it a document of another kind`
    const message = `no OpenRPC document: the member "openrpc" with its version is missing${hint}`
    return [{ pointer: '#', message }]
  }
  if (typeof version === 'string' && versions.test(version)) return []
  const shown = JSON.stringify(version) ?? ''
  const message =
    typeof version === 'string'
      ? `OpenRPC version ${shown} is not known: use "1.3.2", or another from 1.0.0 to 1.3.2 or of 1.4`
      : `the version must be a text in quotes such as "1.3.2", not ${shown}`
  return [{ pointer: '#/openrpc', message }]
}

function refusal(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  const line = text.split('\n').find((part) => part.startsWith('Error:')) ?? text.split('\n')[0] ?? text
  return `the extensions cannot be applied: ${line.replace(/^Error: /, '')}`
}

/**
 * The errors of the validator that decides, for what it alone sees. The meta-schema says `oneOf(thing, reference)` at
 * every level, so that one mistake is reported as many: what counts are the innermost errors, without those of the
 * reference's side.
 */
function reportedProblems(message: string): readonly ContractProblem[] {
  const errors = JSON.parse(message.slice(message.indexOf('['))) as readonly MetaError[]
  const located = errors.map((error) => ({ error, pointer: pointerOfPath(error.dataPath) }))
  const inner = located.filter(
    ({ pointer }) => !located.some((other) => other.pointer.startsWith(`${pointer}/`)),
  )
  const telling = inner.filter(({ error }) => !isNoise(error, errors))
  const problems = (telling.length > 0 ? telling : inner).map(({ error, pointer }) => ({
    pointer,
    message: metaMessage(error),
  }))
  return problems.filter(
    (problem, at) =>
      problems.findIndex((p) => p.pointer === problem.pointer && p.message === problem.message) === at,
  )
}

function isNoise(error: MetaError, all: readonly MetaError[]): boolean {
  if (['oneOf', 'anyOf', 'allOf', 'if'].includes(error.keyword)) return true
  if (error.keyword === 'required' && error.params?.['missingProperty'] === '$ref') return true
  const others = all.filter((e) => e.dataPath === error.dataPath && e.keyword !== 'type')
  if (error.keyword === 'type' && others.some((e) => !['oneOf', 'anyOf'].includes(e.keyword))) return true
  const sameRequired = all.some((e) => e.keyword === 'required' && e.dataPath === error.dataPath)
  const ofReference =
    error.keyword === 'additionalProperties' && error.params?.['additionalProperty'] === 'name'
  return ofReference && sameRequired
}

/** `.methods[0]['a b']` as `#/methods/0/a b`; a quote inside such a name is not always escaped. */
function pointerOfPath(path: string): string {
  const tokens: string[] = []
  for (const match of path.matchAll(/\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\['(.*?)'\](?=[.[]|$)/gs)) {
    tokens.push(match[1] ?? match[2] ?? (match[3] ?? '').replaceAll("\\'", "'"))
  }
  return joinPointer('#', ...tokens)
}
