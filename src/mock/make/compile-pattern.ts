/** A pattern as an expression: by code points where it can be read so, as the generated validators do. */
export function compilePattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}

const compiled = new Map<string, RegExp>()

/** Whether a text matches a pattern of the contract, anywhere in it (draft-07 validation, section 6.3.3). */
export function matches(pattern: string, text: string): boolean {
  const known = compiled.get(pattern)
  const expression = known ?? compilePattern(pattern, 'u')
  if (known === undefined) compiled.set(pattern, expression)
  return expression.test(text)
}
