/**
 * A pattern as an expression: by code points where it can be read so, since JSON Schema counts in them; else as older
 * authors wrote it, such as with `\-` outside brackets (draft-07 validation, 6.3.3).
 */
export function compilePattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}
