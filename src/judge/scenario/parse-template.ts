/** A part of a template string: literal text, or a variable with an offset. */
export type TemplatePart =
  | { readonly text: string }
  | { readonly variable: string; readonly add: bigint; readonly source: string }

/** Same pattern as in the schema of scenario files. */
const NAME = String.raw`[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*`
const PLACEHOLDER = new RegExp(String.raw`^\s*(${NAME}(?:\.${NAME})*)(?:\s*([+-])\s*(\d+))?\s*$`)

/**
 * Splits text at `${name}`, `${name + 1}` and `${name - 1}`. `$${` is a literal `${`.
 * @returns the parts, or an error message if a `${` is not closed or has other content
 */
export function parseTemplate(text: string): readonly TemplatePart[] | string {
  const parts: TemplatePart[] = []
  let plain = ''
  let at = 0
  while (at < text.length) {
    if (text.startsWith('$${', at)) {
      plain += '${'
      at += 3
    } else if (text.startsWith('${', at)) {
      const end = text.indexOf('}', at)
      if (end < 0) return '"${" is not closed; write "$${" for a literal "${"'
      const source = text.slice(at, end + 1)
      const match = PLACEHOLDER.exec(source.slice(2, -1))
      if (!match) return `"${source}" is not a variable: write "\${name}", "\${name + 1}" or "\${name - 1}"`
      if (plain !== '') parts.push({ text: plain })
      plain = ''
      const amount = BigInt(match[3] ?? 0)
      parts.push({ variable: match[1] ?? '', add: match[2] === '-' ? -amount : amount, source })
      at = end + 1
    } else {
      plain += text[at]
      at++
    }
  }
  if (plain !== '') parts.push({ text: plain })
  return parts
}
