/**
 * Compiles a pattern of a schema. JSON Schema counts code points, so the given flags are tried first. Older
 * patterns such as `\-` outside brackets are invalid with the `u` flag and compile without flags (draft-07
 * validation, 6.3.3).
 * @param source the pattern
 * @param flags flags to try first
 * @throws SyntaxError when the pattern is invalid with and without flags
 */
export function compilePattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}
