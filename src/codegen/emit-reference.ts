import type { Emitter } from './generated-file.js'
import { markdownHeader } from './header.js'

/** REFERENCE.md */
export const emitReference: Emitter = (source) => {
  return { path: 'REFERENCE.md', content: markdownHeader(source) }
}
