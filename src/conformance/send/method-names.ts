/** A text as somebody may read it who is not strict about case, width and characters that cannot be seen. */
export function looseForm(text: string): string {
  // Printable ASCII has no other width and no hidden characters.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\p{Cf}\ufeff]/gu, '')
    .toLowerCase()
}

/** A method's name in a JSON text, and whether it stands where a request has it, alone or in a batch. */
export interface FoundName {
  readonly name: string
  readonly isCall: boolean
}

/**
 * Every text that a JSON text gives to a member `method`: each of several in one object, since parsers differ in which
 * one they take, and in any case of its letters, since some parsers do not tell them apart.
 * @returns undefined where the text is no JSON
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

/** The brackets of a JSON text, and its strings; the name of a member with its colon. */
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
