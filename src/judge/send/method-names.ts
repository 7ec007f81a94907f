/** Normalizes text for comparison regardless of case, width and invisible characters. */
export function looseForm(text: string): string {
  // Printable ASCII has no width variants and no invisible characters.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\p{Cf}\ufeff]/gu, '')
    .toLowerCase()
}

/** A method name in a JSON text, and whether it is at the place of a request, alone or in a batch. */
export interface FoundName {
  readonly name: string
  readonly isCall: boolean
}

/**
 * Finds every value of a member `method`. Duplicates count, because parsers choose different ones. Letter
 * case is ignored, because some parsers do so.
 * @returns undefined if the text is not JSON
 */
export function methodNames(text: string): FoundName[] | undefined {
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  try {
    JSON.parse(json)
  } catch {
    return undefined
  }
  const names: FoundName[] = []
  let open = ''
  let key: string | undefined
  for (const token of tokens(json)) {
    if (token === '{' || token === '[') open += token
    else if (token === '}' || token === ']') open = open.slice(0, -1)
    else if (token.endsWith(':')) {
      key = String(JSON.parse(token.slice(0, -1)))
      continue
    } else if (key !== undefined && looseForm(key) === 'method') {
      names.push({ name: String(JSON.parse(token)), isCall: open === '{' || open === '[{' })
    }
    key = undefined
  }
  return names
}

/** Yields brackets and strings of a JSON text. Member names include their colon. */
function* tokens(json: string): Generator<string> {
  for (let index = 0; index < json.length; index++) {
    const character = json[index] ?? ''
    if ('{}[]'.includes(character)) yield character
    if (character !== '"') continue
    const start = index
    do index += json[index] === '\\' ? 2 : 1
    while (json[index] !== '"')
    const end = index + 1
    let next = end
    while (/\s/.test(json[next] ?? '')) next++
    yield json.slice(start, end) + (json[next] === ':' ? ':' : '')
  }
}
