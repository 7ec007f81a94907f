import type { DeclaredError, Method } from '../../contract/index.js'
import type { Emitted, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { indentRest, literalKey, memberName, quote } from '../text.js'
import { labelName } from '../types/identifiers.js'
import { linearPatternText } from './linear-pattern-text.js'
import { formatsText, multiplesText, runtimeText } from './runtime-text.js'

/**
 * Emits validators.js: functions without imports, one for each schema, and the validators of every method, which call
 * them. Each method has an export, so that bundlers can leave the others out.
 */
export function emitValidators(source: Source): Emitted {
  const { methods, errors } = source.contract
  const names = exportNames(methods)
  const own = [...names].map(([method, name]) => `const ${prefix}${name} = ${methodText(source, method)}\n`)
  const table = methods.map((method) => {
    const name = names.get(method)
    const value = name === undefined ? indentRest(methodText(source, method)) : `${prefix}${name}`
    return `  ${literalKey(method.name)}: ${value},\n`
  })
  const data = hasErrorData(source) ? errors.map((error) => dataEntry(source, error)).join('') : ''
  const { code, formats } = source.validators().functions()
  const content = `${codeHeader(source)}${runtimeText}${data === '' ? '' : dataText}${formatsText(formats)}${multiplesText(code)}${linearPatternText(code)}
${code}
${own.join('')}${exportList(names)}
/** Validators of parameters (as sent) and results, keyed by method name. */
export const validators = {
${table.join('')}}
${
  data === ''
    ? ''
    : `
/** Validators of error data, keyed by error name. Omitted data is passed as undefined. */
export const errorData = {
${data}}
`
}`
  return { path: 'validators.js', content }
}

/** Emits validators.d.ts, the types of validators.js. */
export function emitValidatorTypes(source: Source): Emitted {
  const { methods } = source.contract
  const members = methods.map(({ name }) => `  readonly ${memberName(name)}: MethodValidators\n`)
  const names = exportNames(methods)
  const own = [...names.values()].map((name) => `declare const ${prefix}${name}: MethodValidators\n`)
  const data = source.contract.errors.map(({ key }) => `  readonly ${memberName(key)}: Validator\n`)
  const content = `${codeHeader(source)}import type { Validator } from '@concordat/rpc'

/** Validators of a method: of its parameters as sent, and of its result. */
export interface MethodValidators {
  readonly params: Validator
  readonly result: Validator
}

${own.join('')}${exportList(names)}
/** Validators of parameters (as sent) and results, keyed by method name. */
export declare const validators: {
${members.join('')}}
${
  hasErrorData(source)
    ? `
/** Validators of error data, keyed by error name. Omitted data is passed as undefined. */
export declare const errorData: {
${data.join('')}}
`
    : ''
}`
  return { path: 'validators.d.ts', content }
}

/** Prefix of the constants of methods, which no other name of the file has. */
const prefix = 'method_'

/** Returns the statement that exports the constants of methods under their own names. */
function exportList(names: ReadonlyMap<Method, string>): string {
  if (names.size === 0) return ''
  return `export {\n${[...names.values()].map((name) => `  ${prefix}${name} as ${name},\n`).join('')}}\n`
}

/**
 * Returns the names under which methods are exported. A method whose name gives no identifier of its own is only in
 * the table of all validators.
 */
function exportNames(methods: readonly Method[]): ReadonlyMap<Method, string> {
  const named = methods.map((method) => [method, labelName(method.name)] as const)
  return new Map(
    named.filter(([, name]) => !taken.has(name) && named.filter(([, other]) => other === name).length === 1),
  )
}

function methodText({ validators }: Source, method: Method): string {
  const { params, result } = validators().method(method)
  const texts = method.params.map(({ name, required }, at) => {
    const { first, every } = params[at] ?? {}
    const members = [`name: ${quote(name)}`, `required: ${required}`, `first: ${first}`]
    return `\n  { ${[...members, ...(every === undefined ? [] : [`every: ${every}`])].join(', ')} },`
  })
  const list = texts.length === 0 ? '[]' : `[${texts.join('')}\n]`
  const parts = [quote(method.paramStructure), list, ...(result === undefined ? [] : [result])]
  return `/* @__PURE__ */ method(${parts.join(', ')})`
}

/** Returns true if the contract declares a schema for the data of at least one error. */
export function hasErrorData({ contract }: Pick<Source, 'contract'>): boolean {
  return contract.errors.some(({ data }) => data !== undefined)
}

function dataEntry({ validators }: Source, error: DeclaredError): string {
  const { key, dataRequired } = error
  const name = validators().data(error)
  return `  ${literalKey(key)}: /* @__PURE__ */ dataValidator(${dataRequired}, ${name}),\n`
}

const dataText = `
function dataValidator(required, first) {
  return (data) => {
    if (data === undefined) return required ? [{ path: '', rule: 'required', message: 'is missing' }] : none
    const told = []
    check(data, '', { first }, told)
    return told
  }
}
`

/** The other exports, and `then`, which would make the module look like a promise. */
const taken: ReadonlySet<string> = new Set(['MethodValidators', 'errorData', 'then', 'validators'])
