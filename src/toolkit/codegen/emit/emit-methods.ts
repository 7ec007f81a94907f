import {
  type Contract,
  codesWithoutData,
  contractError,
  type DeclaredError,
  facets,
  isObject,
  type Method,
  member,
  memberSchemas,
  objectMember,
  type Param,
} from '../../contract/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { access, docComment, group, indent, indentRest, literal, literalKey, quote } from '../text.js'
import { hasErrorData } from '../validators/emit-validators.js'
import { commonErrors, ownErrorKeys } from './common-errors.js'
import { isPlain, pathOf } from './member-paths.js'

/** Emits methods.ts: the method descriptors that the runtime uses. */
export const emitMethods: Emitter = (source) => {
  const { contract } = source
  const service = contract.methods.length > 0 ? serviceText(source) : undefined
  const checks = hasErrorData(source) ? 'errorData, validators' : 'validators'
  const common = commonErrors(contract.methods)
  const entries = contract.methods.map((method) => methodEntry(source, method, common))
  const shared =
    common.length === 0
      ? ''
      : `
/** The errors that every method declares. */
const commonErrors = ${literal(common.map(({ key }) => key))} as const
`
  const content = `${codeHeader(source)}${service ? "import type { ServiceDescriptor, Validator } from '@concordat/rpc'\n" : ''}${service?.imports ?? ''}${entries.length > 0 ? `import { ${checks} } from './validators.js'\n` : ''}${service?.text ?? ''}${shared}
/** Every method of the contract, keyed by its wire name. */
export const methods = {
${entries.join('')}} as const

/** The wire name of a method. */
export type MethodName = keyof typeof methods
`
  return { path: 'methods.ts', content }
}

/** Returns the facts of the service that all method descriptors share. */
function serviceText(source: Source): { readonly imports: string; readonly text: string } {
  const { contract } = source
  const has = (name: string) => member(contract.info, name) !== undefined
  if (has('x-envelope') && !isObject(member(contract.info, 'x-envelope'))) {
    throw contractError('#/info/x-envelope', 'must be an object')
  }
  const [hasLimits, hasFailures] = ['x-limits', 'x-failures'].map(
    (name) => Object.keys(objectMember(contract.info, name)).length > 0,
  )
  const hasErrors = contract.errors.length > 0
  const declaresDiscover = contract.methods.some(({ name }) => name === 'rpc.discover')
  const document = declaresDiscover
    ? ''
    : "\n  document: async () => (await import('./document.js')).document,"
  return {
    imports: [
      importText({ extensions: has('x-envelope'), limits: hasLimits }, './contract.js'),
      importText({ errorTable: hasErrors, failures: hasFailures }, './errors.js'),
    ].join(''),
    text: `
/** Rules for every request, enforced by the server. */
const service: ServiceDescriptor = {
  ${hasLimits ? 'limits' : 'limits: {}'},
  envelope: ${has('x-envelope') ? "extensions['x-envelope']" : 'undefined'},
  ${hasFailures ? 'failures' : 'failures: {}'},
  errors: ${hasErrors ? errorsText(source) : '{}'},
  withoutData: ${literal(codesWithoutData(contract))},${document}
}
`,
  }
}

/** Returns the import of the needed names, or no text if there are none. */
function importText(names: Readonly<Record<string, boolean | undefined>>, module: string): string {
  const needed = Object.keys(names).filter((name) => names[name])
  return needed.length === 0 ? '' : `import { ${needed.join(', ')} } from '${module}'\n`
}

/** Returns the error table, with data validators if the contract declares schemas for error data. */
function errorsText(source: Source): string {
  if (!hasErrorData(source)) return 'errorTable'
  const entries = source.contract.errors.map(
    ({ key }) =>
      `${literalKey(key)}: { ...errorTable${access(key)}, validateData: errorData${access(key)} },\n`,
  )
  return indentRest(`{\n${indent(entries.join(''))}}`)
}

/** Returns the list of the names of a method's errors. */
function errorKeys(method: Method, common: readonly DeclaredError[]): string {
  const own = ownErrorKeys(method, common)
  if (common.length === 0) return literal(own)
  const names = own.length === 0 ? 'commonErrors' : group('[', ['...commonErrors', ...own.map(quote)], ']')
  return `${names} as readonly string[]`
}

function methodEntry(
  { contract, paths, validators }: Source,
  method: Method,
  common: readonly DeclaredError[],
): string {
  const { name, params, paramStructure, result, statesErrors, extensions } = method
  const { nullable } = validators().method(method)
  const listed = params.map((param, at) => `\n  ${paramEntry(contract, param, nullable.has(at))},`)
  const lines = [
    `name: ${quote(name)},`,
    ...(isPlain(paths, method) ? [] : [`path: ${literal(pathOf(paths, method))},`]),
    'service: service as ServiceDescriptor,',
    `params: [${listed.join('')}${params.length > 0 ? '\n' : ''}],`,
    `paramStructure: ${quote(paramStructure)},`,
    `notification: ${result === undefined},`,
    ...(statesErrors ? [`errors: ${errorKeys(method, common)},`] : []),
    `extensions: ${literal(extensions)},`,
    `validateParams: validators${access(name)}.params as Validator,`,
    `validateResult: validators${access(name)}.result as Validator,`,
  ]
  const doc = docComment([
    method.summary ?? method.description,
    method.deprecated ? '@deprecated' : undefined,
  ])
  return `  ${indentRest(`${doc}${literalKey(name)}: {\n${lines.map((line) => `  ${indentRest(line)}`).join('\n')}\n},`)}\n`
}

function paramEntry(contract: Contract, param: Param, acceptsNull: boolean): string {
  const preset = param.default === undefined ? '' : `, default: ${literal(param.default)}`
  const names = ignoredMembers(contract, param)
  const ignored = names.length === 0 ? '' : `, ignored: ${literal(names)}`
  const nullable = acceptsNull && !param.required ? ', nullable: true' : ''
  return `{ name: ${quote(param.name)}, required: ${param.required}${preset}${nullable}${ignored} }`
}

/**
 * Returns the members that are removed before a handler is called, because their schema is marked
 * `x-ignored`.
 */
function ignoredMembers(contract: Contract, { schema }: Param): readonly string[] {
  const members = [...memberSchemas(facets(contract, [schema]))]
  return members.flatMap(([name, schemas]) =>
    facets(contract, schemas).some(
      (facet) => isObject(facet.schema) && member(facet.schema, 'x-ignored') === true,
    )
      ? [name]
      : [],
  )
}
