import type { Contract, DeclaredError, Method } from '../../contract/index.js'
import type { Emitted, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { indentRest, literalKey, memberName, quote } from '../text.js'
import { labelName } from '../types/identifiers.js'
import { type ContractCompiler, createCompiler } from './compile.js'
import { formatsText } from './formats-text.js'
import { multiplesText } from './multiples-text.js'
import { runtimeText } from './runtime-text.js'

/**
 * Emits validators.js: functions without imports, one for each schema, and the validators of every method, which call
 * them. Each method has an export, so that bundlers can leave the others out.
 */
export function emitValidators(source: Source): Emitted {
  const { methods, errors } = source.contract
  const names = exportNames(methods)
  const exported = [...names].map(
    ([method, name]) => `export const ${name} = ${methodText(source, method)}\n`,
  )
  const table = methods.map((method) => {
    const value = names.get(method) ?? indentRest(methodText(source, method))
    return value === method.name ? `  ${value},\n` : `  ${literalKey(method.name)}: ${value},\n`
  })
  const data = hasErrorData(source) ? errors.map((error) => dataEntry(source, error)).join('') : ''
  const { code, formats } = source.validators().functions()
  const content = `${codeHeader(source)}${runtimeText}${data === '' ? '' : dataText}${formatsText(formats)}${multiplesText(code)}
${code}
${exported.join('')}
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
  const own = [...exportNames(methods).values()].map(
    (name) => `export declare const ${name}: MethodValidators\n`,
  )
  const data = source.contract.errors.map(({ key }) => `  readonly ${memberName(key)}: Validator\n`)
  const content = `${codeHeader(source)}import type { Validator } from '@concordat/rpc'

/** Validators of a method: of its parameters as sent, and of its result. */
export interface MethodValidators {
  readonly params: Validator
  readonly result: Validator
}

${own.length === 0 ? '' : `${own.join('')}\n`}/** Validators of parameters (as sent) and results, keyed by method name. */
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

/** Names that the module declares or imports itself, and `then`, which would make it look like a promise. */
const taken: ReadonlySet<string> = new Set([
  ...[
    'MethodValidators',
    'Validator',
    'decimal',
    'errorData',
    'formats',
    'isMultipleOf',
    'isPattern',
    'then',
  ],
  'validators',
  ...[...(runtimeText + dataText).matchAll(/^(?:const|function) (\w+)/gm)].map(([, name = '']) => name),
])

/** Creates the compiler of a contract's validators. Its functions get names that the file does not use otherwise. */
export function createValidators(contract: Contract): ContractCompiler {
  return createCompiler(contract, [...taken, ...exportNames(contract.methods).values()])
}
