import type { DeclaredError, Method } from '../../contract/index.js'
import type { Emitted, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { indent, literalKey, memberName, quote } from '../text.js'
import { compileData } from './compile.js'
import { formatsText } from './formats-text.js'
import { multiplesText } from './multiples-text.js'
import { runtimeText } from './runtime-text.js'

/** Emits validators.js: the schemas of every method compiled to functions without imports. */
export function emitValidators(source: Source): Emitted {
  const { methods, errors } = source.contract
  const code = methods.map((method) => methodEntry(source, method)).join('')
  const data = hasErrorData(source) ? errors.map((error) => dataEntry(source, error)).join('') : ''
  const own = `${code}${data}`
  const content = `${codeHeader(source)}${runtimeText}${data === '' ? '' : dataText}${formatsText(own)}${multiplesText(own)}
/** Validators of parameters (as sent) and results, keyed by method name. */
export const validators = {
${code}}
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
  const members = source.contract.methods.map(
    ({ name }) =>
      `  readonly ${memberName(name)}: { readonly params: Validator; readonly result: Validator }\n`,
  )
  const data = source.contract.errors.map(({ key }) => `  readonly ${memberName(key)}: Validator\n`)
  const content = `${codeHeader(source)}import type { Validator } from '@concordat/rpc'

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

function methodEntry({ compiled }: Source, method: Method): string {
  const { first, every } = compiled(method)
  const params = method.params.map(({ name, required }) => `{ name: ${quote(name)}, required: ${required} }`)
  const parts = [
    quote(method.paramStructure),
    `[${params.join(', ')}]`,
    compiling(first),
    ...(every === undefined ? [] : [compiling(every)]),
  ]
  return `  ${literalKey(method.name)}: method(\n${parts.map((part) => `${indent(indent(part))},\n`).join('')}  ),\n`
}

/** Returns true if the contract declares a schema for the data of at least one error. */
export function hasErrorData({ contract }: Pick<Source, 'contract'>): boolean {
  return contract.errors.some(({ data }) => data !== undefined)
}

function dataEntry({ contract }: Source, { key, pointer, data, dataRequired }: DeclaredError): string {
  const code = compiling(compileData(contract, data ?? { pointer, schema: false }))
  return `${indent(`${literalKey(key)}: dataValidator(${dataRequired}, ${code}),`)}\n`
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

function compiling(code: string): string {
  return `(exports) => {\n${code}\n}`
}
