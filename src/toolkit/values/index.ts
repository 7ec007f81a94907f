/** JSON values for the schemas of a contract. */
export { lengthsOutside, listedValues, listLength, numbersOutside, scalarsWithin } from './boundaries.js'
export { NoValueError, unlessNone } from './constraints.js'
export { createChecker } from './create-checker.js'
export { createValues, seededValue } from './create-values.js'
export { createEdgeValues } from './edge-values.js'
export type { NearlyValid } from './nearly-valid.js'
export { createValueJudge, type ValuelessPart, valueProblems } from './value-problems.js'
