import { parseDocument, visit } from 'yaml'
import { type JsonSource, lineFinder, readJsonSource, type SourceDocument } from '../../contract/index.js'
import type { LintProblem, LintRule } from '../lint-rule.js'

/** Rules about source texts: information that is lost when a document is parsed. */
export const sourceRules: readonly LintRule[] = [
  {
    name: 'duplicate-member',
    severity: 'error',
    summary: 'Member names of an object are unique. Parsers keep only the last one (RFC 8259, section 4).',
    check: ({ documents }) =>
      documents.all().flatMap((document) =>
        inText(document, (text) =>
          sourceOf(document, text).repeated.map(({ offset, name, isEqual }) => ({
            offset,
            message: `the member "${name}" is already in this object, and the earlier value is lost: keep one`,
            ...(isEqual && { fix: [{ removeAt: offset, file: document.name }] }),
          })),
        ),
      ),
  },
  {
    name: 'imprecise-number',
    severity: 'warning',
    summary: 'Integers have no more digits than programs preserve (2^53).',
    check: ({ documents }) =>
      documents.all().flatMap((document) =>
        inText(document, (text) =>
          numbersOf(document, text).flatMap(({ offset, text: digits }) => {
            const read = Number(digits)
            if (!/^-?\d{16,}$/.test(digits) || BigInt(read) === BigInt(digits)) return []
            const message = `${digits} is read as ${BigInt(read)}: use a smaller number, or a string with a pattern`
            return [{ offset, message }]
          }),
        ),
      ),
  },
]

const sources = new WeakMap<SourceDocument, JsonSource>()

/** Reads the positions in the text of a file, once. */
function sourceOf(document: SourceDocument, text: string): JsonSource {
  const source = sources.get(document) ?? readJsonSource(text)
  sources.set(document, source)
  return source
}

function inText(
  { name, text = '' }: SourceDocument,
  check: (text: string) => readonly (Pick<LintProblem, 'message' | 'fix'> & { readonly offset: number })[],
): readonly LintProblem[] {
  const content = text.replace(/^\uFEFF/, '')
  const found = check(content)
  if (found.length === 0) return []
  const position = lineFinder(content)
  const pointer = `${name}#`
  return found.map(({ offset, ...problem }) => ({ ...problem, pointer, position: position(offset) }))
}

/** Returns the numbers in a text, JSON or YAML. */
function numbersOf(
  document: SourceDocument,
  text: string,
): readonly { readonly offset: number; readonly text: string }[] {
  const { root, numbers } = sourceOf(document, text)
  if (root) return numbers
  const found: { offset: number; text: string }[] = []
  visit(parseDocument(text, { logLevel: 'silent' }), {
    Scalar: (_, { value, source, range }) => {
      if (typeof value === 'number' && source) found.push({ offset: range?.[0] ?? 0, text: source })
    },
  })
  return found
}

const rule = (name: string, summary: string, advice?: string): LintRule => ({
  name,
  severity: 'error',
  summary,
  ...(advice !== undefined && { advice }),
})

/** Rules that are checked while reading a contract. Violations prevent code generation. */
export const readingRules: readonly LintRule[] = [
  rule('not-readable', 'The document is JSON or YAML, and every file that it refers to can be read.'),
  rule(
    'meta-schema',
    'The document is valid according to the OpenRPC meta-schema and its declared extensions.',
  ),
  rule(
    'dangling-reference',
    'Every reference has a target of the right kind.',
    'correct the reference or add its target',
  ),
  rule(
    'endless-reference',
    'No schema refers to itself without a member or an item in between.',
    'put a member or an item in between',
  ),
  rule('duplicate-method-name', 'Method names are unique.', 'rename one'),
  rule('duplicate-parameter-name', 'Parameter names of a method are unique.', 'rename one'),
  rule('duplicate-error-name', 'Error names are unique.', 'rename one, or use one component for both'),
  rule('missing-extension', 'Every object has the extensions that are required for its kind.'),
  rule('invalid-pattern', 'Every pattern is a valid regular expression.', 'escape special characters'),
  rule('dialect', 'Schemas have a supported dialect of JSON Schema, draft-07 or 2020-12, and its keywords.'),
  rule('ambiguous-id', 'No "$id" changes the base of references inside its schema.'),
  rule('not-generated', 'Names do not collide, and types and validators support every schema.'),
  {
    name: 'left-out',
    severity: 'warning',
    summary: 'Generated code covers the whole contract, including examples.',
  },
]
