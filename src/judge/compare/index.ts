export { compareLines } from './compare-lines.js'
export { type ComparedRequest, type CompareReport, compareExitCode } from './compare-report.js'
export { NotComparable, runCompare } from './run-compare.js'
