import type { Emitter } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { quote } from '../text.js'

/** Emits document.ts: the published document, which the server loads for its first `rpc.discover`. */
export const emitDocument: Emitter = (source) => {
  const text = quote(JSON.stringify(source.contract.published()))
  const content = `${codeHeader(source)}/** The published document as JSON text: all files in one, without private terms. */
export const document: string = ${text}
`
  return { path: 'document.ts', content }
}
