export { type Generated, generate, generateFiles } from './generate-files.js'
export type { GeneratedFile } from './generated-file.js'
export { lineDiff } from './line-diff.js'
export { applyPlan, isStale, OutputError, planWrite, type WritePlan } from './write-files.js'
