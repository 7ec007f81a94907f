/** A part of a pattern, as far as texts can be made for it. */
export type PatternNode =
  /** One character of a set, given by its source: `[a-z]`, `\d`, `.`. */
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'character'; readonly text: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly inner: PatternNode; readonly least: number; readonly most: number }
  /** A group, which later parts may refer to. */
  | {
      readonly kind: 'group'
      readonly inner: PatternNode
      readonly number: number
      readonly name: string | undefined
    }
  | { readonly kind: 'reference'; readonly group: string }

const nothing: PatternNode = { kind: 'sequence', parts: [] }

/** Groups may be nested so deep. */
const depthMost = 200

/**
 * Reads an ECMAScript pattern (ECMA-262, section 22.2.1). What only looks at its surroundings (anchors, borders,
 * lookaround) is read as nothing: whoever makes a text holds it against the whole pattern.
 * @returns undefined where it cannot be read
 */
export function parsePattern(source: string): PatternNode | undefined {
  const reader = createReader(source)
  const node = reader.choice(0)
  return reader.isAtEnd() ? node : undefined
}

function createReader(source: string) {
  let at = 0
  let groups = 0

  const rest = () => source.slice(at)
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = pattern.exec(rest()) ?? undefined
    at += found?.[0].length ?? 0
    return found
  }

  function choice(depth: number): PatternNode | undefined {
    if (depth > depthMost) return undefined
    const options: PatternNode[] = []
    do {
      const option = sequence(depth)
      if (!option) return undefined
      options.push(option)
    } while (take(/^\|/))
    return options.length === 1 ? options[0] : { kind: 'choice', options }
  }

  function sequence(depth: number): PatternNode | undefined {
    const parts: PatternNode[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const atom = readAtom(depth)
      if (!atom) return undefined
      parts.push(quantified(atom))
    }
    return { kind: 'sequence', parts }
  }

  function readAtom(depth: number): PatternNode | undefined {
    if (take(/^(?:\^|\$|\\[bB])/)) return nothing
    if (source[at] === '(') return group(depth)
    const reference = take(/^\\(?:k<([^>]+)>|([1-9]\d*))/)
    if (reference) return { kind: 'reference', group: reference[1] ?? reference[2] ?? '' }
    const set = take(/^(?:\[(?:\\[\s\S]|[^\]\\])*\]|\\[dDsSwW]|\\[pP]\{[^}]*\}|\.)/)
    if (set) return { kind: 'set', source: set[0] }
    const text = escaped() ?? take(/^[\s\S]/u)?.[0]
    return text === undefined ? undefined : { kind: 'character', text }
  }

  /** A lookaround is read over: nothing is made for it. */
  function group(depth: number): PatternNode | undefined {
    const opening = take(/^\((?:\?(?:(<?[=!])|<([^>]+)>|[a-z]*(?:-[a-z]+)?:))?/)
    if (!opening) return undefined
    const isCapturing = opening[0] === '(' || opening[2] !== undefined
    if (isCapturing) groups += 1
    const number = isCapturing ? groups : 0
    const inner = choice(depth + 1)
    if (!inner || !take(/^\)/)) return undefined
    if (opening[1] !== undefined) return nothing
    return { kind: 'group', inner, number, name: opening[2] }
  }

  function escaped(): string | undefined {
    const code = take(/^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\})/)
    if (code) return String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '0', 16))
    const control = take(/^\\c([A-Za-z])/)
    if (control) return String.fromCodePoint((control[1]?.codePointAt(0) ?? 0) % 32)
    const simple = take(/^\\([\s\S])/u)
    return simple && (named[simple[1] ?? ''] ?? simple[1])
  }

  function quantified(inner: PatternNode): PatternNode {
    const found = take(/^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/)
    return found ? repeated(inner, found) : inner
  }

  return { choice, isAtEnd: () => at === source.length }
}

/** A part with what a quantifier says: its sign, or the least, whether there is a comma, and the most. */
function repeated(inner: PatternNode, quantifier: readonly (string | undefined)[]): PatternNode {
  const [, sign, stated = '0', comma, most = ''] = quantifier
  if (sign !== undefined) {
    const least = sign === '+' ? 1 : 0
    return { kind: 'repeat', inner, least, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
  }
  const least = Number(stated)
  if (comma === undefined) return { kind: 'repeat', inner, least, most: least }
  return { kind: 'repeat', inner, least, most: most === '' ? Number.POSITIVE_INFINITY : Number(most) }
}

const named: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', 0: '\0' }
