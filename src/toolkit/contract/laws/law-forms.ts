/** What a member of a law contains. */
export type MemberKind =
  /** A JSON pointer into the result of the method. */
  | 'own-pointer'
  /** A JSON pointer into the result of the other call, or into the own one without another call. */
  | 'other-pointer'
  /** A JSON pointer into the items of the list. */
  | 'item-pointer'
  | 'parameter'
  | 'method'
  /** Parameters of the other method. */
  | 'params'
  /** Calls whose results show the effect of the method. */
  | 'calls'
  /** Members of the items, the most significant first. */
  | 'sort-keys'
  /** Paths in the parameters, by paths of members of the items or of the result. */
  | 'asked'
  /** Pairs of paths in the parameters, by paths of members of the items. */
  | 'bounds'
  /** A path in the parameters. */
  | 'asked-path'
  | 'true'
  /** Values of parameters, for which the law holds. */
  | 'condition'
  | 'rule'

/** The members of a law: required ones, a group of which it has exactly one, and optional ones. */
export interface LawForm {
  readonly required: readonly string[]
  readonly oneOf?: readonly string[]
  readonly optional?: readonly string[]
}

/** The laws that a method can state (`x-laws`). */
export const lawForms: Readonly<Record<string, LawForm>> = {
  repeatable: { required: [] },
  batchable: { required: [] },
  equals: { required: ['method'], optional: ['params'] },
  sorted: { required: ['list', 'by'] },
  'adds-up': { required: ['total', 'parts'], optional: ['count', 'method', 'params'] },
  pages: { required: ['list', 'size'], oneOf: ['offset', 'page', 'cursor'], optional: ['next', 'total'] },
  'first-of': { required: ['method', 'list'], optional: ['params', 'first', 'result'] },
  'undone-by': { required: ['method', 'observe'], optional: ['params'] },
  'subset-by': { required: ['list', 'members'], optional: ['bounds'] },
  echoes: { required: ['members'] },
  partition: { required: ['list', 'from', 'to'] },
}

/** Members that every law may have. */
export const commonMembers: readonly string[] = ['when', 'rule']

/** What the members of laws contain. */
export const lawMembers: Readonly<Record<string, MemberKind>> = {
  list: 'own-pointer',
  total: 'own-pointer',
  next: 'own-pointer',
  result: 'own-pointer',
  parts: 'other-pointer',
  first: 'item-pointer',
  size: 'parameter',
  offset: 'parameter',
  page: 'parameter',
  cursor: 'parameter',
  method: 'method',
  params: 'params',
  observe: 'calls',
  by: 'sort-keys',
  members: 'asked',
  bounds: 'bounds',
  from: 'asked-path',
  to: 'asked-path',
  count: 'true',
  rule: 'rule',
  when: 'condition',
}
