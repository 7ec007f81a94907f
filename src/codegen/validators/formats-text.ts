import { formatPatterns } from '../../contract/index.js'
import { literalKey } from '../text.js'

/**
 * Returns the format validators that compiled schemas use, or an empty string if they use none.
 * @param code compiled code, which refers to them as members of `formats`
 */
export function formatsText(code: string): string {
  const found = [...code.matchAll(/^ *const formats\d+ = formats(?:\.(\w+)|\["([^"]+)"\]);$/gm)]
  const names = [...new Set(found.map(([, word, quoted]) => word ?? quoted ?? ''))].sort()
  if (names.length === 0) return ''
  return `
/** Formats that the contract uses (JSON Schema draft-07 validation, section 7.3). */
const formats = {
${names.map((name) => `  ${literalKey(name)}: ${checkText(name)},\n`).join('')}}
${names.includes('regex') ? isPatternText : ''}`
}

function checkText(name: string): string {
  const pattern = formatPatterns[name]
  return pattern === undefined ? 'isPattern' : `(text) => ${String(pattern)}.test(text)`
}

const isPatternText = `
/** Returns true if the text is a regular expression. */
function isPattern(text) {
  try {
    compilePattern(text, 'u')
    return true
  } catch {
    return false
  }
}
`
