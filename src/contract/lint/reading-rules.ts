import type { LintRule } from './lint-rule.js'

const rule = (name: string, summary: string, advice?: string): LintRule => ({
  name,
  severity: 'error',
  summary,
  ...(advice !== undefined && { advice }),
})

/** The rules that reading a contract applies: a contract that goes against an error cannot be generated from. */
export const readingRules: readonly LintRule[] = [
  rule('not-readable', 'The document is JSON or YAML, and every file that it names can be read.'),
  rule('meta-schema', 'The document follows the OpenRPC meta-schema and the extensions that it declares.'),
  rule(
    'dangling-reference',
    'Every reference leads to something of the right kind.',
    'correct the reference, or add what it names',
  ),
  rule(
    'endless-reference',
    'No schema refers to itself without a member or an item in between.',
    'put a member or an item in between',
  ),
  rule('duplicate-method-name', 'No two methods have one name.', 'rename one'),
  rule('duplicate-parameter-name', 'No two parameters of a method have one name.', 'rename one'),
  rule(
    'duplicate-error-name',
    'No two errors are called the same.',
    'rename one, or let both be one component',
  ),
  rule('missing-extension', 'Every object has the extensions that are declared as required for its kind.'),
  rule('unsupported-keyword', 'Schemas use the words of JSON Schema draft-07.'),
  rule('invalid-pattern', 'Every pattern is a regular expression.', 'escape what stands for itself'),
  rule('ambiguous-id', 'No "$id" changes what the references beneath it mean.'),
  rule('not-generated', 'Names do not collide, and every schema can be honoured by types and validators.'),
  {
    name: 'left-out',
    severity: 'warning',
    summary: 'Generated code has all that the contract says, examples and links included.',
  },
]
