import { formatPatterns } from '../../contract/index.js'
import { literalKey } from '../text.js'

/** Returns the validators of formats, or an empty string if there are none. */
export function formatsText(used: readonly string[]): string {
  if (used.length === 0) return ''
  const names = [...used].sort()
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
