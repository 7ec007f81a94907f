import { type PatternNode, parsePattern } from './parse-pattern.js'
import type { Random } from './random.js'
import { setCharacters } from './set-characters.js'

/** Longer texts are not made, in characters. */
export const lengthMost = 100_000
/** A text is so much longer than it has to be, at most. */
const extraMost = 8

/** How long a text may be, in characters (code points). */
export interface Lengths {
  readonly least: number
  readonly most: number
}

const parsed = new Map<string, PatternNode | undefined>()

/**
 * A text for a pattern, of a length within the bounds where the pattern has such texts. It has to be held against the
 * pattern: what surrounds a place is not looked at.
 * @param isWide true where `.` and the like are to stand for more than letters and digits
 * @returns undefined where the pattern cannot be read, or no text of its own length is within the bounds
 */
export function patternText(
  pattern: string,
  { least, most }: Lengths,
  random: Random,
  isWide: boolean,
): string | undefined {
  if (!parsed.has(pattern)) parsed.set(pattern, parsePattern(pattern))
  const node = parsed.get(pattern)
  if (!node) return undefined
  const own = lengthsOf(node)
  const from = Math.max(least, own.least)
  const to = Math.min(most, own.most, from + extraMost)
  if (own.least > Math.min(most, lengthMost)) return undefined
  return write(node, random.whole(Math.min(from, to), to), { random, isWide, groups: new Map() })
}

const measured = new WeakMap<PatternNode, Lengths>()

/** How long the texts of a part can be. */
function lengthsOf(node: PatternNode): Lengths {
  const lengths = measured.get(node) ?? measure(node)
  measured.set(node, lengths)
  return lengths
}

function measure(node: PatternNode): Lengths {
  switch (node.kind) {
    case 'set':
      return { least: 1, most: 1 }
    case 'character':
      return { least: 1, most: 1 }
    case 'sequence':
      return sum(node.parts.map(lengthsOf))
    case 'choice': {
      const all = node.options.map(lengthsOf)
      return {
        least: Math.min(...all.map((each) => each.least)),
        most: Math.max(...all.map((each) => each.most)),
      }
    }
    case 'repeat': {
      const { least, most } = lengthsOf(node.inner)
      return { least: least * node.least, most: most === 0 || node.most === 0 ? 0 : most * node.most }
    }
    case 'group':
      return lengthsOf(node.inner)
    case 'reference':
      return { least: 0, most: 0 }
  }
}

function sum(all: readonly Lengths[]): Lengths {
  return all.reduce((total, { least, most }) => ({ least: total.least + least, most: total.most + most }), {
    least: 0,
    most: 0,
  })
}

interface Writing {
  readonly random: Random
  readonly isWide: boolean
  /** What each group became, by number and by name. */
  readonly groups: Map<string, string>
}

/** A text of a part, as near to a length as it goes. */
function write(node: PatternNode, length: number, writing: Writing): string {
  const { random, isWide, groups } = writing
  switch (node.kind) {
    case 'character':
      return node.text
    case 'set': {
      const characters = setCharacters(node.source, isWide)
      return characters.length === 0 ? '' : random.pick(characters)
    }
    case 'sequence':
      return writeAll(node.parts, length, writing)
    case 'choice': {
      const near = node.options.filter((option) => {
        const { least, most } = lengthsOf(option)
        return least <= length && length <= most
      })
      return write(random.pick(near.length > 0 ? near : node.options), length, writing)
    }
    case 'repeat':
      return writeAll(Array(timesFor(node, length, random)).fill(node.inner), length, writing)
    case 'group': {
      const text = write(node.inner, length, writing)
      groups.set(String(node.number), text)
      if (node.name !== undefined) groups.set(node.name, text)
      return text
    }
    case 'reference':
      return groups.get(node.group) ?? ''
  }
}

/** How often a part is repeated so that a length can be reached. */
function timesFor(
  { inner, least, most }: Extract<PatternNode, { kind: 'repeat' }>,
  length: number,
  random: Random,
): number {
  const each = lengthsOf(inner)
  if (each.most === 0) return Math.min(least, 1)
  const fewest = Math.max(least, Math.ceil(length / each.most))
  const often = each.least === 0 ? fewest + extraMost : Math.floor(length / each.least)
  const times = random.whole(fewest, Math.max(fewest, Math.min(often, most)))
  return Math.min(times, lengthMost)
}

/** Parts one after another: what the text is longer than it has to be is shared out among those that can take it. */
function writeAll(parts: readonly PatternNode[], length: number, writing: Writing): string {
  const lengths = parts.map(lengthsOf)
  let extra = Math.max(0, length - sum(lengths).least)
  let room = lengths.reduce((total, { least, most }) => total + most - least, 0)
  const texts: string[] = []
  parts.forEach((part, at) => {
    const { least, most } = lengths[at] ?? { least: 0, most: 0 }
    const own = most - least
    room = Number.isFinite(room) ? room - own : roomAfter(lengths, at)
    const share = writing.random.whole(Math.max(0, Math.min(extra, own, extra - room)), Math.min(own, extra))
    texts.push(write(part, least + share, writing))
    extra -= share
  })
  return texts.join('')
}

function roomAfter(lengths: readonly Lengths[], at: number): number {
  return lengths.slice(at + 1).reduce((total, { least, most }) => total + most - least, 0)
}
