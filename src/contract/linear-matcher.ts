import parser, { type AstNode } from 'regjsparser'

/** A pattern that cannot be evaluated in polynomial time. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const features = { lookbehind: true, namedGroups: true, unicodePropertyEscape: true } as const

type Node = AstNode<typeof features>
type Positions = ReadonlySet<number>

/** Maps the positions where matches of a part may begin to those where they end; backward, the other way round. */
type Step = (text: string, begins: Positions) => Positions

interface Direction {
  /** "u" or none. */
  readonly flags: string
  readonly isBackward: boolean
}

/**
 * Creates a test for texts that takes polynomial time for every pattern and text. Instead of trying one way to match
 * after another, as RegExp does, it follows all of them at once (ECMA-262, section 22.2.2, without captures).
 * @param source a valid pattern
 * @param flags "u" or none
 * @throws PatternError for a pattern with backreferences or with flags in groups
 */
export function linearMatcher(source: string, flags: string): (text: string) => boolean {
  const match = stepOf(parsed(source, flags), { flags, isBackward: false })
  return (text) => match(text, everywhere(text, flags)).size > 0
}

/** Lists the positions of a text; with the flag "u", there is none within a pair of surrogates. */
function everywhere(text: string, flags: string): Positions {
  const all = Array.from({ length: text.length + 1 }, (_, at) => at)
  return new Set(flags === 'u' ? all.filter((at) => (text.codePointAt(at - 1) ?? 0) <= 0xffff) : all)
}

function parsed(source: string, flags: string): Node {
  try {
    return parser.parse(source, flags, features)
  } catch (cause) {
    throw new PatternError('has syntax that is not supported in slow patterns', { cause })
  }
}

function stepOf(node: Node, direction: Direction): Step {
  if (node.type === 'alternative') return inOrder(node.body, direction)
  if (node.type === 'disjunction') {
    const options = node.body.map((option) => stepOf(option, direction))
    return (text, begins) => new Set(options.flatMap((option) => [...option(text, begins)]))
  }
  if (node.type === 'group') return group(node, direction)
  if (node.type === 'quantifier')
    return repeated(stepOf(node.body[0], direction), node.min, node.max ?? Infinity)
  if (node.type === 'anchor') return where((text, at) => isAnchored(node.kind, text, at))
  if (node.type === 'reference') {
    throw new PatternError('has backreferences, which are not supported in slow patterns')
  }
  return character(new RegExp(`^(?:${node.raw})$`, direction.flags), direction)
}

function inOrder(nodes: readonly Node[], direction: Direction): Step {
  const steps = nodes.map((node) => stepOf(node, direction))
  if (direction.isBackward) steps.reverse()
  return (text, begins) =>
    steps.reduce((positions, step) => (positions.size > 0 ? step(text, positions) : positions), begins)
}

/** Finds where a lookahead holds by matching backward from every position, and a lookbehind by matching forward. */
function group({ behavior, body }: Node & { type: 'group' }, direction: Direction): Step {
  if (behavior === 'normal' || behavior === 'ignore') return inOrder(body, direction)
  const isAhead = behavior === 'lookahead' || behavior === 'negativeLookahead'
  const isWanted = behavior === 'lookahead' || behavior === 'lookbehind'
  const inner = inOrder(body, { ...direction, isBackward: isAhead })
  let known: { readonly text: string; readonly holds: Positions } | undefined
  return (text, begins) => {
    if (known?.text !== text) known = { text, holds: inner(text, everywhere(text, direction.flags)) }
    const { holds } = known
    return new Set([...begins].filter((at) => holds.has(at) === isWanted))
  }
}

/** Keeps the positions for which a condition holds. */
function where(holds: (text: string, at: number) => boolean): Step {
  return (text, begins) => new Set([...begins].filter((at) => holds(text, at)))
}

function repeated(step: Step, min: number, max: number): Step {
  return (text, begins) => {
    let ends = begins
    for (let count = 0; count < min && ends.size > 0; count++) {
      const next = step(text, ends)
      if (next.size === ends.size && [...next].every((at) => ends.has(at))) break
      ends = next
    }
    const all = new Set(ends)
    for (let count = min; count < max && ends.size > 0; count++) {
      ends = new Set([...step(text, ends)].filter((at) => !all.has(at)))
      for (const at of ends) all.add(at)
    }
    return all
  }
}

function isAnchored(kind: 'start' | 'end' | 'boundary' | 'not-boundary', text: string, at: number): boolean {
  if (kind === 'start') return at === 0
  if (kind === 'end') return at === text.length
  const isBoundary = /\w/.test(text.charAt(at - 1)) !== /\w/.test(text.charAt(at))
  return isBoundary === (kind === 'boundary')
}

/** Consumes one character: a code point with the flag "u", and a UTF-16 code unit without it. */
function character(expression: RegExp, { flags, isBackward }: Direction): Step {
  const known = new Map<string, boolean>()
  const isMatch = (one: string) => {
    const found = known.get(one) ?? expression.test(one)
    known.set(one, found)
    return found
  }
  const at = flags === 'u' ? codePoint : codeUnit
  return (text, begins) => {
    const ends = new Set<number>()
    for (const begin of begins) {
      const one = at(text, begin, isBackward)
      if (one !== '' && isMatch(one)) ends.add(isBackward ? begin - one.length : begin + one.length)
    }
    return ends
  }
}

function codeUnit(text: string, at: number, isBefore: boolean): string {
  return text.charAt(isBefore ? at - 1 : at)
}

function codePoint(text: string, at: number, isBefore: boolean): string {
  const isPair = isBefore && (text.codePointAt(at - 2) ?? 0) > 0xffff
  const start = isBefore ? at - (isPair ? 2 : 1) : at
  const found = text.codePointAt(start)
  return found === undefined ? '' : String.fromCodePoint(found)
}
