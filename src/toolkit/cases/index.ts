/** Cases derived from a contract, in the format of case files. */
export { deriveCases } from './derived/derive-cases.js'
export { derivedScenarios } from './derived/derived-scenarios.js'
export { type ExploreOptions, exploredCase, exploredCases } from './explored/explored-cases.js'
export { exampleGiven, type Given, sentParams } from './params/given-params.js'
