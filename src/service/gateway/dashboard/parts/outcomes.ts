import type { Tally } from '../../administration/index.js'

/** Classes of answers, in the order of charts and figures. */
export const outcomes = ['result', 'caller', 'limit', 'service'] as const

/** Calls by class. */
export type Tallied = Tally['outcomes']

/** Names of the classes. */
export const outcomeTitles = {
  result: 'Results',
  caller: 'Client errors',
  limit: 'Limit exceeded',
  service: 'Server errors',
} as const

/** Numbers of the colours of the classes: each class has one colour on all pages. */
export const outcomeColours = { result: 1, caller: 2, limit: 3, service: 4 } as const
