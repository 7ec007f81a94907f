/** JSON values for the schemas of a contract. */
export { lengthsOutside, listedValues, listLength, numbersOutside, scalarsWithin } from './boundaries.js'
export { NoValueError } from './constraints.js'
export { createValues } from './create-values.js'
export { patternProblems } from './pattern-problems.js'
export { seededValue } from './seeded-value.js'
