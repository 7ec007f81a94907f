import { formatPatterns } from '../../contract/index.js'
import { literalKey } from '../text.js'

/**
 * The checks of the formats that compiled schemas name, as the generated file's own; empty where they name none.
 * @param code what was compiled: it refers to them as members of `formats`
 */
export function formatsText(code: string): string {
  const found = [...code.matchAll(/^ *const formats\d+ = formats(?:\.(\w+)|\["([^"]+)"\]);$/gm)]
  const names = [...new Set(found.map(([, word, quoted]) => word ?? quoted ?? ''))].sort()
  if (names.length === 0) return ''
  return `
/** The formats that the contract's schemas name (JSON Schema draft-07 validation, section 7.3). */
const formats = {
${names.map((name) => `  ${literalKey(name)}: ${checkText(name)},\n`).join('')}}
${names.includes('regex') ? isPatternText : ''}`
}

function checkText(name: string): string {
  const pattern = formatPatterns[name]
  return pattern === undefined ? 'isPattern' : `(text) => ${String(pattern)}.test(text)`
}

const isPatternText = `
/** True for the text of a regular expression. */
function isPattern(text) {
  try {
    compilePattern(text, 'u')
    return true
  } catch {
    return false
  }
}
`
