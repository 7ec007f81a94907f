import type { Emitter } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { quote } from '../text.js'

/** Emits document.ts: the contract document, which the server loads for its first `rpc.discover`. */
export const emitDocument: Emitter = (source) => {
  const text = quote(JSON.stringify(source.contract.bundled()))
  const content = `${codeHeader(source)}/** The contract document as JSON text, with the parts of all its files. */
export const document: string = ${text}
`
  return { path: 'document.ts', content }
}
