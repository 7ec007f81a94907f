import { markupText } from '../../../toolkit/report-formats/index.js'
import type { Evidence } from '../report.js'
import { answerWords } from '../text/words.js'
import type { PageBudget } from './page-budget.js'

const ALTERED = {
  cut: 'the beginning',
  redacted: 'redacted',
  'not-utf8': 'not UTF-8',
} as const

/** Markup of an exchange: request and response, with their headers if `withHeaders` is true. */
export function exchangeMarkup(evidence: Evidence, budget: PageBudget, withHeaders: boolean): string {
  const { step, request, response, trouble, milliseconds, omitted } = evidence
  const answer =
    response === undefined
      ? `<p>No answer in ${milliseconds} ms: ${markupText(trouble?.message ?? 'nothing came')}</p>`
      : `<p>Answer: ${answerWords(evidence)} in ${milliseconds} ms${alteredText(response.altered)}</p>${pre(
          withHeaders ? `${headerLines(response.headers)}${response.body}` : response.body,
          budget,
        )}`
  return [
    '<div class="exchange">',
    `<p>Step ${step}: ${markupText(request.verb)} <code>${markupText(request.url)}</code>${alteredText(request.altered)}</p>`,
    pre(withHeaders ? `${headerLines(request.headers)}${request.body}` : request.body, budget),
    answer,
    omitted === undefined ? '' : `<p>${omitted} more exchanges of this step are not in the report.</p>`,
    '</div>',
  ].join('')
}

/** Markup of a text with a copy button. */
export function copyMarkup(text: string, what: string): string {
  return `<div class="copy"><pre tabindex="0" data-what="${markupText(what)}">${markupText(text)}</pre></div>`
}

function pre(text: string, budget: PageBudget): string {
  return text === '' ? '<p>An empty body</p>' : `<pre tabindex="0">${markupText(budget.cut(text))}</pre>`
}

function alteredText(altered: Evidence['request']['altered']): string {
  return altered === undefined ? '' : ` (${ALTERED[altered]})`
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  return lines.length === 0 ? '' : `${lines.join('')}\n`
}
