import parser, { type AstNode } from 'regjsparser'

/** A pattern that cannot be evaluated in linear time. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/**
 * A pattern as a JSON syntax tree: a single character, or a node with its kind. Repetitions have a minimum and a maximum
 * (null if unbounded). Lookarounds have a direction and a polarity.
 */
export type PatternTree =
  | string
  | readonly ['all' | 'any', ...PatternTree[]]
  | readonly ['times', number, number | null, PatternTree]
  | readonly ['at', Position]
  | readonly ['look', ahead: boolean, wanted: boolean, PatternTree]

type Position = 'start' | 'end' | 'boundary' | 'not-boundary'

/** Maximum number of states of a matcher. The time of a test grows with them and with the length of the text. */
const mostStates = 10_000

const features = { lookbehind: true, namedGroups: true, unicodePropertyEscape: true } as const

type Node = AstNode<typeof features>

/**
 * Reads a pattern (ECMA-262, section 22.2.1).
 * @param source a valid pattern
 * @param flags "u" or none
 * @throws PatternError for a pattern with backreferences, with flags in groups, or with repetitions of too many states
 */
export function patternTree(source: string, flags: string): PatternTree {
  const tree = treeOf(parsed(source, flags))
  if (statesOf(tree) > mostStates) throw new PatternError('has too large repetitions')
  return tree
}

function parsed(source: string, flags: string): Node {
  try {
    return parser.parse(source, flags, features)
  } catch (cause) {
    throw new PatternError('has syntax that is not supported in slow patterns', { cause })
  }
}

function treeOf(node: Node): PatternTree {
  if (node.type === 'alternative') return grouped('all', node.body)
  if (node.type === 'disjunction') return grouped('any', node.body)
  if (node.type === 'group') {
    const { behavior, body } = node
    const inner = grouped('all', body)
    if (behavior === 'normal' || behavior === 'ignore') return inner
    const isWanted = behavior === 'lookahead' || behavior === 'lookbehind'
    return ['look', behavior === 'lookahead' || behavior === 'negativeLookahead', isWanted, inner]
  }
  if (node.type === 'quantifier') {
    const inner = treeOf(node.body[0])
    const most = node.max ?? null
    // Nested unbounded repetitions are equivalent to one.
    const isAny = inner[0] === 'times' && inner[1] === 0 && inner[2] === null
    return isAny && most !== 0 ? inner : ['times', node.min, most, inner]
  }
  if (node.type === 'anchor') return ['at', node.kind]
  if (node.type === 'reference') {
    throw new PatternError('has backreferences, which are not supported in slow patterns')
  }
  return node.raw
}

function grouped(kind: 'all' | 'any', nodes: readonly Node[]): PatternTree {
  const trees = nodes.map(treeOf)
  return trees.length === 1 && trees[0] !== undefined ? trees[0] : [kind, ...trees]
}

function statesOf(tree: PatternTree): number {
  if (typeof tree === 'string' || tree[0] === 'at') return 1
  if (tree[0] === 'look') return 1 + statesOf(tree[3])
  if (tree[0] === 'times') return 1 + Math.max(tree[1] + 1, tree[2] ?? 0) * (1 + statesOf(tree[3]))
  const [, ...parts] = tree
  return parts.reduce((sum, part) => sum + statesOf(part), 1)
}

/** A state of a matcher: it reads a character, or continues at other states where a condition holds. */
interface State {
  readonly reads?: (code: number) => boolean
  readonly holds?: (text: string, at: number) => boolean
  readonly next: State[]
  /** The last round in which the state was visited. */
  round: number
}

/**
 * Creates a linear-time test for texts. It simulates an NFA instead of backtracking as RegExp does: all states advance
 * together, one character at a time. Generated validators contain this function as JavaScript, because they import nothing;
 * a property test compares both.
 * @param tree the pattern, as {@link patternTree} reads it
 * @param flags "u" or none
 */
export function linearPattern(
  tree: PatternTree,
  flags: string,
): { readonly test: (text: string) => boolean } {
  const scan = scanner(tree, flags, true)
  return { test: (text) => scan(text, () => true) }
}

/** Calls a function where a match ends, until it returns true. Returns whether it did. */
type Scan = (text: string, found: (at: number) => boolean) => boolean

/** Creates a scan of a text. Forward scans report the ends of matches, backward scans their starts. */
function scanner(tree: PatternTree, flags: string, isForward: boolean): Scan {
  const looks: ((text: string) => void)[] = []
  const last: State = { next: [], round: 0 }
  const first = begin(tree, last)
  let round = 0

  /** Returns the state that begins a part of the pattern. */
  function begin(part: PatternTree, next: State): State {
    if (typeof part === 'string') return { reads: readerOf(part, flags), next: [next], round: 0 }
    switch (part[0]) {
      case 'all': {
        const [, ...parts] = part
        return (isForward ? parts.reverse() : parts).reduce((state, each) => begin(each, state), next)
      }
      case 'any': {
        const [, ...options] = part
        return { next: options.map((option) => begin(option, next)), round: 0 }
      }
      case 'times':
        return repeated(part[1], part[2], (state) => begin(part[3], state), next)
      case 'at':
        return { holds: (text, at) => isAt(part[1], text, at), next: [next], round: 0 }
      case 'look':
        return { holds: look(part[1], part[2], part[3]), next: [next], round: 0 }
    }
  }

  function look(ahead: boolean, wanted: boolean, inner: PatternTree): (text: string, at: number) => boolean {
    const scanInner = scanner(inner, flags, !ahead)
    let places = new Uint8Array()
    looks.push((text) => {
      places = new Uint8Array(text.length + 1)
      scanInner(text, (at) => {
        places[at] = 1
        return false
      })
    })
    return (_, at) => (places[at] === 1) === wanted
  }

  return (text, found) => {
    for (const prepare of looks) prepare(text)
    const end = isForward ? text.length : 0
    const states: State[] = []
    const reading: State[] = []
    for (let at = text.length - end; ; ) {
      round++
      states.push(first)
      for (let state = states.pop(); state; state = states.pop()) {
        if (state.round === round) continue
        state.round = round
        if (state.reads) reading.push(state)
        else if (!state.holds || state.holds(text, at)) states.push(...state.next)
      }
      if (last.round === round && found(at)) return true
      if (at === end) return false
      const from = isForward ? at : before(text, at, flags)
      const code = (flags === 'u' ? text.codePointAt(from) : text.charCodeAt(from)) ?? 0
      for (const { reads, next } of reading) if (reads?.(code)) states.push(...next)
      reading.length = 0
      at = isForward ? at + (code > 0xffff ? 2 : 1) : from
    }
  }
}

function repeated(least: number, most: number | null, begin: (next: State) => State, next: State): State {
  let state = next
  if (most === null) {
    state = { next: [next], round: 0 }
    state.next.push(begin(state))
  }
  for (let count = least; count < (most ?? least); count++) state = { next: [next, begin(state)], round: 0 }
  for (let count = 0; count < least; count++) state = begin(state)
  return state
}

function isAt(position: Position, text: string, at: number): boolean {
  if (position === 'start') return at === 0
  if (position === 'end') return at === text.length
  const isBoundary = /\w/.test(text.charAt(at - 1)) !== /\w/.test(text.charAt(at))
  return isBoundary === (position === 'boundary')
}

/** Returns a character test with cached results for Latin-1. */
function readerOf(pattern: string, flags: string): (code: number) => boolean {
  const expression = new RegExp(`^(?:${pattern})$`, flags)
  const known: boolean[] = []
  const test = (code: number) => expression.test(String.fromCodePoint(code))
  return (code) => {
    if (code > 0xff) return test(code)
    known[code] ??= test(code)
    return known[code]
  }
}

/** Returns the start of the character before an offset: a code point with the flag "u", or a UTF-16 code unit. */
function before(text: string, at: number, flags: string): number {
  return at - (flags === 'u' && (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1)
}
