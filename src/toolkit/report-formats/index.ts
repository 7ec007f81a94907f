/** Output formats that reports, lint and diff share: SARIF, GitHub annotations, Markdown, HTML and tables for terminals. */

export { githubCommand, githubLines } from './github.js'
export { code, escaped, markdownLines } from './markdown.js'
export { markupText } from './markup-text.js'
export type { ReportItem } from './report-item.js'
export { sarifLog, sarifPlace, sarifText } from './sarif.js'
export { tableLines } from './table-lines.js'
