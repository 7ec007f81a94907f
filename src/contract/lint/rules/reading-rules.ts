import type { LintRule } from '../lint-rule.js'

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
  rule('ambiguous-id', 'No "$id" changes the base of references inside its schema.'),
  rule('not-generated', 'Names do not collide, and types and validators support every schema.'),
  {
    name: 'left-out',
    severity: 'warning',
    summary: 'Generated code covers the whole contract, including examples and links.',
  },
]
