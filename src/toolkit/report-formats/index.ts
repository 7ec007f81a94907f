/** Output formats that commands share: SARIF, GitHub annotations, Markdown, HTML with its tokens, tables for terminals. */

export { githubCommand, githubLines } from './github.js'
export { code, escaped, markdownLines } from './markdown.js'
export { escapeMarkup, markupText } from './markup-text.js'
export { productTokens } from './product-tokens.js'
export type { ReportItem } from './report-item.js'
export { sarifLog, sarifPlace, sarifText } from './sarif.js'
export { tableLines } from './table-lines.js'
