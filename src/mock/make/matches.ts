import { compilePattern } from '../../contract/index.js'

const compiled = new Map<string, RegExp>()

/** Whether a text matches a pattern of the contract, anywhere in it (draft-07 validation, section 6.3.3). */
export function matches(pattern: string, text: string): boolean {
  const known = compiled.get(pattern)
  const expression = known ?? compilePattern(pattern, 'u')
  if (known === undefined) compiled.set(pattern, expression)
  return expression.test(text)
}
