import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** A value in a JSON text: its position and the values inside it. */
export type JsonNode = Node

/** A syntax error in a JSON text. */
export interface JsonFault {
  /** Offset of the character where the error was found. */
  readonly offset: number
  readonly message: string
}

/** The positions of the values in a JSON text (RFC 8259). */
export interface JsonSource {
  /** Undefined if the text is not valid JSON. */
  readonly root: JsonNode | undefined
  /** The syntax error, if the text is not valid JSON. */
  readonly fault: JsonFault | undefined
  /** Members that repeat a name within an object. JSON.parse silently drops the earlier one. */
  readonly repeated: readonly {
    readonly offset: number
    readonly name: string
    /** True if the repeated values are the same text. */
    readonly isEqual: boolean
  }[]
  /** Numbers as written in the text. */
  readonly numbers: readonly { readonly offset: number; readonly text: string }[]
}

/** Maximum nesting of objects and lists. */
export const mostNested = 500

const options = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** Reads the positions of the values in a JSON text. Never throws. */
export function readJsonSource(text: string): JsonSource {
  const errors: ParseError[] = []
  let root: JsonNode | undefined
  try {
    root = parseTree(text, errors, options)
  } catch (cause) {
    // The parser calls itself for inner values.
    if (!(cause instanceof RangeError)) throw cause
    const message = `objects and lists are nested more than ${mostNested} levels deep`
    return { root: undefined, fault: { offset: 0, message }, repeated: [], numbers: [] }
  }
  const [error] = errors
  if (root === undefined || error !== undefined) {
    return { root: undefined, fault: error && faultOf(text, error), repeated: [], numbers: [] }
  }
  const nodes = nodesBelow(root)
  const textOf = ({ offset, length }: JsonNode) => text.slice(offset, offset + length)
  return {
    root,
    fault: undefined,
    repeated: nodes.filter(({ type }) => type === 'object').flatMap((node) => repeatedIn(node, textOf)),
    numbers: nodes
      .filter(({ type }) => type === 'number')
      .map((node) => ({ offset: node.offset, text: textOf(node) })),
  }
}

/** Returns the member or item of a value; of members with one name the last, as JSON.parse does. */
export function innerNode({ type, children = [] }: JsonNode, token: string): JsonNode | undefined {
  if (type === 'array') return children[Number(token)]
  return children.findLast(({ children: [key] = [] }) => key?.value === token)?.children?.[1]
}

/** Returns a value and all values inside it, in the order of the text. */
function nodesBelow(root: JsonNode): readonly JsonNode[] {
  const found: JsonNode[] = []
  const waiting = [root]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    found.push(node)
    for (const child of node.children?.toReversed() ?? []) waiting.push(child)
  }
  return found
}

function repeatedIn({ children = [] }: JsonNode, textOf: (node: JsonNode) => string): JsonSource['repeated'] {
  const earlier = new Map<string, string>()
  return children.flatMap(({ offset, children: [key, value] = [] }) => {
    const name = String(key?.value)
    const text = value ? textOf(value) : ''
    const before = earlier.get(name)
    earlier.set(name, text)
    return before === undefined ? [] : [{ offset, name, isEqual: before === text }]
  })
}

/** Messages by the parser's name of an error. `found` is the text at its place. */
const messages: Readonly<Record<string, (found: string) => string>> = {
  ValueExpected: (found) => `expected a value, found ${found}`,
  PropertyNameExpected: (found) => `expected a member name in double quotes, found ${found}`,
  InvalidSymbol: (found) => `found ${found}, where a value or a text in double quotes is expected`,
  ColonExpected: (found) => `expected ":", found ${found}`,
  CommaExpected: (found) => `expected a comma or the end of the object or list, found ${found}`,
  CloseBraceExpected: (found) => `expected "," or "}", found ${found}`,
  CloseBracketExpected: (found) => `expected "," or "]", found ${found}`,
  EndOfFileExpected: () => 'unexpected text after the end of the document',
  InvalidCommentToken: () => 'found a comment, which JSON does not have',
  UnexpectedEndOfString: () => 'unterminated string, or a line break in it',
  UnexpectedEndOfNumber: () => 'the number has no digit after "." or "e"',
  InvalidUnicode: () => 'invalid escape in a string',
  InvalidEscapeCharacter: () => 'invalid escape in a string',
  InvalidCharacter: () => 'invalid control character in a string',
}

function faultOf(text: string, { error, offset }: ParseError): JsonFault {
  const end = text[offset]
  const before = text.slice(0, offset).trimEnd()
  if ((end === '}' || end === ']') && before.endsWith(',')) {
    return { offset: before.length - 1, message: `trailing comma before "${end}"` }
  }
  const code = text.codePointAt(offset)
  const found = code === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(code))
  const name = printParseErrorCode(error)
  return { offset, message: messages[name]?.(found) ?? name }
}
