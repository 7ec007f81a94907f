/** A piece of a template's text: text as it stands, or a variable and what is added to it. */
export type TemplatePart =
  | { readonly text: string }
  | { readonly variable: string; readonly add: bigint; readonly source: string }

/** As the schema has it for what a scenario captures. */
const NAME = String.raw`[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*`
const PLACEHOLDER = new RegExp(String.raw`^\s*(${NAME}(?:\.${NAME})*)(?:\s*([+-])\s*(\d+))?\s*$`)

/**
 * Splits text at its `${name}`, `${name + 1}` and `${name - 1}`; `$${` stands for `${` itself.
 * @returns in words what is wrong where a `${` is not closed or holds something else
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
      if (end < 0) return '"${" is not closed; write "$${" where it stands for itself'
      const source = text.slice(at, end + 1)
      const match = PLACEHOLDER.exec(source.slice(2, -1))
      if (!match) return `"${source}" is no variable: write "\${name}", "\${name + 1}" or "\${name - 1}"`
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
