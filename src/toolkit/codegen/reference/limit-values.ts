import { type Contract, isObject, member, objectMember, stringMember } from '../../contract/index.js'
import { anchor, proseLine } from './markdown.js'
import { grouped, type Quantity, quantityText } from './quantity-text.js'

/** A fenced code block, or a code span (CommonMark 0.31, 4.5 and 6.1). */
const codeParts = /^(`{3,}|~{3,})[\s\S]*?^\1`*$|(?<!`)(`+)(?!`)(.+?)(?<!`)\2(?!`)/gm

/**
 * Returns a function that replaces the names of limits (`x-limits`) in Markdown by their values: "at most `batchItems`
 * requests" becomes "at most 100 requests". A value links to the chapter of limits, with the name as the title of the
 * link. Code blocks, links, and cells and bold text that name a limit stay as they are. So do names that are also
 * parameters.
 */
export function limitValues({ info, methods }: Contract): (markdown: string) => string {
  const params = new Set(methods.flatMap((method) => method.params.map(({ name }) => name)))
  const limits = new Map(
    Object.entries(objectMember(info, 'x-limits')).flatMap(([name, limit]) => {
      const value = isObject(limit) ? member(limit, 'value') : undefined
      const isPlain = /^[\w.$-]+$/.test(name)
      if (!isObject(limit) || typeof value !== 'number' || !isPlain || params.has(name)) return []
      return [[name, { value, unit: stringMember(limit, 'unit') ?? '' }] as const]
    }),
  )
  return (markdown) => {
    let end = 0
    const parts: string[] = []
    for (const found of markdown.matchAll(codeParts)) {
      const [whole, , , name = ''] = found
      const limit = limits.get(name)
      const before = markdown.slice(end, found.index)
      const after = markdown.slice(found.index + whole.length)
      if (limit === undefined || isName(before, after)) continue
      const { text, characters } = spoken(limit, after)
      parts.push(before, `[${proseLine(text)}](#${anchor('Limits')} "${name}")`)
      end = found.index + whole.length + characters
    }
    return [...parts, markdown.slice(end)].join('')
  }
}

/** Returns true for a code span that is a whole cell, a link's text or bold. */
function isName(before: string, after: string): boolean {
  return /[[*]$/.test(before) || (before.endsWith('| ') && after.startsWith(' |'))
}

/**
 * Returns a value with its unit, and how many of the following characters it replaces, because they are the unit.
 * @param after the text after the name
 */
function spoken(limit: Quantity, after: string): { text: string; characters: number } {
  const { value, unit } = limit
  const follows = (words: string) =>
    words !== '' &&
    after.slice(0, words.length + 1).toLowerCase() === ` ${words.toLowerCase()}` &&
    !/^\w/.test(after.slice(words.length + 1))
  const [first = ''] = unit.split(' ')
  const characters = follows(unit) ? unit.length + 1 : 0
  const isWritten = unit !== 'bytes' && characters === 0 && follows(first)
  return { text: isWritten ? grouped(value) : quantityText(limit), characters }
}
