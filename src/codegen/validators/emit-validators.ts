import type { DeclaredError, Method } from '../../contract/index.js'
import type { Emitted, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { indent, indentRest, literalKey, memberName, quote } from '../text.js'
import { labelName } from '../types/identifiers.js'
import { compileData } from './compile.js'
import { formatsText } from './formats-text.js'
import { multiplesText } from './multiples-text.js'
import { runtimeText } from './runtime-text.js'

/**
 * Emits validators.js: the schemas of every method compiled to functions without imports. Each method has an export,
 * so that bundlers can leave the others out.
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
  const code = exported.join('') + table.join('')
  const data = hasErrorData(source) ? errors.map((error) => dataEntry(source, error)).join('') : ''
  const own = `${code}${data}`
  const content = `${codeHeader(source)}${runtimeText}${data === '' ? '' : dataText}${formatsText(own)}${multiplesText(own)}
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

function methodText({ compiled }: Source, method: Method): string {
  const { first, every } = compiled(method)
  const params = method.params.map(({ name, required }) => `{ name: ${quote(name)}, required: ${required} }`)
  const parts = [
    quote(method.paramStructure),
    `[${params.join(', ')}]`,
    compiling(first),
    ...(every === undefined ? [] : [compiling(every)]),
  ]
  return `/* @__PURE__ */ method(\n${parts.map((part) => `${indent(part)},\n`).join('')})`
}

/** Returns true if the contract declares a schema for the data of at least one error. */
export function hasErrorData({ contract }: Pick<Source, 'contract'>): boolean {
  return contract.errors.some(({ data }) => data !== undefined)
}

function dataEntry({ contract }: Source, { key, pointer, data, dataRequired }: DeclaredError): string {
  const code = compiling(compileData(contract, data ?? { pointer, schema: false }))
  return `${indent(`${literalKey(key)}: /* @__PURE__ */ dataValidator(${dataRequired}, ${code}),`)}\n`
}

const dataText = `
function dataValidator(required, compile) {
  const exports = {}
  compile(exports)
  return (data) => {
    if (data === undefined) return required ? [{ path: '', rule: 'required', message: 'is missing' }] : none
    const told = []
    check(data, '', { first: exports.data }, told)
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

function compiling(code: string): string {
  return `(exports) => {\n${code}\n}`
}
