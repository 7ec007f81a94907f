import type { Method } from '../contract/index.js'
import type { Emitted, Source } from './generated-file.js'
import { codeHeader } from './header.js'
import { indent, literalKey, memberName, quote } from './text.js'
import { formatsText } from './validators/formats-text.js'
import { multiplesText } from './validators/multiples-text.js'
import { runtimeText } from './validators/runtime-text.js'

/** validators.js: the schemas of every method as functions that need nothing but the language. */
export function emitValidators(source: Source): Emitted {
  const entries = source.contract.methods.map((method) => methodEntry(source, method))
  const code = entries.join('')
  const content = `${codeHeader(source)}${runtimeText}${formatsText(code)}${multiplesText(code)}
/** Checks of parameters, as they are sent, and of results, by the method's name on the wire. */
export const validators = {
${code}}
`
  return { path: 'validators.js', content }
}

/** validators.d.ts: their types. */
export function emitValidatorTypes(source: Source): Emitted {
  const members = source.contract.methods.map(
    ({ name }) =>
      `  readonly ${memberName(name)}: { readonly params: Validator; readonly result: Validator }\n`,
  )
  const content = `${codeHeader(source)}import type { Validator } from 'concordat/rpc'

/** Checks of parameters, as they are sent, and of results, by the method's name on the wire. */
export declare const validators: {
${members.join('')}}
`
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

function compiling(code: string): string {
  return `(exports) => {\n${code}\n}`
}
