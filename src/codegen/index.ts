export { type Generated, generate, generateFiles } from './generate-files.js'
export type { GeneratedFile } from './generated-file.js'
export { applyPlan, isStale, OutputError, planWrite, type WritePlan } from './write-files.js'
