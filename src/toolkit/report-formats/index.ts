/** Formats in which findings of a report, of lint and of diff are written: SARIF, annotations, Markdown, markup. */

export { githubCommand, githubLines } from './github.js'
export { code, escaped, markdownLines } from './markdown.js'
export { markupText } from './markup-text.js'
export type { ReportItem } from './report-item.js'
export { sarifLog, sarifPlace, sarifText } from './sarif.js'
